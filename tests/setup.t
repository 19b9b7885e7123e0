#!/bin/bash
# What tests/setup installs and how it says that it cannot, as TAP. The package managers
# are played by scripts in a folder that is all of PATH.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
number=0

play() { # COMMAND: its script is on standard input
	{ echo '#!/bin/bash'; cat; } >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}

# Debian with gcc, whose apt knows the packages of the second clang-rt.
machine() {
	local tool
	rm -rf "${work:?}"/*
	mkdir "$work/bin"
	for tool in bash env grep mktemp rm tail tr; do ln -s "$(command -v "$tool")" "$work/bin"; done
	play id <<<'echo 0'
	play dpkg-query <<<'echo "gcc=installed make=config-files "'
	# shellcheck disable=SC2016 # the script's
	play apt-cache <<<'[[ ${!#} = libclang-rt-19-dev || ${!#} = make ]]'
	play apt-get <<<"echo \"\$*\" >>'$work/asked'"
	: >"$work/asked"
}

setup() { # NAME...: code is its exit code, said what it says
	code=0
	said=$(PATH=$work/bin tests/setup "$@" 2>&1) || code=$?
}

check() { # WHAT COMMAND...
	number=$((number + 1))
	"${@:2}" || printf 'not '
	echo "ok $number - $1"
	[[ ! $said ]] || echo "# ${said//$'\n'/$'\n'# }"
}

installs() { # PACKAGES NAME...
	setup "${@:2}"
	[[ $code -eq 0 && $(<"$work/asked") = *" update"*" $1" ]]
}

does_nothing() { # NAME...
	setup "$@"
	[[ $code -eq 0 && ! $said && ! -s $work/asked ]]
}

# The last line is the sentence.
refuses() { # TEXT NAME...
	setup "${@:2}"
	[[ $code -eq 1 && ${said##*$'\n'} = 'setup: '*"$1"* ]]
}

echo 1..13
machine
check 'what is installed is left alone' does_nothing gcc
check 'the first alternative that apt knows' installs libclang-rt-19-dev gcc clang-rt
machine
check 'each package once' installs make make make
machine
play clang </dev/null
check 'a command from elsewhere will do' does_nothing clang
check 'a name without a line' refuses 'add a line' spanner
check 'apt knows no alternative' refuses 'install it by hand' libtcmalloc
play apt-get <<<'echo "E: Temporary failure resolving deb.debian.org" >&2; exit 100'
check 'no network' refuses 'check the network' make
play apt-get <<<'echo "E: Could not get lock /var/lib/dpkg/lock" >&2; exit 100'
check 'another apt' refuses 'another apt is at work' make
play apt-get <<<'echo "E: anything else" >&2; exit 100'
check 'another failure' refuses 'E: anything else' make
play id <<<'echo 1000'
check 'a user without sudo' refuses "run this as root, or there 'apt install make'" make
play sudo <<<'exit 1'
check 'a user who may not' refuses 'sudo refuses' make
rm "$work/bin/apt-get"
play rpm <<<'exit 1'
check "Fedora's names" refuses "run 'dnf install gcc-c++ golang'" g++ go
rm "$work/bin/rpm"
setup gcc make
check 'neither apt nor dnf' test "$code: $said" = \
	'0: setup: neither apt nor dnf is here; see that these are: gcc make'
