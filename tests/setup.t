#!/bin/bash
# Tests the packages that tests/setup installs, and its messages when it cannot. Scripts play
# the package managers, in a folder that is the whole PATH. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
number=0

play() { # COMMAND: makes a stand-in from the script on standard input
	{ echo '#!/bin/bash'; cat; } >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}

# Makes a Debian with gcc. Its apt knows make, and the second alternative of clang-rt.
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

setup() { # NAME...: sets code to the exit code, and said to the output
	code=0
	said=$(PATH=$work/bin tests/setup "$@" 2>&1) || code=$?
}

check() { # NAME COMMAND...
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

# The last line of the output is the message.
refuses() { # TEXT NAME...
	setup "${@:2}"
	[[ $code -eq 1 && ${said##*$'\n'} = 'setup: '*"$1"* ]]
}

echo 1..13
machine
check 'an installed package is left alone' does_nothing gcc
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
check 'another apt' refuses 'another apt is running' make
play apt-get <<<'echo "E: anything else" >&2; exit 100'
check 'another failure' refuses 'E: anything else' make
play id <<<'echo 1000'
check 'a user without sudo' refuses "there is no sudo: run 'apt install make' as root" make
play sudo <<<'exit 1'
check 'a user without the right' refuses "sudo refuses: run 'apt install make' as root" make
rm "$work/bin/apt-get"
play rpm <<<'exit 1'
check "Fedora's names" refuses "run 'dnf install gcc-c++ golang'" g++ go
rm "$work/bin/rpm"
setup gcc make
check 'neither apt nor dnf' test "$code: $said" = \
	'0: setup: this machine has neither apt nor dnf: check by hand that it has gcc make.'
