#compdef pprof-collect
# SPDX-License-Identifier: GPL-2.0
# Completion of pprof-collect(8) for zsh.

_pprof_collect_pid() { _sequence _pids }
_pprof_collect_profile() {
	_values -s , 'profile type' cpu wall threadcreate thread block mutex growth heap allocs all
}
_pprof_collect_labels() { _values -s , label pid tid thread cpu comm cgroup container pod unit resource trace }

_pprof_collect_audit() {
	_arguments $common \
		'(-p --pid)'{-p+,--pid=}'[show threads that this process creates]:process:_pids' \
		'--comm=[show threads whose creator has this name]:name:' \
		'--stacks[print the stack of the creator]' \
		'--json[print one JSON object a line]' \
		'(-s --seconds)'{-s+,--seconds=}'[end after a time]:seconds:'
}

_pprof_collect_list() {
	_arguments $common \
		'(-p --pid)'{-p+,--pid=}'[show the profiles of this process]:process:_pids'
}

_pprof_collect_serve() {
	_arguments $common \
		'(-p --pid)'{-p+,--pid=}'[serve profiles of these processes]:processes:_pprof_collect_pid' \
		'(-a --all)'{-a,--all}'[serve profiles of every process]' \
		'--comm=[serve profiles of processes of such names]:regular expression:' \
		'--cgroup=[serve profiles of the processes of a cgroup]:cgroup:_files -W /sys/fs/cgroup -/' \
		'--profile=[count events of these types from the start]:profile types:_pprof_collect_profile' \
		'--listen=[listen there]:address and port:' \
		'--unix=[listen on a socket in the file system]:socket:_files' \
		'--host=[allow these names in Host]:names:' \
		'--token-file=[refuse clients without this token]:file:_files' \
		'--tls-cert=[use TLS with this certificate]:PEM file:_files' \
		'--tls-key=[the key of the certificate]:PEM file:_files' \
		'--insecure[let everyone read the profiles]'
}

_pprof_collect_doctor() {
	_arguments $common \
		'(-p --pid)'{-p+,--pid=}'[check what profiles of this process lack]:process:_pids'
}

_pprof_collect_status() { _arguments $common }

_pprof_collect_cfi() {
	_arguments $common \
		'--check[compare each row with libdw]' \
		'*:ELF file:_files'
}

_pprof_collect_top() {
	_arguments $common $output $values $graph $nodes $frames $filters \
		'*:profile:_files'
}

_pprof_collect_tree() {
	_arguments $common $output $values $graph $nodes $frames $filters \
		'--edgefraction=[leave out smaller calls]:part of the total:' '*:profile:_files'
}

_pprof_collect_peek() {
	_arguments $common $output $values $graph $frames $filters \
		'1:regular expression:' '*:profile:_files'
}

_pprof_collect_traces() {
	_arguments $common $output $values $frames $filters '*:profile:_files'
}

_pprof_collect_tags() {
	_arguments $common $output $values $filters '*:profile:_files'
}

_pprof_collect_raw() {
	_arguments $common $output $filters '*:profile:_files'
}

_pprof_collect_filter() { _pprof_collect_raw }

_pprof_collect_flame() {
	_arguments $common $output $filters \
		'--type=[show this sample type first]:sample type:' '*:profile:_files'
}

_pprof_collect_convert() {
	_arguments $common $output $filters \
		'--to=[write this format]:format:(folded speedscope text pprof firefox otlp)' \
		'--type=[write or show this sample type]:sample type:' '*:profile:_files'
}

_pprof_collect_merge() { _arguments $common $output '*:profile:_files' }
_pprof_collect_comments() { _pprof_collect_merge }

_pprof_collect_diff() {
	_arguments $common $output \
		'--normalize[scale the new profile to the total of the base]' \
		'1:base:_files' '2:profile:_files' \
		'3:report:(top tree peek traces tags raw flame)' '*::option:_files'
}

_pprof_collect_check() {
	_arguments $common \
		'--for=[check what this reader takes]:reader:(parca pyroscope speedscope)' \
		'*:profile:_files'
}

_pprof_collect_push() {
	_arguments $common $backend \
		'*--to=[send to this backend]:backend:(pyroscope= parca= otlp= http= s3=)' \
		'*:profile:_files'
}

