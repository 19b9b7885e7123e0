#!/bin/bash
# Pushes profiles to a server of each kind on loopback (tests/push/server.js), which stores what it
# takes. The profiles that arrive are compared with the files. What is not there is skipped.
# Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/profiles/lib.bash
. tests/profiles/lib.bash

folder=$work/server
collect=./pprof-collect
server=''
trap '[[ ! $server ]] || kill "$server"; rm -rf "$work"' EXIT

skip() { # REASON NAME
	number=$((number + 1))
	echo "ok $number - $2 # SKIP $1"
}

# A certificate for 127.0.0.1 and one for a client, both of the same authority.
make_certificates() {
	local name
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=ca \
		-keyout "$folder/ca.key" -out "$folder/ca.pem"
	for name in server client; do
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" \
			-keyout "$folder/$name.key" -out "$folder/$name.csr"
		openssl x509 -req -days 2 -CA "$folder/ca.pem" -CAkey "$folder/ca.key" -CAcreateserial \
			-extfile <(echo subjectAltName=IP:127.0.0.1) -in "$folder/$name.csr" \
			-out "$folder/$name.crt"
		cat "$folder/$name.crt" "$folder/$name.key" >"$folder/$name.pem"
	done
}

wait_for() { # FILE
	# shellcheck disable=SC2016 # for the inner shell
	timeout 20 bash -c 'until [[ -s $1 ]]; do sleep 0.05; done' bash "$1"
}

