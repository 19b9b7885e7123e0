#!/bin/bash
# Follows doctor's advice about packages. Prints TAP. Needs root or sudo, and the network.
#
# Each problem is made in a copy of a minimal Debian 12. The command that doctor prints in
# quotes is run as root there, and then the check must be ok. A test in a VM is here, too:
# a kernel with kernel.modules_disabled=1, which cannot be reset until the next boot.
# tests/e2e/cases/doctor.bats has the other tests that need the module.
set -euo pipefail
cd "${BASH_SOURCE[0]%/*}/.."

dir=$(mktemp -d)
root=$dir/root
number=0

cleanup() {
	local sudo=()
	[[ $(id -u) -eq 0 ]] || sudo=(sudo)
	"${sudo[@]}" rm -rf "$dir"
}
trap cleanup EXIT

check() { # NAME COMMAND...
	local result=ok
	number=$((number + 1))
	"${@:2}" >"$dir/said" 2>&1 || result='not ok'
	echo "$result $number - $1"
	[[ $result = ok ]] || sed 's/^/# /' "$dir/said"
}

in_root() { # COMMAND...
	SHARE=$dir/given tests/root in "$root" "$@"
}

# Builds a library for LD_PRELOAD: uname() reports the kernel release RELEASE.
build_uname() {
	gcc -shared -fPIC -o "$dir/given/uname.so" -x c - <<-'END'
		#include <stdlib.h>
		#include <string.h>
		#include <sys/syscall.h>
		#include <sys/utsname.h>
		#include <unistd.h>

		int uname(struct utsname *name)
		{
			int err = syscall(SYS_uname, name);

			strcpy(name->release, getenv("RELEASE"));
			return err;
		}
	END
}

# Makes a /proc as root sees it on a machine whose kernel has modules.
build_proc() {
	mkdir -p "$dir/given/proc/self/ns"
	: >"$dir/given/proc/modules"
	printf 'Name:\tdoctor\nCapEff:\t000001ffffffffff\n' >"$dir/given/proc/self/status"
	ln -s 'user:[4026531837]' "$dir/given/proc/self/ns/user"
	ln -s 'pid:[4026531836]' "$dir/given/proc/self/ns/pid"
}

# Makes the root. The collector gets this machine's libraries, but not its libc and libm.
build_root() {
	local base
	base=$(tests/root path bookworm)
	mkdir -p "$dir/given/lib"
	cp pprof-collect "$dir/given"
	ldd pprof-collect | awk '$3 ~ /^\// && $1 !~ /^lib(c|m)\.so/ { print $3 }' |
		xargs -I{} cp -L {} "$dir/given/lib"
	build_uname
	build_proc
	cat >"$dir/given/doctor" <<-END
		#!/bin/sh
		mount --bind $dir/given/proc /proc
		LD_LIBRARY_PATH=$dir/given/lib LD_PRELOAD=$dir/given/uname.so \
			exec $dir/given/pprof-collect doctor
	END
	chmod 755 "$dir" "$dir/given/doctor"
	cp -a --reflink=auto "$base" "$root" 2>/dev/null || sudo cp -a "$base" "$root"
	in_root sh -c 'echo "APT { Get { Assume-Yes 1; } Install-Recommends 0; }
		Dpkg::Use-Pty 0; quiet 2;" >/etc/apt/apt.conf.d/90test'
}

doctor() { # RELEASE
	in_root env "RELEASE=$1" "$dir/given/doctor"
}

