#!/bin/bash
# Tests that the man page and the completions have the options of "pprof-collect --help", and
# no others. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."

number=0
completions=$PWD/packaging/completions/pprof-collect
collect=$PWD/pprof-collect

check() { # NAME COMMAND...
	number=$((number + 1))
	"${@:2}" || printf 'not '
	echo "ok $number - $1"
}

options() { # prints the options in the text of standard input
	grep -oE -- '(^|[^a-z-])--[a-z][a-z-]*' | grep -oE -- '--.*' | sort -u
}

of_help() { # [COMMAND]
	"$collect" ${1:+"$1"} --help | grep -E '^ +(-., +)?--' | grep -oE -- '--[a-z-]+' | sort -u
}

of_bash() { # [COMMAND]
	bash -c '. "$1"
		compopt() { :; }
		COMP_WORDS=(pprof-collect ${2:+"$2"} --) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_pprof_collect pprof-collect -- "${COMP_WORDS[COMP_CWORD - 1]}"
		printf "%s\n" "${COMPREPLY[@]}"' bash "$completions.bash" "${1-}" | sort -u
}

# _arguments is the function of zsh that shows the choices. Here it prints them.
of_zsh() { # [COMMAND]
	zsh -fc '_arguments() { print -l -- "$@" }
		words=(pprof-collect ${2:+$2} --) CURRENT=$#words
		. $1' zsh "$completions.zsh" "${1-}" | sed 's/^([^)]*)//' | options
}

of_fish() { # [COMMAND]
	HOME=/nonexistent fish --no-config -c "source $completions.fish
		complete -C 'pprof-collect ${1:+$1 }--'" 2>/dev/null | options
}

same() { # SOURCE [COMMAND]
	diff <(of_help "${@:2}") <("$@") | sed 's/^/# /'
}

# Prints the values of an option: the message about a wrong value lists them.
values() { # OPTION
	"$collect" --pid 1 "$1" , 2>&1 | sed 's/.*: the [a-z ]* are//; s/, which is.*//' |
		sed 's/, or / /; s/ and / /g' | tr -s ', ' '\n' | grep . | sort -u
}

values_of_bash() { # OPTION
	bash -c '. "$1"; _pprof_collect_value "$2" ""; printf "%s\n" "${COMPREPLY[@]}"' \
		bash "$completions.bash" "$1" | sort -u
}

values_of_zsh() { # OPTION
	zsh -fc '_arguments() { :; }; _values() { print -l -- "${@:4}" }
		words=(pprof-collect -) CURRENT=2
		. $1; _pprof_collect_${2#--}' zsh "$completions.zsh" "$1" | sort -u
}

values_of_fish() { # OPTION
	HOME=/nonexistent fish --no-config -c "source $completions.fish
		complete -C 'pprof-collect $1 '" 2>/dev/null | cut -f 1 | sort -u
}

# The profile types that the page explains.
values_of_man() {
	sed -n '/^\.SH "PROFILE TYPES"/,/^\.SH COMMANDS/p' man/pprof-collect.8 |
		sed -nE '/^\.TP/{n; s/^\.(B|BR) ([a-z, "]+)$/\2/p}; s/^\.B (all)$/\1/p' |
		grep -oE '[a-z]+' | sort -u
}

lacks_none() { # SOURCE OPTION
	diff <(values "$2") <("$@" "$2") | sed 's/^/# /'
}

check 'the man page is of the option tables: make man' man/options --check
for source in of_bash of_zsh of_fish; do
	check "$source: a profile" same "$source"
	for command in audit list serve status doctor cfi top tree peek traces tags comments raw flame merge \
		diff filter convert check push; do
		check "$source: $command" same "$source" "$command"
	done
done
check 'values_of_man: --profile' lacks_none values_of_man --profile
for option in --profile --labels; do
	for source in values_of_bash values_of_zsh values_of_fish; do
		check "$source: $option" lacks_none "$source" "$option"
	done
done
echo "1..$number"
