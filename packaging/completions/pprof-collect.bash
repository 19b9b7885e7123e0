# SPDX-License-Identifier: GPL-2.0
# Completion of pprof-collect(8) for bash.

_pprof_collect_kinds='pyroscope= parca= otlp= http= s3='

_pprof_collect_backend() {
	echo --push-auth --push-tenant --push-cert --push-key --push-ca --push-region --label
}

_pprof_collect_options() { # COMMAND
	case $1 in
	audit) echo --pid --comm --stacks --json --seconds ;;
	list | doctor) echo --pid ;;
	serve)
		echo --pid --all --comm --cgroup --profile --listen --unix --host --token-file \
			--tls-cert --tls-key --insecure
		;;
	cfi) echo --check ;;
	push)
		_pprof_collect_backend
		echo --to
		;;
	flame)
		_pprof_collect_options raw
		echo --type
		return
		;;
	convert)
		_pprof_collect_options flame
		echo --to
		return
		;;
	merge | comments) echo --output ;;
	diff) echo --output --normalize ;;
	top | tree)
		_pprof_collect_options peek
		echo --nodecount --nodefraction --trim
		[[ $1 = top ]] || echo --edgefraction
		return
		;;
	peek)
		_pprof_collect_options traces
		echo --cum --drop-negative --relative-percentages --compact-labels --trim-path
		return
		;;
	traces)
		_pprof_collect_options tags
		echo --functions --filefunctions --files --lines --addresses --noinlines --showcolumns
		return
		;;
	tags)
		_pprof_collect_options raw
		echo --type --unit --mean --divide-by
		return
		;;
	raw | filter)
		echo --output --focus --ignore --hide --show --show-from --prune-from --tagfocus \
			--tagignore --tagshow --taghide --tagroot --tagleaf --all-frames --diff-base \
			--base --normalize
		;;
	check) echo --for ;;
	status) ;;
	*)
		_pprof_collect_backend
		echo --push --push-spool
		echo --pid --all --cgroup --children --seconds --profile --hz --block-rate \
			--mutex-fraction --growth-rate --heap-rate --live --output --labels \
			--buffer-pages --max-stacks --kernel --unwind --max-frames --debug \
			--drop-frames --keep-frames --flame --top --quiet --every --dir --keep --by
		;;
	esac
	echo --help --usage --version
}

# The last item of a list with commas.
_pprof_collect_list() { # WORD ITEM...
	local before='' word=$1
	[[ $word != *,* ]] || before=${word%,*}, word=${word##*,}
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "${*:2}" -- "$word")
}

_pprof_collect_value() { # OPTION WORD: fails if the option takes none that is known
	case $1 in
	--pid | -p) _pprof_collect_list "$2" "$(cd /proc && echo [0-9]*)" ;;
	--profile)
		_pprof_collect_list "$2" cpu wall threadcreate thread block mutex growth heap \
			allocs all
		;;
	--labels) _pprof_collect_list "$2" pid tid thread cpu comm cgroup container pod unit resource trace ;;
	--by) mapfile -t COMPREPLY < <(compgen -W 'process comm cgroup' -- "$2") ;;
	--cgroup) mapfile -t COMPREPLY < <(compgen -d -- "${2:-/sys/fs/cgroup/}") ;;
	--unwind) mapfile -t COMPREPLY < <(compgen -W 'table fp' -- "$2") ;;
	--push) mapfile -t COMPREPLY < <(compgen -W "$_pprof_collect_kinds" -- "$2") ;;
	--to)
		if [[ ${COMP_WORDS[1]} = push ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$_pprof_collect_kinds" -- "$2")
			return
		fi
		mapfile -t COMPREPLY < <(compgen -W 'folded speedscope text pprof firefox otlp' -- "$2")
		;;
	--for) mapfile -t COMPREPLY < <(compgen -W 'parca pyroscope speedscope' -- "$2") ;;
	--trim) mapfile -t COMPREPLY < <(compgen -W 'true false' -- "$2") ;;
	--debug) mapfile -t COMPREPLY < <(compgen -W '0 1 2' -- "$2") ;;
	--push-spool) mapfile -t COMPREPLY < <(compgen -d -- "$2") ;;
	--output | -o | --flame | --base | --diff-base | --unix | --token-file | --tls-* | --push-auth | \
		--push-cert | --push-key | --push-ca) compopt -o default ;;
	--dir) compopt -o dirnames ;;
	--seconds | -s | --every | --keep | --comm | --listen | --host | --hz | --*-rate | --mutex-fraction | --buffer-pages | \
		--type | --unit | --divide-by | --trim-path | --nodecount | -n | --*fraction | --focus | --ignore | --hide | --show | \
		--show-from | --prune-from | --tag* | --top | --max-stacks | --max-frames | --drop-frames | --keep-frames) ;;
	*) return 1 ;;
	esac
}

# Where the program to start stands, if there is one: after --.
_pprof_collect_program() { # prints its index
	local i
	for ((i = 1; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} != -- ]] || { echo $((i + 1)); return; }
	done
	return 1
}

# The shell makes words of --option=value: "--option", "=", "value".
_pprof_collect() { # PROGRAM WORD BEFORE
	local command=${COMP_WORDS[1]} word=$2 before=$3 program words
	COMPREPLY=()
	if program=$(_pprof_collect_program); then
		compopt -o default
		[[ $COMP_CWORD -gt $program ]] || mapfile -t COMPREPLY < <(compgen -c -- "$word")
		return
	fi
	[[ $word != '=' ]] || word='' before='='
	[[ $before != '=' ]] || before=${COMP_WORDS[COMP_CWORD - 1]}
	[[ $before != '=' ]] || before=${COMP_WORDS[COMP_CWORD - 2]}
	_pprof_collect_value "$before" "$word" && return
	if [[ $word = -* ]]; then
		words=$(_pprof_collect_options "$command")
	elif [[ $COMP_CWORD -eq 1 ]]; then
		words='audit status list serve doctor cfi top tree peek traces tags comments raw flame merge diff filter convert check push'
	elif [[ $command && ! $command =~ ^(-|audit$|status$|list$|serve$|doctor$) ]]; then
		compopt -o default
	fi
	mapfile -t COMPREPLY < <(compgen -W "${words-}" -- "$word")
}

complete -F _pprof_collect pprof-collect
