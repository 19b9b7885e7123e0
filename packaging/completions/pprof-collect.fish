# SPDX-License-Identifier: GPL-2.0
# Completion of pprof-collect(8) for fish.

function __pprof_collect_is -d 'Is the command the first argument?'
    set -l words (commandline -opc)
    set -q words[2]; and contains -- $words[2] $argv
end

function __pprof_collect_takes -d 'Is this a profile, before the program to start?'
    set -l words (commandline -opc)
    not __pprof_collect_is audit status list serve doctor cfi top tree peek traces tags comments raw flame merge diff filter convert check push; and not contains -- -- $words
end

function __pprof_collect_starts -d 'Is this behind --?'
    contains -- -- (commandline -opc)
end

function __pprof_collect_list -d 'The last item of a list with commas'
    set -l before (string replace -rf '^(.*,).*$' '$1' -- (commandline -ct | string replace -r '^--?[a-z-]*=' ''))
    printf "$before%s\n" $argv
end

function __pprof_collect_pids
    __pprof_collect_list (__fish_complete_pids)
end

function __pprof_collect_program -d 'What completes the program to start and its arguments'
    set -l words (commandline -opc)
    set -l first (math (contains -i -- -- $words) + 1)
    complete -C (string join ' ' -- (string escape -- $words[$first..]) (commandline -ct))
end

complete -c pprof-collect -f
complete -c pprof-collect -n __fish_is_first_arg -a audit -d 'Follow thread creations'
complete -c pprof-collect -n __fish_is_first_arg -a status -d 'Show the sessions of the module'
complete -c pprof-collect -n __fish_is_first_arg -a list -d 'Show the profiles of a process'
complete -c pprof-collect -n __fish_is_first_arg -a serve -d 'Serve profiles by HTTP'
complete -c pprof-collect -n __fish_is_first_arg -a doctor -d 'Check what profiles need'
complete -c pprof-collect -n __fish_is_first_arg -a cfi -d 'Show the unwind tables of files'
complete -c pprof-collect -n __fish_is_first_arg -a top -d 'Print the functions with the largest values'
complete -c pprof-collect -n __fish_is_first_arg -a tree -d 'Print functions with callers and callees'
complete -c pprof-collect -n __fish_is_first_arg -a peek -d 'Print some functions with callers and callees'
complete -c pprof-collect -n __fish_is_first_arg -a traces -d 'Print each stack'
complete -c pprof-collect -n __fish_is_first_arg -a tags -d 'Print labels and their values'
complete -c pprof-collect -n __fish_is_first_arg -a comments -d 'Print the comments of profiles'
complete -c pprof-collect -n __fish_is_first_arg -a raw -d 'Print all tables of a profile'
complete -c pprof-collect -n __fish_is_first_arg -a filter -d 'Write a part of a profile'
complete -c pprof-collect -n __fish_is_first_arg -a convert -d 'Write a profile in another format'
complete -c pprof-collect -n __fish_is_first_arg -a flame -d 'Draw a profile as a flame graph'
complete -c pprof-collect -n __fish_is_first_arg -a merge -d 'Add profiles up'
complete -c pprof-collect -n __fish_is_first_arg -a diff -d 'Subtract a profile from another one'
complete -c pprof-collect -n __fish_is_first_arg -a check -d 'Check whether profiles are valid'
complete -c pprof-collect -n __fish_is_first_arg -a push -d 'Send profiles to a backend'

set -l all 'not __pprof_collect_starts'
complete -c pprof-collect -n $all -s '?' -l help -d 'Show the options'
complete -c pprof-collect -n $all -l usage -d 'Show the options in short'
complete -c pprof-collect -n $all -s V -l version -d 'Show the version'

set -l is '__pprof_collect_is audit'
complete -c pprof-collect -n $is -s p -l pid -xa '(__fish_complete_pids)' -d 'Show threads that this process creates'
complete -c pprof-collect -n $is -l comm -x -d 'Show threads whose creator has this name'
complete -c pprof-collect -n $is -l stacks -d 'Print the stack of the creator'
complete -c pprof-collect -n $is -l json -d 'Print one JSON object a line'
complete -c pprof-collect -n $is -s s -l seconds -x -d 'End after so many seconds'

set -l is '__pprof_collect_is list'
complete -c pprof-collect -n $is -s p -l pid -xa '(__fish_complete_pids)' -d 'Show the profiles of this process'

