#!/usr/bin/env bats
# A run sends its profiles to a server in the VM. tests/push/ has the backends.

# bats file_tags=collector
load ../lib/helpers

# Writes a server into this folder, that stores the body of a PUT. /denied is for nobody, and /never
# does not answer. Its argument is the port.
make_server() {
	cat >server.py <<-'END'
		import http.server, os, sys, time

		class Handler(http.server.BaseHTTPRequestHandler):
		    def do_PUT(self):
		        body = self.rfile.read(int(self.headers["Content-Length"]))
		        if self.path.startswith("/never"):
		            time.sleep(1000)
		        denied = self.path.startswith("/denied")
		        if not denied:
		            name = os.path.basename(self.path)
		            with open("new." + name, "wb") as file:
		                file.write(body)
		            os.rename("new." + name, "taken/" + name)
		        self.send_response(403 if denied else 200)
		        self.send_header("Content-Length", "0")
		        self.end_headers()

		    def log_message(self, *args):
		        pass

		os.makedirs("taken", exist_ok=True)
		server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
		open("ready", "w").close()
		server.serve_forever()
	END
}

# The files that the server has are those of the run, byte by byte.
all_taken() { # FOLDER
	diff <(cd "$1" && sha256sum -- *.pb.gz | cut -d ' ' -f 1 | sort) \
		<(cd taken && sha256sum -- * | cut -d ' ' -f 1 | sort)
}

@test "a run sends its profiles, by a process without rights" {
	make_server
	vm <<-'END'
		python3 server.py 8001 & server=$!
		await '[[ -e ready ]]'
		burn 1000 & burn=$!
		pprof-collect -q --profile cpu,wall --pid $burn --push \
			'http=http://127.0.0.1:8001/%s-%k-%p' & pid=$!
		await '[[ $(pgrep -P $pid -x pprof-push) ]]'
		push=$(pgrep -P $pid -x pprof-push)
		await '[[ $(grep Seccomp: /proc/$push/status) = *2 ]]'
		grep -E '^(CapEff|CapPrm|NoNewPrivs)' /proc/$push/status >rights
		ls -l /proc/$push/fd | grep -c 'pprof$' >devices || true
		await '[[ $(sessions) -eq 1 ]]'
		kill -INT $pid
		wait $pid
		echo $burn >burn
		kill $burn $server
	END
	[ "$(ls taken)" = "$(printf 'burn-%s-%s\n' cpu "$(<burn)" wall "$(<burn)")" ]
	all_taken .
	[ "$(tr -s '\t\n' ' ' <rights)" = 'CapPrm: 0000000000000000 CapEff: 0000000000000000 NoNewPrivs: 1 ' ]
	[ "$(<devices)" -eq 0 ]
}

@test "what is not sent is an error, and the profile is there" {
	make_server
	run --separate-stderr vm <<-'END'
		python3 server.py 8002 & server=$!
		await '[[ -e ready ]]'
		code=0
		pprof-collect -q --seconds 1 --push http=http://127.0.0.1:8002/denied/x -- burn 10 >/dev/null || code=$?
		kill $server
		exit $code
	END
	echo "$stderr"
	[ "$status" -eq 1 ]
	[[ $stderr = *'cannot push to http=http://127.0.0.1:8002: HTTP status 403: check'* ]]
	[[ $stderr = *"1 profiles are not sent to http=http://127.0.0.1:8002: send their files later"* ]]
	files=(pprof.burn.*.cpu.pb.gz)
	[ "${#files[@]}" -eq 1 ]
}

@test "windows wait in the spool while a server is down, also after kill -9" {
	make_server
	LIMIT=250 vm <<-'END'
		mkdir windows spool
		blink 1000 >/dev/null & blink=$!
		windows() { find windows -name '*.pb.gz' | wc -l; }
		spooled() { find spool -type f -name '0*' | wc -l; }
		collect() {
			exec pprof-collect -q --every 1s --dir windows --pid $blink --push-spool spool \
				--push 'http=http://127.0.0.1:8003/%t-%k'
		}
		collect & pid=$!
		await '[[ $(spooled) -ge 3 ]]'
		kill -KILL $pid
		wait $pid || true
		await '! pgrep -x pprof-push'
		collect & pid=$!
		await '[[ $(spooled) -ge 5 && $(spooled) -eq $(windows) ]]'
		python3 server.py 8003 & server=$!
		await '[[ -e ready ]]'
		await '[[ $(spooled) -eq 0 ]]'
		kill -INT $pid
		wait $pid
		spooled >left
		kill $blink $server
	END
	files=(windows/*.pb.gz)
	at_least "${#files[@]}" 5
	all_taken windows
	[ "$(<left)" -eq 0 ]
}

# Each window begins where the one before it ends, and is of a second.
@test "a server that never answers delays no window" {
	make_server
	vm <<-'END'
		mkdir windows
		python3 server.py 8004 & server=$!
		await '[[ -e ready ]]'
		burn 1000 & burn=$!
		pprof-collect -q --every 1s --dir windows --pid $burn \
			--push http=http://127.0.0.1:8004/never & pid=$!
		await '[[ $(find windows -name "*.pb.gz" | wc -l) -ge 8 ]]'
		kill -INT $pid
		await '[[ $(grep -c /dev/pprof <(ls -l /proc/$pid/fd)) -eq 0 ]]'
		kill -INT $pid
		code=0
		wait $pid || code=$?
		echo $code >code
		kill $burn $server
	END
	[ "$(<code)" -eq 1 ]
	end=''
	files=(windows/*.pb.gz)
	for file in "${files[@]}"; do
		[[ ! $end || $end -eq $(show time "$file") ]]
		end=$(($(show time "$file") + $(show duration "$file")))
	done
	at_least "${#files[@]}" 8
}
