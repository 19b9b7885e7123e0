#!/bin/bash
# Pushes profiles to real backends, asks for them, and compares each stack and its value with the
# file. The OpenTelemetry collector is built from Go modules (tests/push/collector). AWS's library
# for Python checks the signature of a request to S3. Pyroscope and Parca must be running on this
# machine; without their URLs they are skipped. More profiles can be given as arguments, named
# KIND.pb.gz. Prints TAP.
#
#   PYROSCOPE=http://127.0.0.1:4040 PARCA=http://127.0.0.1:7070 tests/push/backends.t [FILE...]
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/profiles/lib.bash
. tests/profiles/lib.bash

folder=$work/server
service=test-$$-$(date +%s)
processes=()
trap '[[ ${#processes[@]} -eq 0 ]] || kill "${processes[@]}"; rm -rf "$work"' EXIT

skip() { # REASON NAME
	number=$((number + 1))
	echo "ok $number - $2 # SKIP $1"
}

wait_for() { # COMMAND...: it succeeds, in 60 s
	local end=$((SECONDS + 60))
	until "$@"; do
		[[ $SECONDS -lt $end ]] || return 1
		sleep 0.2
	done
}

push() { # FILE KIND=URL
	collect push "$1" --to "$2" --label "service_name=$service-${1##*/}" --label pid=42
}

start_collector() {
	local sink=http://127.0.0.1:$port/otlp/v1development/profiles
	for otlp in $(shuf -i 20000-60000 -n 20); do
		"$otelcol" "{receivers: {otlp: {protocols: {http: {endpoint: '127.0.0.1:$otlp'}}}},
			exporters: {otlp_http: {profiles_endpoint: '$sink', sending_queue: {enabled: false}}},
			service: {pipelines: {profiles: {receivers: [otlp], exporters: [otlp_http]}}}}" \
			>"$work/otelcol" 2>&1 &
		processes+=($!)
		! wait_for answers_or_ended $! "http://127.0.0.1:$otlp" || kill -0 $! 2>/dev/null || continue
		return
	done
}

answers_or_ended() { # PID URL
	! kill -0 "$1" 2>/dev/null || curl -s -o /dev/null "$2"
}

# What the collector sends on is what it got.
collector_passes_on() { # FILE
	rm -f "$folder"/*.profile
	push "$1" "otlp=http://127.0.0.1:$port/otlp" && mv "$folder"/*.profile "$work/sent" &&
		push "$1" "otlp=http://127.0.0.1:$otlp" && mv "$folder"/*.profile "$work/received" &&
		"$readers/python/bin/python" tests/push/same_otlp.py "$work/sent" "$work/received"
}

# Puts AWS's library into a folder, from PyPI.
get_botocore() { # DIR
	[[ -e $1/done ]] || { python3 -m venv "$1" && timeout 120 "$1/bin/pip" -q install botocore &&
		touch "$1/done"; } >/dev/null 2>&1
}

is_signed() { # SECRET: KEY:SECRET or KEY:SECRET:SESSION
	rm -f "$folder"/*.profile "$folder"/*.json
	echo "$1" >"$work/secret"
	collect push "$work/cpu.pb.gz" --to "s3=http://127.0.0.1:$port/s3/bucket/a%20b/%k.pb.gz" \
		--push-auth "$work/secret" --push-region eu-test-1 &&
		diff <(collect raw "$work/cpu.pb.gz") <(collect raw "$folder"/*.profile) &&
		build/botocore/bin/python tests/push/s3_signature.py "$folder"/*.json "$folder"/*.profile \
			KEY SECRET eu-test-1
}

# The sample types of a profile: NAME/UNIT on a line.
types() { # FILE
	collect raw "$1" | awk 'found { for (i = 1; i <= NF; i++) print $i; exit } /^Samples:/ { found = 1 }'
}

# How Pyroscope and Parca call a profile: NAME:TYPE:UNIT:PERIOD-TYPE:PERIOD-UNIT
series() { # FILE TYPE/UNIT
	local name
	name=${1##*/} name=${name%%.*}
	case $name in
	cpu) name=process_cpu ;;
	heap | allocs) name=memory ;;
	esac
	echo "$name:${2/\//:}:$(collect raw "$1" | sed -n 's/PeriodType: \(.*\) \(.*\)/\1:\2/p')"
}