set -l is '__pprof_collect_is serve'
complete -c pprof-collect -n $is -s p -l pid -xa '(__pprof_collect_pids)' -d 'Serve profiles of these processes'
complete -c pprof-collect -n $is -s a -l all -d 'Serve profiles of every process'
complete -c pprof-collect -n $is -l comm -x -d 'Serve profiles of processes of such names'
complete -c pprof-collect -n $is -l cgroup -xa '(__fish_complete_directories)' -d 'Serve profiles of the processes of a cgroup'
complete -c pprof-collect -n $is -l profile -xa '(__pprof_collect_list threadcreate block mutex growth heap allocs all)' -d 'Count events of these types from the start'
complete -c pprof-collect -n $is -l listen -x -d 'Listen there'
complete -c pprof-collect -n $is -l unix -rF -d 'Listen on a socket in the file system'
complete -c pprof-collect -n $is -l host -x -d 'Allow these names in Host'
complete -c pprof-collect -n $is -l token-file -rF -d 'Refuse clients without this token'
complete -c pprof-collect -n $is -l tls-cert -rF -d 'Use TLS with this certificate'
complete -c pprof-collect -n $is -l tls-key -rF -d 'The key of the certificate'
complete -c pprof-collect -n $is -l insecure -d 'Let everyone read the profiles'

set -l is '__pprof_collect_is doctor'
complete -c pprof-collect -n $is -s p -l pid -xa '(__fish_complete_pids)' -d 'Check what profiles of this process lack'

set -l is '__pprof_collect_is cfi'
complete -c pprof-collect -n $is -l check -d 'Compare each row with libdw'
complete -c pprof-collect -n $is -F

set -l is '__pprof_collect_is top tree peek traces tags comments raw flame merge diff filter convert'
complete -c pprof-collect -n $is -s o -l output -rF -d 'Write to a file'
complete -c pprof-collect -n $is -F

set -l is '__pprof_collect_is top tree peek traces tags flame convert'
complete -c pprof-collect -n $is -l type -x -d 'Show this sample type'

set -l is '__pprof_collect_is top tree peek traces tags'
complete -c pprof-collect -n $is -l unit -x -d 'Print values in this unit'
complete -c pprof-collect -n $is -l mean -d 'Divide values by the first sample type'
complete -c pprof-collect -n $is -l divide-by -x -d 'Divide values by a number'

set -l is '__pprof_collect_is top tree peek'
complete -c pprof-collect -n $is -l cum -d 'Sort by cumulative values'
complete -c pprof-collect -n $is -l drop-negative -d 'Leave out negative functions'
complete -c pprof-collect -n $is -l relative-percentages -d '100 % is what the filters leave'
complete -c pprof-collect -n $is -l compact-labels -d 'Leave out the first lines'
complete -c pprof-collect -n $is -l trim-path -x -d 'Leave out these folders of source files'

set -l is '__pprof_collect_is top tree'
complete -c pprof-collect -n $is -s n -l nodecount -x -d 'Show so many functions'
complete -c pprof-collect -n $is -l nodefraction -x -d 'Leave out smaller functions'
complete -c pprof-collect -n $is -l trim -x -a 'true false' -d 'false: no limits'
complete -c pprof-collect -n '__pprof_collect_is tree' -l edgefraction -x -d 'Leave out smaller calls'

set -l is '__pprof_collect_is top tree peek traces'
complete -c pprof-collect -n $is -l functions -d 'Show functions by name'
complete -c pprof-collect -n $is -l filefunctions -d 'Tell functions in two files apart'
complete -c pprof-collect -n $is -l files -d 'Show source files'
complete -c pprof-collect -n $is -l lines -d 'Show lines of source files'
complete -c pprof-collect -n $is -l addresses -d 'Show addresses'
complete -c pprof-collect -n $is -l noinlines -d 'Show no inlined functions'
complete -c pprof-collect -n $is -l showcolumns -d 'Tell columns apart'

set -l is '__pprof_collect_is top tree peek traces tags raw flame filter convert'
complete -c pprof-collect -n $is -l focus -x -d 'Keep samples with such a function'
complete -c pprof-collect -n $is -l ignore -x -d 'Drop samples with such a function'
complete -c pprof-collect -n $is -l hide -x -d 'Leave out such frames'
complete -c pprof-collect -n $is -l show -x -d 'Leave out all other frames'
complete -c pprof-collect -n $is -l show-from -x -d 'Begin stacks with such a frame'
complete -c pprof-collect -n $is -l prune-from -x -d 'End stacks with such a frame'
complete -c pprof-collect -n $is -l tagfocus -x -d 'Keep samples with such a label'
complete -c pprof-collect -n $is -l tagignore -x -d 'Drop samples with such a label'
complete -c pprof-collect -n $is -l tagshow -x -d 'Leave out all other labels'
complete -c pprof-collect -n $is -l taghide -x -d 'Leave out such labels'
complete -c pprof-collect -n $is -l tagroot -x -d 'Begin stacks with these labels'
complete -c pprof-collect -n $is -l tagleaf -x -d 'End stacks with these labels'
complete -c pprof-collect -n $is -l all-frames -d 'Show what the profile drops'
complete -c pprof-collect -n $is -l diff-base -rF -d 'Subtract a profile of another run'
complete -c pprof-collect -n $is -l base -rF -d 'Subtract an earlier profile of the run'

