#!/bin/bash
# Checks the units of the package and the files in packaging/examples as far as that is possible without systemd as process 1
# and without Kubernetes. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."

number=0
examples=$PWD/packaging/examples
collect=$PWD/pprof-collect
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { # NAME COMMAND...
	number=$((number + 1))
	"${@:2}" >"$work/out" 2>&1 || { sed 's/^/# /' "$work/out"; printf 'not '; }
	echo "ok $number - $1"
}

skip() { # NAME REASON
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# The units as they are installed for nginx. systemd-analyze wants the program to be there.
make_units() {
	local unit
	for unit in pprof-service@.service pprof-service@nginx.service; do
		sed "s|/usr/bin/pprof-collect|$collect|" "$examples/pprof-service@.service" >"$work/$unit"
	done
	printf '[Service]\nExecStart=/bin/true\n' >"$work/nginx.service"
	sed "s|@PREFIX@/bin/pprof-collect|$collect|" packaging/pprof-serve.service.in \
		>"$work/pprof-serve.service"
	cp packaging/pprof-serve.socket "$work"
}

analyze() { # UNIT SUBCOMMAND ARGUMENT...
	(cd "$work" && SYSTEMD_UNIT_PATH=$work: systemd-analyze "${@:2}" "./$1")
	[[ $2 != verify || ! -s $work/out ]]
}

arguments_of() { # UNIT
	sed -n '/^ExecStart=/{ :a; /\\$/{ N; ba }; s/^ExecStart=[^ ]*//; s/\\\n//g; s/%i/nginx/g; p }' \
		"$work/$1" | xargs -n 1
}

# The service has no other capabilities, and is no root.
has_two_capabilities() {
	[[ $(grep -c '=CAP_PERFMON CAP_SYS_PTRACE$' "$work/pprof-serve.service") -eq 2 ]] &&
		grep -x DynamicUser=yes "$work/pprof-serve.service"
}

# The lines of the list "command", without the program.
arguments_of_manifest() {
	sed -n '/^ *command:/,/^ *securityContext:/{ s/^ *- //p }' "$examples/pprof-daemonset.yaml" |
		tail -n +2
}

# The options are right if the run fails later: there is no such cgroup, folder or token here.
takes() { # COMMAND...
	local arguments code=0
	mapfile -t arguments < <("$@")
	printf '%s\n' "${arguments[@]}"
	[[ ${#arguments[@]} -gt 3 ]]
	"$collect" "${arguments[@]}" || code=$?
	[[ $code -eq 1 ]]
}

# Each mount has its volume. The device and the processes are those of the host.
check_manifest() {
	python3 - "$examples/pprof-daemonset.yaml" <<-'END'
		import sys, yaml
		manifest, = yaml.safe_load_all(open(sys.argv[1]))
		assert (manifest["apiVersion"], manifest["kind"]) == ("apps/v1", "DaemonSet")
		spec = manifest["spec"]
		pod = spec["template"]["spec"]
		labels = spec["template"]["metadata"]["labels"]
		assert spec["selector"]["matchLabels"].items() <= labels.items()
		assert pod["hostPID"] is True
		volumes = {v["name"]: v["hostPath"]["path"] for v in pod["volumes"]}
		container, = pod["containers"]
		mounts = {m["name"]: m["mountPath"] for m in container["volumeMounts"]}
		assert volumes.keys() == mounts.keys()
		assert volumes["device"] == mounts["device"] == "/dev/pprof"
		assert volumes["cgroup"] == "/sys/fs/cgroup"
		options = dict(o.split("=") for o in container["command"] if "=" in o)
		assert options["--cgroup"].startswith(mounts["cgroup"] + "/")
		assert options["--dir"] == mounts["profiles"]
	END
}

make_units
for unit in pprof-service@nginx.service pprof-serve.service; do
	if command -v systemd-analyze >/dev/null; then
		check "systemd knows all settings of $unit" analyze "$unit" verify --man=no
		check "the exposure of $unit is under 2.0" analyze "$unit" security --offline=true \
			--threshold=19
	else
		skip "systemd knows all settings of $unit" 'there is no systemd-analyze'
		skip "the exposure of $unit is under 2.0" 'there is no systemd-analyze'
	fi
	check "pprof-collect takes the options of $unit" takes arguments_of "$unit"
done
check 'the server has two capabilities' has_two_capabilities
if python3 -c 'import yaml' 2>/dev/null; then
	check 'the manifest is consistent' check_manifest
else
	skip 'the manifest is consistent' 'python3 has no module yaml'
fi
check 'pprof-collect takes the options of the manifest' takes arguments_of_manifest
echo "1..$number"
