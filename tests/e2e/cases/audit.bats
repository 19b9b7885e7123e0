#!/usr/bin/env bats
# pprof-collect audit reports each thread creation of the system.

load ../lib/helpers

@test "each creation, with its creator" {
	vm <<-'END'
		pprof-collect audit --json >audit.json 2>said &
		await '[[ $(</sys/module/pprof/refcnt) -ge 1 ]]'
		sh -c 'echo pid=$$; exec clones --raw 500' >truth
		as-nobody clones 200 >/dev/null
		kill -INT %1
		wait %1
	END
	cat >check.js <<-'END'
		const lines = require('fs').readFileSync('audit.json', 'utf8').trim().split('\n');
		const [pid] = process.argv.slice(2).map(Number);
		const all = lines.map(JSON.parse).filter((c) => c.comm === 'clones');
		const raw = all.filter((c) => c.uid === 0);
		const distinct = (list) => new Set(list).size;
		const assert = require('assert');
		assert.equal(raw.length, 500);
		assert(raw.every((c) => c.pid === pid && c.tid === pid && c.new_tid > 0 && c.new_tid !== pid));
		assert.equal(distinct(raw.map((c) => c.new_tid)), 500);
		assert.equal(all.filter((c) => c.uid === 65534).length, 200);
		assert(all.every((c, i) => !i || c.time_ns > all[i - 1].time_ns && c.seq > all[i - 1].seq));
		assert(all.every((c) => Math.abs(Date.parse(c.time) - Date.now()) < 3600e3));
	END
	node check.js "$(truth pid)"
	grep -E '^pprof-collect: [0-9]+ thread creations, 0 missed$' said
}

@test "the output without --json" {
	vm <<-'END'
		pprof-collect audit >audit & pid=$!
		await '[[ -s audit ]]'
		clones --raw 10 >/dev/null & echo "pid=$!" >truth
		wait $!
		kill -TERM $pid
		wait $pid
	END
	head -n 1 audit | grep -E '^TIME +PID +TID +NEW TID +UID +COMM$'
	pid=$(truth pid)
	[ "$(grep -cE "^[0-9-]{10} [0-9:.]{15} +$pid +$pid +[0-9]+ +0  clones$" audit)" -eq 10 ]
}

@test "--pid and --comm" {
	vm <<-'END'
		hold 'exec clones --raw 20 >/dev/null'
		pprof-collect audit --json --pid $pid >by-pid 2>/dev/null &
		pprof-collect audit --json --comm stormer >by-comm 2>/dev/null &
		await '[[ $(</sys/module/pprof/refcnt) -ge 2 ]]'
		clones --raw 30 >/dev/null
		release
		wait %1
		stormer 0.1 >truth
		kill -INT %2 %3
		all_well %2 %3
	END
	[ "$(grep -c '"comm":"clones"' by-pid)" -eq 20 ]
	[ "$(wc -l <by-pid)" -eq 20 ]
	[ "$(grep -c '"comm":"stormer"' by-comm)" -eq "$(truth created)" ]
	[ "$(wc -l <by-comm)" -eq "$(truth created)" ]
}

@test "--stacks" {
	vm <<-'END'
		hold 'clones --raw 10 >/dev/null; sleep 0.5'
		pprof-collect audit --json --stacks --comm clones >audit.json &
		pprof-collect audit --stacks --comm clones >audit &
		# Each of the two has a session and a listener.
		await '[[ $(</sys/module/pprof/refcnt) -ge 4 ]]'
		release
		wait %1
		kill -INT %2 %3
		all_well %2 %3
	END
	cat >check.js <<-'END'
		const assert = require('assert');
		const lines = require('fs').readFileSync('audit.json', 'utf8').trim().split('\n');
		assert.equal(lines.length, 10);
		const stacks = lines.map((line) => JSON.parse(line).stack.map((f) => f.function).join(' '));
		const sites = { site_a: 5, site_b: 3, site_c: 2 };
		for (const site in sites)
			assert.equal(stacks.filter((s) =>
				s.startsWith(`raw_clone create ${site} create_all main`)).length, sites[site]);
		assert(lines.every((line) => JSON.parse(line).stack[0].file.endsWith('clones.c')));
	END
	node check.js
	[ "$(grep -c ' raw_clone ' audit)" -eq 10 ]
}

# The work item that sends the messages may run on CPU 1 only, where the hog does not let it
# run.
@test "creations before the end are reported, even if their messages come late" {
	vm <<-'END'
		taskset -pc 0 $$ >/dev/null
		echo 2 >/sys/devices/virtual/workqueue/cpumask
		pprof-collect audit --json --comm clones >audit.json 2>said &
		await '[[ $(</sys/module/pprof/refcnt) -ge 1 ]]'
		taskset -c 1 chrt -f 1 bash -c 'while :; do :; done' & hog=$!
		await 'chrt -p $hog | grep -q SCHED_FIFO'
		clones --raw 10 >/dev/null
		kill -INT %1
		sleep 0.5
		kill -KILL $hog
		wait %1
		echo 3 >/sys/devices/virtual/workqueue/cpumask
	END
	[ "$(wc -l <audit.json)" -eq 10 ]
	grep -E '^pprof-collect: 10 thread creations, 0 missed$' said
}

# 24,000 messages do not fit into the 16 MiB of the socket, which has room for 13,100 of them
# on 7.3. The next message that fits has the number of those that did not.
# bats test_tags=once
@test "a listener that falls behind learns how many creations it missed" {
	LIMIT=300 vm <<-'END'
		pprof-collect audit --json >audit.json 2>said & pid=$!
		await '[[ $(</sys/module/pprof/refcnt) -ge 1 ]]'
		clones --raw 10 >/dev/null
		kill -STOP $pid
		clones --raw 24000 >/dev/null
		kill -CONT $pid
		await 'clones --raw 10 >/dev/null; grep -q missed audit.json'
		kill -INT $pid
		wait $pid
	END
	cat >check.js <<-'END'
		const assert = require('assert');
		const lines = require('fs').readFileSync('audit.json', 'utf8').trim().split('\n');
		const all = lines.map(JSON.parse);
		const received = all.filter((c) => c.seq);
		const missed = all.reduce((sum, c) => sum + (c.missed || 0), 0);
		assert(missed > 0);
		assert.equal(received.length + missed, received.at(-1).seq - received[0].seq + 1);
		assert(received.length + missed >= 24020);
		console.log(`missed=${missed}`);
	END
	node check.js >missed
	grep -E "^pprof-collect: [0-9]+ thread creations, $(truth missed missed) missed$" said
}

@test "a listener that is killed does not keep the module in use" {
	vm <<-'END'
		pprof-collect audit >/dev/null &
		await '[[ $(</sys/module/pprof/refcnt) -ge 1 ]]'
		fails rmmod pprof 2>/dev/null
		kill -KILL %1
		await '[[ $(</sys/module/pprof/refcnt) -eq 0 ]]'
		rmmod pprof
		insmod $module
	END
}