_pprof_collect_take() {
	_arguments $common $backend \
		'*--push=[send to this backend]:backend:(pyroscope= parca= otlp= http= s3=)' \
		'--push-spool=[keep what is not sent in]:folder:_files -/' \
		'(-p --pid)'{-p+,--pid=}'[profile these processes]:processes:_pprof_collect_pid' \
		'(-a --all)'{-a,--all}'[profile every process]' \
		'--cgroup=[profile the processes of a cgroup]:cgroup:_files -W /sys/fs/cgroup -/' \
		'--children[profile the children, too]' \
		'(-s --seconds)'{-s+,--seconds=}'[end after a time]:seconds:' \
		'--profile=[take profiles of these types]:type:_pprof_collect_profile' \
		'--hz=[cpu, wall\: samples a second]:number:' \
		'--block-rate=[block\: sample waits shorter than this]:nanoseconds:' \
		'--mutex-fraction=[mutex\: sample one of so many]:number:' \
		'--growth-rate=[growth\: memory between two samples]:bytes:' \
		'--heap-rate=[heap, allocs\: memory between two samples]:bytes:' \
		'--live[threadcreate\: add which threads are alive]' \
		'(-o --output)'{-o+,--output=}'[write to a file]:file:_files' \
		'--labels=[label the samples]:label:_pprof_collect_labels' \
		'--buffer-pages=[buffer of each CPU]:pages:' \
		'--max-stacks=[keep at most so many stacks]:number:' \
		'--kernel[add functions of the kernel]' \
		'--unwind=[find callers by]:method:(table fp)' \
		'--max-frames=[cut stacks after so many frames]:number:' \
		'--debug=[write text]:level:(0 1 2)' \
		'--drop-frames=[let readers hide functions]:regular expression:' \
		'--flame=[write a flame graph, too]:file:_files' \
		'--top=[print so many functions at the end]:number:' \
		'--keep-frames=[do not hide these functions]:regular expression:' \
		'--every=[write a profile for each window]:time, such as 10s:' \
		'--dir=[folder of the windows]:folder:_files -/' \
		'--by=[a file for each]:what:(process comm cgroup)' \
		'--keep=[keep these windows]:number, 24h or 10GB:' \
		'(-q --quiet)'{-q,--quiet}'[print warnings and errors only]' \
		'(-)1:program:_command_names -e' \
		'*::argument:_normal'
}

_pprof_collect() {
	local -a common=(
		'(- *)'{-\?,--help}'[show the options]'
		'(- *)--usage[show the options in short]'
		'(- *)'{-V,--version}'[show the version]'
	)
	local -a output=(
		'(-o --output)'{-o+,--output=}'[write to a file]:file:_files'
	)
	local -a backend=(
		'*--push-auth=[secret for the backend before]:file:_files'
		'*--push-tenant=[tenant at the backend before]:name:'
		'*--push-cert=[client certificate for the backend before]:file:_files'
		'*--push-key=[key of that certificate]:file:_files'
		'*--push-ca=[certificates of servers to trust]:file:_files'
		'*--push-region=[region of the s3 backend before]:name:'
		'*--label=[send with this label]:name=value:'
	)
	local -a values=(
		'--type=[show this sample type]:sample type:'
		'--unit=[print values in this unit]:unit:'
		'--mean[divide values by the first sample type]'
		'--divide-by=[divide values by a number]:number:'
	)
	local -a graph=(
		'--cum[sort by cumulative values]'
		'--drop-negative[leave out negative functions]'
		'--relative-percentages[100 % is what the filters leave]'
		'--compact-labels[leave out the first lines]'
		'--trim-path=[leave out these folders of source files]:folders:'
	)
	local -a nodes=(
		'(-n --nodecount)'{-n+,--nodecount=}'[show so many functions]:number:'
		'--nodefraction=[leave out smaller functions]:part of the total:'
		'--trim=[false: no limits]:bool:(true false)'
	)
	local -a frames=(
		'--functions[show functions by name]'
		'--filefunctions[tell functions in two files apart]'
		'--files[show source files]'
		'--lines[show lines of source files]'
		'--addresses[show addresses]'
		'--noinlines[show no inlined functions]'
		'--showcolumns[tell columns apart]'
	)
	local -a filters=(
		'--focus=[keep samples with such a function]:regular expression:'
		'--ignore=[drop samples with such a function]:regular expression:'
		'--hide=[leave out such frames]:regular expression:'
		'--show=[leave out all other frames]:regular expression:'
		'--show-from=[begin stacks with such a frame]:regular expression:'
		'--prune-from=[end stacks with such a frame]:regular expression:'
		'--tagfocus=[keep samples with such a label]:label:'
		'--tagignore=[drop samples with such a label]:label:'
		'--tagshow=[leave out all other labels]:regular expression:'
		'--taghide=[leave out such labels]:regular expression:'
		'--tagroot=[begin stacks with these labels]:keys:'
		'--tagleaf=[end stacks with these labels]:keys:'
		'--all-frames[show what the profile drops]'
		'*--diff-base=[subtract a profile of another run]:base:_files'
		'*--base=[subtract an earlier profile of the run]:base:_files'
		'--normalize[scale the profile to the total of the base]'
	)
	local -a commands=(
		'audit:follow thread creations'
		'status:show the sessions of the module'
		'list:show the profiles of a process'
		'serve:serve profiles by HTTP'
		'doctor:check what profiles need'
		'cfi:show the unwind tables of files'
		'top:print the functions with the largest values'
		'tree:print functions with callers and callees'
		'peek:print some functions with callers and callees'
		'traces:print each stack'
		'tags:print labels and their values'
		'comments:print the comments of profiles'
		'raw:print all tables of a profile'
		'flame:draw a profile as a flame graph'
		'merge:add profiles up'
		'diff:subtract a profile from another one'
		'filter:write a part of a profile'
		'convert:write a profile in another format'
		'check:check whether profiles are valid'
		'push:send profiles to a backend'
	)
	if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
		_describe command commands
		return
	fi
	case $words[2] in
	(audit|status|list|serve|doctor|cfi|top|tree|peek|traces|tags|comments|raw|flame|merge|diff|filter|convert|check|push)
		local command=$words[2]
		shift words
		(( CURRENT-- ))
		_pprof_collect_$command
		;;
	(*) _pprof_collect_take ;;
	esac
}

_pprof_collect "$@"