# Stacks and values, of one sample type of a file.
stacks() { # FILE TYPE
	collect convert "$1" --to folded --type "$2" | LC_ALL=C sort
}

ask_pyroscope() { # FILE TYPE/UNIT
	printf 'profile_type: "%s" label_selector: "{service_name=\\"%s\\"}" start: %d end: %d' \
		"$(series "$1" "$2")" "$service-${1##*/}" $((($(date +%s) - 3500) * 1000)) \
		$((($(date +%s) + 60) * 1000)) |
		protoc --proto_path=tests/push --encode=querier.v1.SelectMergeProfileRequest query.proto |
		curl -sS --fail-with-body --data-binary @- -H 'Content-Type: application/proto' \
			-o "$work/answer" "$PYROSCOPE/querier.v1.QuerierService/SelectMergeProfile"
}

ask_parca() { # FILE TYPE/UNIT
	local delta=''
	! collect raw "$1" | grep -q '^Duration' || delta=:delta
	curl -sS --fail-with-body -G "$PARCA/api/profiles/query" -o "$work/json" \
		-d mode=MODE_MERGE -d report_type=REPORT_TYPE_PPROF \
		--data-urlencode "merge.query=$(series "$1" "$2")$delta{service_name=\"$service-${1##*/}\"}" \
		-d merge.start=1970-01-01T00:00:00Z \
		-d "merge.end=$(date -u -d '1 minute' +%FT%TZ)" || { cat "$work/json"; return 1; }
	node -e 'process.stdout.write(Buffer.from(JSON.parse(fs.readFileSync(0)).pprof, "base64"))' \
		<"$work/json" >"$work/answer"
}

# The stacks and values that the backend should have. Parca multiplies samples by the period.
expected() { # BACKEND FILE TYPE/UNIT
	local period=1
	[[ $1 != parca || $3 != samples/count ]] || period=$(collect raw "$2" | sed -n 's/^Period: //p')
	stacks "$2" "${3%/*}" | awk -v period="$period" 'period != 1 { $NF = sprintf("%.0f", $NF * period) } 1'
}

# The backend has the stacks and values of the file. It may need some seconds for that.
has() { # BACKEND FILE TYPE/UNIT
	wait_for same_as_file "$@" || { cat "$work/messages"; return 1; }
}

same_as_file() ( # BACKEND FILE TYPE/UNIT
	exec >"$work/messages" 2>&1
	"ask_$1" "${@:2}" && diff <(expected "$@") <(collect convert "$work/answer" --to folded | LC_ALL=C sort)
)

# A push, and a question for each sample type.
try() { # BACKEND URL FILE
	local type
	ok "$1: ${3##*/}" push "$3" "$1=$2"
	for type in $(types "$3"); do
		ok "$1: ${3##*/}, $type" has "$1" "$3" "$type"
	done
}

files=("$work"/{cpu,heap,mutex,block,growth}.pb.gz "$@")
mkdir -p "$folder" build/e2e
readers=build/readers otelcol=build/otelcol/otelcol
flock build/e2e/lock tests/profiles/readers "$readers" || readers=''
flock build/e2e/lock tests/push/collector build/otelcol || otelcol=''
node tests/push/server.js . "$folder" &
processes+=($!)
wait_for test -s "$folder/port"
port=$(<"$folder/port")
if [[ $readers && $otelcol ]]; then
	start_collector
	for file in "${files[@]}"; do
		ok "collector: ${file##*/}" collector_passes_on "$file"
	done
else
	skip 'there is no OpenTelemetry collector, or no opentelemetry-proto' collector
fi
for secret in KEY:SECRET KEY:SECRET:SESSION; do
	if get_botocore build/botocore; then
		ok "s3: $secret" is_signed "$secret"
	else
		skip 'pip cannot install botocore' "s3: $secret"
	fi
done
for backend in pyroscope parca; do
	url=${backend^^}
	if [[ ! ${!url-} ]]; then
		skip "$url is not set: start one, and set $url to its URL" "$backend"
		continue
	fi
	for file in "${files[@]}"; do
		try "$backend" "${!url}" "$file"
	done
done
echo "1..$number"