set -l is '__pprof_collect_is top tree peek traces tags raw flame filter convert diff'
complete -c pprof-collect -n $is -l normalize -d 'Scale the profile to the total of the base'

complete -c pprof-collect -n '__pprof_collect_is convert' -l to -xa 'folded speedscope text pprof firefox otlp' -d 'Write this format'

set -l is '__pprof_collect_is check'
complete -c pprof-collect -n $is -l for -xa 'parca pyroscope speedscope' -d 'Check what this reader takes'
complete -c pprof-collect -n $is -F

set -l is '__pprof_collect_is push'
complete -c pprof-collect -n $is -l to -xa 'pyroscope= parca= otlp= http= s3=' -d 'Send to this backend'
complete -c pprof-collect -n $is -F

set -l is '__pprof_collect_takes; or __pprof_collect_is push'
complete -c pprof-collect -n $is -l push-auth -rF -d 'Secret for the backend before'
complete -c pprof-collect -n $is -l push-tenant -x -d 'Tenant at the backend before'
complete -c pprof-collect -n $is -l push-cert -rF -d 'Client certificate for the backend before'
complete -c pprof-collect -n $is -l push-key -rF -d 'Key of that certificate'
complete -c pprof-collect -n $is -l push-ca -rF -d 'Certificates of servers to trust'
complete -c pprof-collect -n $is -l push-region -x -d 'Region of the s3 backend before'
complete -c pprof-collect -n $is -l label -x -d 'Send with this label, NAME=VALUE'

set -l is __pprof_collect_takes
complete -c pprof-collect -n $is -l push -xa 'pyroscope= parca= otlp= http= s3=' -d 'Send to this backend'
complete -c pprof-collect -n $is -l push-spool -xa '(__fish_complete_directories)' -d 'Keep what is not sent in this folder'
complete -c pprof-collect -n $is -s p -l pid -xa '(__pprof_collect_pids)' -d 'Profile these processes'
complete -c pprof-collect -n $is -s a -l all -d 'Profile every process'
complete -c pprof-collect -n $is -l cgroup -xa '(__fish_complete_directories)' -d 'Profile the processes of a cgroup'
complete -c pprof-collect -n $is -l children -d 'Profile the children, too'
complete -c pprof-collect -n $is -s s -l seconds -x -d 'End after so many seconds'
complete -c pprof-collect -n $is -l profile -xa '(__pprof_collect_list cpu wall threadcreate thread block mutex growth heap allocs all)' -d 'Take profiles of these types'
complete -c pprof-collect -n $is -l hz -x -d 'cpu, wall: samples a second'
complete -c pprof-collect -n $is -l block-rate -x -d 'block: sample waits shorter than so many ns'
complete -c pprof-collect -n $is -l mutex-fraction -x -d 'mutex: sample one of so many'
complete -c pprof-collect -n $is -l growth-rate -x -d 'growth: bytes between two samples'
complete -c pprof-collect -n $is -l heap-rate -x -d 'heap, allocs: bytes between two samples'
complete -c pprof-collect -n $is -l live -d 'threadcreate: add which threads are alive'
complete -c pprof-collect -n $is -s o -l output -rF -d 'Write to a file'
complete -c pprof-collect -n $is -l labels -xa '(__pprof_collect_list pid tid thread cpu comm cgroup container pod unit resource trace)' -d 'Label the samples'
complete -c pprof-collect -n $is -l buffer-pages -x -d 'Buffer of each CPU in pages'
complete -c pprof-collect -n $is -l max-stacks -x -d 'Keep at most so many stacks'
complete -c pprof-collect -n $is -l kernel -d 'Add functions of the kernel'
complete -c pprof-collect -n $is -l unwind -xa 'table fp' -d 'How to find callers'
complete -c pprof-collect -n $is -l max-frames -x -d 'Cut stacks after so many frames'
complete -c pprof-collect -n $is -l debug -xa '0 1 2' -d 'Write text'
complete -c pprof-collect -n $is -l drop-frames -x -d 'Let readers hide functions'
complete -c pprof-collect -n $is -l keep-frames -x -d 'Do not hide these functions'
complete -c pprof-collect -n $is -l flame -rF -d 'Write a flame graph, too'
complete -c pprof-collect -n $is -l top -x -d 'Print so many functions at the end'
complete -c pprof-collect -n $is -s q -l quiet -d 'Print warnings and errors only'
complete -c pprof-collect -n $is -l every -x -d 'Write a profile for each window, such as 10s'
complete -c pprof-collect -n $is -l dir -xa '(__fish_complete_directories)' -d 'Folder of the windows'
complete -c pprof-collect -n $is -l by -xa 'process comm cgroup' -d 'A file of a window for each'
complete -c pprof-collect -n $is -l keep -x -d 'Keep so many windows, 24h or 10GB'

complete -c pprof-collect -n __pprof_collect_starts -xa '(__pprof_collect_program)'
