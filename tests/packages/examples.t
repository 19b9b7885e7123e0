#!/bin/bash
# Checks the files in packaging/examples as far as that is possible without systemd as process 1
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
}

analyze() { # SUBCOMMAND ARGUMENT...
	(cd "$work" && SYSTEMD_UNIT_PATH=$work: systemd-analyze "$@" ./pprof-service@nginx.service)
	[[ $1 != verify || ! -s $work/out ]]
}

arguments_of_unit() {
	sed -n '/^ExecStart=/,/[^\\]$/p' "$examples/pprof-service@.service" |
		sed 's/^ExecStart=[^ ]*//; s/\\$//; s/%i/nginx/g' | xargs -n 1
}

# The lines of the list "command", without the program.
arguments_of_manifest() {
	sed -n '/^ *command:/,/^ *securityContext:/{ s/^ *- //p }' "$examples/pprof-daemonset.yaml" |
		tail -n +2
}

# The options are right if the run fails later: there is no such cgroup or folder here.
takes() { # FUNCTION
	local arguments code=0
	mapfile -t arguments < <("$1")
	printf '%s\n' "${arguments[@]}"
	[[ ${#arguments[@]} -gt 5 ]]
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
if command -v systemd-analyze >/dev/null; then
	check 'systemd knows all settings of the unit' analyze verify --man=no
	check 'the exposure of the unit is under 2.0' analyze security --offline=true --threshold=19
else
	skip 'systemd knows all settings of the unit' 'there is no systemd-analyze'
	skip 'the exposure of the unit is under 2.0' 'there is no systemd-analyze'
fi
if python3 -c 'import yaml' 2>/dev/null; then
	check 'the manifest is consistent' check_manifest
else
	skip 'the manifest is consistent' 'python3 has no module yaml'
fi
check 'pprof-collect takes the options of the unit' takes arguments_of_unit
check 'pprof-collect takes the options of the manifest' takes arguments_of_manifest
echo "1..$number"
