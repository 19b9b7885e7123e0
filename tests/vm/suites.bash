# shellcheck shell=bash
# Functions that find and download the packages of any Debian suite. The package lists are in
# the cache. apt's sources on this machine are neither used nor changed. Root is not needed.

cache=${PPROF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pprof}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=http://deb.debian.org

die() { echo "${0##*/}: $*" >&2; exit 1; }

# Ends the script if the disk lacks room. If the disk fills up later, the command that fails
# then may name another cause.
need_room() { # MEGABYTES
	local free
	mkdir -p "$cache"
	free=$(df --output=avail -m "$cache" | tail -n 1)
	[[ $free -ge $1 ]] ||
		die "$cache has ${free// /} MB free and needs $1: make room there, or set PPROF_CACHE to another folder."
}

suite_sources() { # SUITE
	local name names=("$1")
	case $1 in
	experimental) names=(sid experimental) ;;
	*-backports) names=("${1%-backports}" "$1") ;;
	esac
	for name in "${names[@]}"; do
		echo "deb [signed-by=$keyring] $mirror/debian $name main"
	done
	[[ $1 = sid || $1 = experimental ]] ||
		echo "deb [signed-by=$keyring] $mirror/debian-security ${1%-backports}-security main"
}

# Runs apt-get or apt-cache with this suite alone. Sandbox::User: apt's own user cannot
# write to the cache, and apt prints long warnings about that.
suite_apt() { # SUITE PROGRAM ARGUMENT...
	local dir=$cache/suites/$1
	"$2" -o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::Lists="$dir/lists" -o Dir::Cache="$dir/cache" \
		-o Dir::Cache::pkgcache=pkgcache.bin -o Dir::Cache::srcpkgcache=srcpkgcache.bin \
		-o APT::Sandbox::User=root -o APT::Default-Release= "${@:3}"
}

# Updates the lists of a suite if they are older than a day. Without a network, older lists
# are good enough.
suite_refresh() { # SUITE
	local dir=$cache/suites/$1 lock
	[[ -r $keyring ]] || die "$keyring is missing: install debian-archive-keyring."
	mkdir -p "$dir"/lists/partial "$dir"/cache/archives/partial
	exec {lock}>"$dir/lock"
	flock "$lock"
	if [[ ! $(find "$dir/updated" -mtime -1 2>/dev/null) ]]; then
		need_room 300
		suite_sources "$1" >"$dir/sources.list"
		if suite_apt "$1" apt-get -qq -o APT::Update::Error-Mode=any update >&2; then
			touch "$dir/updated"
		elif [[ ! -e $dir/updated ]]; then
			die "the package lists of Debian's $1 cannot be read from $mirror: check the network."
		fi
	fi
	exec {lock}>&-
}

suite_version() { # SUITE PACKAGE: prints its candidate version, or nothing
	suite_apt "$1" apt-cache show --no-all-versions "$2" 2>/dev/null |
		sed -n 's/^Version: //p' | head -n 1 || true
}

suite_depends() { # SUITE PACKAGE PATTERN: prints the first dependency that matches, or nothing
	suite_apt "$1" apt-cache depends "$2" 2>/dev/null |
		sed -nE "s/^[ |]*Depends: ($3)\$/\\1/p" | head -n 1 || true
}

suite_download() { # SUITE PACKAGE...: downloads into the current folder
	suite_apt "$1" apt-get -qq download "${@:2}" >&2 ||
		die "${*:2} of Debian's $1 cannot be downloaded: check the network and the disk."
}

# Kernels

# Prints all releases of a version that the suite has, the newest first, such as
# 6.12.117+deb12-amd64.
kernel_releases() { # SUITE VERSION FLAVOUR
	suite_apt "$1" apt-cache pkgnames "linux-headers-$2" |
		sed -nE "s/^linux-headers-(${2//./\\.}[-.][-.+0-9deb]*$3)\$/\\1/p" | sort -rV
}

kernel_header_packages() { # SUITE RELEASE
	local headers=linux-headers-$2
	echo "$headers"
	suite_depends "$1" "$headers" 'linux-headers-.*-common(-rt)?'
	suite_depends "$1" "$headers" 'linux-kbuild-.*'
}

# Makes unpacked headers work where they are, and after a move. Their packages expect to be
# installed in /usr/src.
relocate_headers() { # KDIR
	# shellcheck disable=SC2016 # make's variables
	sed -i -e 's|^KBUILD_OUTPUT=.*|KBUILD_OUTPUT:=$(abspath $(dir $(lastword $(MAKEFILE_LIST))))|' \
		-e 's|^include /usr/src/|include $(dir $(lastword $(MAKEFILE_LIST)))../|' "$1/Makefile"
}