# Prints the quoted command of a check's line. Fails if there is no such line with WORDS.
advice() { # RELEASE CHECK WORDS
	local line
	line=$(doctor "$1" | grep -E "^(problem|warning) +$2 ") || true
	echo "$line" >&2
	[[ $line = *"$3"* && $line = *"run '"* ]] || return
	line=${line#*"run '"}
	echo "${line%%"'"*}"
}

follow() { # RELEASE CHECK WORDS
	local command
	command=$(advice "$@") || return
	echo "$command" >>"$dir/followed"
	# INITRD=No: this root is never booted.
	in_root env DEBIAN_FRONTEND=noninteractive INITRD=No sh -c "$command"
}

is_ok() { # RELEASE CHECK
	doctor "$1" >"$dir/lines" || true
	cat "$dir/lines"
	grep -qE "^ok +$2 " "$dir/lines"
}

# The check is not ok, and the advice corrects that, for the same kernel release.
mends() { # RELEASE CHECK WORDS
	! is_ok "$1" "$2" && follow "$@" && is_ok "$1" "$2"
}

# Prints the newest release of the kernel 6.1 in Debian 12.
find_release() {
	in_root apt-cache pkgnames linux-headers-6.1 |
		sed -nE 's/^linux-headers-(6\.1\.[-0-9]+-amd64)$/\1/p' | sort -V | tail -n 1
}

empty_lists() {
	in_root sh -c 'rm -rf /var/lib/apt/lists/*'
	follow 6.1.0-1-amd64 headers 'apt has no package lists' &&
		advice 6.1.0-1-amd64 headers 'apt has none for 6.1.0-1-amd64 any more'
}

# The advice installs another kernel. It must be in /boot, where the boot loader finds it, and
# doctor must find its headers.
old_release() {
	local new
	follow 6.1.0-1-amd64 headers 'apt has none for 6.1.0-1-amd64 any more' || return
	new=$(sed -nE 's/.* linux-headers-([^ ]*)$/\1/p' "$dir/followed" | tail -n 1)
	echo "installed $new"
	in_root test -e "/boot/vmlinuz-$new" && is_ok "$new" headers && is_ok "$new" config
}

unknown_config() { # RELEASE
	in_root rm -f "/boot/config-$1" &&
		[[ $(doctor "$1") = *"config     not known, as /boot has no config-$1"* ]]
}

missing_compiler() { # RELEASE
	in_root dpkg --purge --force-depends gcc-12
	mends "$1" compiler 'the headers want gcc-12, which is not installed'
}

# Adds a minimal module to DKMS.
# shellcheck disable=SC2016 # make's and the root's
add_to_dkms() {
	in_root apt-get install dkms >/dev/null
	in_root sh -ec 'mkdir -p /usr/src/pprof-1
		cd /usr/src/pprof-1
		echo "obj-m := pprof.o" >Kbuild
		printf "#include <linux/module.h>\nMODULE_LICENSE(\"GPL\");\n" >pprof.c
		cat >dkms.conf <<-END
			PACKAGE_NAME=pprof
			PACKAGE_VERSION=1
			BUILT_MODULE_NAME=pprof
			DEST_MODULE_LOCATION=/updates/dkms
			MAKE="make -C \$kernel_source_dir M=\$dkms_tree/pprof/1/build modules"
			CLEAN=true
			AUTOINSTALL=yes
		END
		dkms add pprof/1'
}

installed_by_dkms() { # RELEASE
	follow "$1" module "DKMS has not built version 1 for this kernel" &&
		[[ $(doctor "$1") = *"module     not loaded: run 'modprobe pprof' as root"* ]]
}

# shellcheck disable=SC2016 # the root's
failed_in_dkms() { # RELEASE
	local said log
	in_root sh -ec 'dkms uninstall pprof/1 -k "$1"
		dkms unbuild pprof/1 -k "$1"
		echo "#error broken" >>/var/lib/dkms/pprof/1/source/pprof.c
		! dkms autoinstall -k "$1"' sh "$1" || return
	said=$(doctor "$1") || true
	echo "$said"
	log=$(sed -nE 's/.* could not build version 1 for this kernel: see (.*)/\1/p' <<<"$said")
	in_root grep -q 'error broken' "$log"
}

# Runs in a VM, because this sysctl cannot be reset.
modules_disabled() {
	local job='echo 1 >/proc/sys/kernel/modules_disabled; ./pprof-collect doctor || true'
	tests/vm/run -k 6.12 -- sh -c "$job" >"$dir/lines"
	cat "$dir/lines"
	grep -q '^problem  module     not loaded, and kernel.modules_disabled=1 ' "$dir/lines" || return
	tests/vm/run -k 6.12 -- ./pprof-collect doctor >"$dir/lines" || true
	! grep modules_disabled "$dir/lines"
}

main() {
	local release
	echo 1..10
	build_root >"$dir/said" 2>&1 || { sed 's/^/# /' "$dir/said"; exit 1; }
	check 'apt without lists: update' empty_lists
	release=$(find_release)
	check 'no debug files' mends "$release" 'debug info' 'stripped files have names'
	check 'an unknown configuration' unknown_config "$release"
	check 'no headers' mends "$release" headers 'not installed: run'
	check 'the configuration that comes with them' is_ok "$release" config
	check 'no compiler' missing_compiler "$release"
	check 'a release that has left the archive' old_release
	add_to_dkms >"$dir/said" 2>&1 || sed 's/^/# /' "$dir/said"
	check 'DKMS has not built the module' installed_by_dkms "$release"
	check 'DKMS could not build the module' failed_in_dkms "$release"
	check 'modules_disabled' modules_disabled
}

main