push() { # FILE KIND PLACE [OPTION...]
	rm -f "$folder"/*.profile "$folder"/*.json "$folder/errors" "$folder/log"
	"$collect" push "$1" --to "$2=http://127.0.0.1:$port/$3" "${@:4}"
}

# Compares the profiles that the server has stored with files, as pprof-collect reads them.
arrived() { # FILE...
	local file
	[[ ! -e $folder/errors ]] || cat "$folder/errors"
	for file; do
		diff <(collect raw "$file") <(cat "$folder"/*.profile | collect raw -) || return
	done
}

about() { # TEXT: the server's notes have it
	grep -qF "$1" "$folder"/*.json || { cat "$folder"/*.json; return 1; }
}

fails() { # CODE TEXT COMMAND...: one message has the text
	local code=0 message
	message=$("${@:3}" 2>&1) || code=$?
	[[ $code -eq $1 && $message = *"$2"* ]] || { echo "exit code $code: $message"; return 1; }
}

pyroscope_takes() { # FILE NAME
	push "$work/$1" pyroscope pyroscope --push-tenant team-a --label host=web.1 --label a.b=c &&
		arrived "$work/$1" && about "\"__name__\":\"$2\"" && about '"tenant":"team-a"' &&
		about '"a_b":"c"' && about '"host":"web.1"'
}

pyroscope_fails_once() { # CODE
	push "$work/cpu.pb.gz" pyroscope pyroscope --label "error=$1" 2>"$work/messages" &&
		arrived "$work/cpu.pb.gz" && grep -q 'takes profiles again' "$work/messages"
}

pyroscope_refuses() { # CODE TEXT
	fails 1 "$2" push "$work/cpu.pb.gz" pyroscope pyroscope --label "error=$1"
}

parca_takes() {
	push "$work/heap.pb.gz" parca parca --label 'service_name="\é' && arrived "$work/heap.pb.gz" &&
		about '"__name__":"memory"' && about '"service_name":"\"\\é"'
}

# A profile of another program, whose sample type no backend takes.
renamed() { # KIND
	push "$work/odd.pb.gz" "$1" "$1" && [[ ! -e $folder/errors ]] &&
		cat "$folder"/*.profile | collect raw - | grep -q '^my_pkg_conns/count' &&
		collect raw "$work/odd.pb.gz" | grep -q '^my/pkg-conns/count'
}

otlp_takes() {
	push "$work/cpu.pb.gz" otlp otlp --label service.name=shop --label pid=42
	"$readers/python/bin/python" tests/profiles/otlp.py "$folder"/*.profile >"$work/otlp"
	diff <(sed -En '1s/.* total /samples /p' "$work/cpu.txt") "$work/otlp"
	grep -qa 'service.name' "$folder"/*.profile
}

otlp_renamed() {
	push "$work/odd.pb.gz" otlp otlp
	[[ $("$readers/python/bin/python" tests/profiles/otlp.py "$folder"/*.profile) = 'my_pkg_conns 3' ]]
}

file_takes() {
	push "$work/cpu.pb.gz" http 'files/%s/%k-%p?a=%25' --label service_name=a/b --label pid=7 &&
		arrived "$work/cpu.pb.gz" && about '"url":"/files/a_b/cpu-7?a=%25"'
}

s3_takes() {
	echo KEY:SECRET >"$work/secret"
	push "$work/cpu.pb.gz" s3 's3/bucket/a%20b/%k.pb.gz' --push-auth "$work/secret" \
		--push-region eu-test-1 && arrived "$work/cpu.pb.gz"
}

s3_takes_a_session() {
	echo KEY:SECRET:SESSION >"$work/secret"
	push "$work/cpu.pb.gz" s3 's3/bucket/%k.pb.gz' --push-auth "$work/secret" \
		--push-region eu-test-1 && arrived "$work/cpu.pb.gz" && about '"token":"SESSION"'
}

s3_refuses() {
	echo KEY:OTHER >"$work/secret"
	fails 1 signature push "$work/cpu.pb.gz" s3 's3/bucket/%k.pb.gz' \
		--push-auth "$work/secret" --push-region eu-test-1
}

authorization() { # SECRET VALUE
	echo "$1" >"$work/secret"
	push "$work/cpu.pb.gz" http files/x --push-auth "$work/secret" &&
		about "\"authorization\":\"$2\""
}

# The secret of one backend is not sent to another one.
own_authorization() {
	echo token >"$work/secret"
	push "$work/cpu.pb.gz" http files/a --push-auth "$work/secret" \
		--to "http=http://127.0.0.1:$port/files/b" &&
		about '"url":"/files/a","authorization":"Bearer token"' && about '"url":"/files/b"}'
}

tls() { # [OPTION...]
	rm -f "$folder"/*.profile
	"$collect" push "$work/cpu.pb.gz" --to "http=https://127.0.0.1:$tls/files/x" "$@"
}

tls_takes() {
	tls --push-ca "$folder/ca.pem" --push-cert "$folder/client.pem" && arrived "$work/cpu.pb.gz" &&
		tls --push-ca "$folder/ca.pem" --push-cert "$folder/client.crt" \
			--push-key "$folder/client.key" && arrived "$work/cpu.pb.gz"
}

# Twice, and not before the time that the server asked for.
waits_as_asked() {
	push "$work/cpu.pb.gz" http 503/after/2 2>/dev/null
	awk '{ time[NR] = $2 } END { exit !(NR == 2 && time[2] - time[1] >= 2000) }' "$folder/log"
}

once() { # STATUS TEXT: it is tried once, and the message has no control character
	fails 1 "$2" push "$work/cpu.pb.gz" http "$1" && [[ $(wc -l <"$folder/log") -eq 1 ]] &&
		! push "$work/cpu.pb.gz" http "$1" 2>&1 | grep -q $'\033'
}

endless() {
	rm -f "$folder/closed"
	push "$work/cpu.pb.gz" http endless && wait_for "$folder/closed"
}

stops_at_the_first() {
	fails 1 'the 2 files after it' "$collect" push "$work/cpu.pb.gz" "$work/heap.pb.gz" \
		"$work/mutex.pb.gz" --to "http=http://127.0.0.1:$port/401"
}

# The other backend gets the profile nevertheless.
one_of_two() {
	fails 1 'cannot push to http=' push "$work/cpu.pb.gz" http 401 \
		--to "http=http://127.0.0.1:$port/files/x" && arrived "$work/cpu.pb.gz"
}

# These take 25 to 60 s: a backend that may come back gets that time. They run beside the other
# tests.
begin() { # FILE COMMAND...
	local code=0 TIMEFORMAT=$'user s: %U\nsystem s: %S'
	time "${@:2}" >"$work/$1" 2>&1 || code=$?
	echo "exit code $code" >>"$work/$1"
} 2>"$work/$1.time"

began() { # FILE TEXT [CODE]
	wait_for_word "$work/$1" 'exit code'
	if ! grep -q "exit code ${3-1}" "$work/$1" || ! grep -qF "$2" "$work/$1"; then
		cat "$work/$1"
		return 1
	fi
}

# After the 30 s it only waits: without a loop it takes some ms of CPU time.
never() {
	began never 'is not sent' && awk '$NF >= 0.3 { print; exit 1 }' "$work/never.time"
}

# It gets the profile once: it may count a second one twice.
slow() {
	began slow 'exit code 0' 0 && [[ $(wc -l <"$folder/slow") -eq 1 ]]
}

wait_for_word() { # FILE TEXT
	# shellcheck disable=SC2016 # for the inner shell
	timeout 200 bash -c 'until grep -qs "$2" "$1"; do sleep 0.1; done' bash "$1" "$2"
}

# Some of so many answers are there before the client waits for them.
many_files() {
	local files=() i
	for ((i = 0; i < 500; i++)); do
		files+=("$work/cpu.pb.gz")
	done
	rm -f "$folder"/*.profile
	timeout 60 "$collect" push "${files[@]}" --to "http=http://127.0.0.1:$port/files/x" &&
		[[ $(find "$folder" -name '*.profile' | wc -l) -eq 500 ]]
}

from_a_pipe() {
	"$collect" convert "$work/cpu.pb.gz" --to folded --type samples | push - http files/x &&
		cat "$folder"/*.profile | collect raw - | grep -q samples
}

command -v node >/dev/null || { echo '1..0 # SKIP there is no node'; exit; }

mkdir -p "$folder" build/e2e
readers=build/readers partners=build/push-partners
flock build/e2e/lock tests/profiles/readers "$readers" || readers=''
flock build/e2e/lock tests/push/partners "$partners" || partners=''
! command -v openssl >/dev/null || make_certificates >/dev/null 2>&1
node tests/push/server.js "${partners:-.}" "$folder" &
server=$!
wait_for "$folder/port"
port=$(<"$folder/port")
# Strings "", "my/pkg-conns", "count"; a sample type; a sample of value 3 without a stack.
printf '\x0a\x04\x08\x01\x10\x02\x12\x03\x12\x01\x03\x32\x00\x32\x0cmy/pkg-conns\x32\x05count' |
	gzip >"$work/odd.pb.gz"

begin never "$collect" push "$work/cpu.pb.gz" --to "http=http://127.0.0.1:$port/never" &
begin slow "$collect" push "$work/cpu.pb.gz" --to "http=http://127.0.0.1:$port/slow" &
begin nobody "$collect" push "$work/cpu.pb.gz" --to http=http://127.0.0.1:1/ &
if [[ -e $folder/server.pem ]]; then
	wait_for "$folder/tls"
	tls=$(<"$folder/tls")
	begin certificate "$collect" push "$work/cpu.pb.gz" --to "http=https://127.0.0.1:$tls/files/x" \
		--push-ca "$folder/ca.pem" &
fi

plan 40
for test in 'pyroscope_takes cpu.pb.gz process_cpu' 'pyroscope_takes heap.pb.gz memory' \
	'pyroscope_takes mutex.pb.gz mutex' 'pyroscope_fails_once ResourceExhausted' \
	'pyroscope_fails_once Unavailable' 'pyroscope_fails_once Internal' \
	'pyroscope_fails_once Aborted' 'pyroscope_refuses InvalidArgument as' \
	'pyroscope_refuses Unauthenticated --push-auth' 'renamed pyroscope'; do
	# shellcheck disable=SC2086 # a command and its arguments
	if [[ $partners ]]; then ok "$test" $test; else skip 'npm has no connect-node' "$test"; fi
done
ok 'parca: labels and the profile' parca_takes
ok 'parca: names are replaced' renamed parca
if [[ $readers ]]; then
	ok 'otlp: the official messages read it' otlp_takes
	ok 'otlp: names are replaced' otlp_renamed
else
	for name in 'the official messages read it' 'names are replaced'; do
		skip 'there is no opentelemetry-proto' "otlp: $name"
	done
fi
ok 'http: a file of its own' file_takes
ok 's3: the signature' s3_takes
ok 's3: a session' s3_takes_a_session
ok 's3: a wrong secret' s3_refuses
ok 'basic' authorization 'user:pass word' "Basic $(printf 'user:pass word' | base64)"
ok 'bearer' authorization token.x 'Bearer token.x'
ok 'a secret is of one backend' own_authorization
if [[ -e $folder/server.pem ]]; then
	ok 'tls: certificates of server and client' tls_takes
	ok 'tls: an unknown server' fails 1 certificate tls
else
	for name in 'certificates of server and client' 'an unknown server'; do
		skip 'there is no openssl' "tls: $name"
	done
fi
ok 'Retry-After' waits_as_asked
ok 'a redirect is not followed' once 307 'HTTP status 307'
ok 'a wrong address' once 404 'HTTP status 404'
ok 'a refusal' once 422 'HTTP status 422'
ok 'a reply without an end' endless
ok 'the first failure ends it' stops_at_the_first
ok 'one of two backends' one_of_two
ok 'folded stacks from a pipe' from_a_pipe
ok 'many files' many_files
ok 'an unknown backend' refuses 2 'no backend' push "$work/cpu.pb.gz" --to loki=http://a
ok 'a user in the URL' refuses 2 --push-auth push "$work/cpu.pb.gz" --to http=http://u:p@a/
ok 'no secret' refuses 1 'no secret' push "$work/cpu.pb.gz" --to http=http://a/ \
	--push-auth /dev/null
ok 'a truncated file' refuses 1 cut.pb.gz push "$work/cut.pb.gz" --to http=http://a/
ok 'a backend that works on it for 25 s' slow
ok 'nobody answers' never
ok 'nobody listens' began nobody 'is not sent'
if [[ -e $folder/server.pem ]]; then
	ok 'tls: no certificate of the client' began certificate 'is not sent'
else
	skip 'there is no openssl' 'tls: no certificate of the client'
fi
