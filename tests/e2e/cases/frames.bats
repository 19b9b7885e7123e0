#!/usr/bin/env bats
# drop_frames and keep_frames: frames that the readers of a profile hide.
# shellcheck disable=SC2016 # awk's

# bats file_tags=collector
load ../lib/helpers

# FLAT NAME of each function that is a leaf, as both versions of pprof show it.
leaves() { # FILE
	local reader
	for reader in 'go tool pprof' "$project/build/tools/pprof"; do
		# shellcheck disable=SC2086 # words
		$reader -top -nodefraction 0 "$1" |
			awk '/flat%/ { found = 1; next } found && $1 { print $1, $6 }' | sort | xargs
	done
}

@test "dropped frames are hidden with their callees, and kept frames stay" {
	vm <<-'END'
		pprof-collect -q --profile threadcreate --drop-frames 'cr.*|raw_.*' --keep-frames create_all \
			-o drop.pb.gz -- clones --raw 100
		pprof-collect -q --profile threadcreate --drop-frames 'site_.|create|raw_clone' \
			--keep-frames 'site_[a]' -o keep.pb.gz -- clones --raw 100
	END
	run leaves drop.pb.gz
	[ "${lines[0]}" = '20 site_c 30 site_b 50 site_a' ]
	[ "${lines[1]}" = "${lines[0]}" ]
	run leaves keep.pb.gz
	[ "${lines[0]}" = '50 create_all 50 site_a' ]
	[ "${lines[1]}" = "${lines[0]}" ]
	[ "$(count drop.pb.gz '$3 ~ /;create;raw_clone$/')" -eq 100 ]
}

@test "an expression that readers would refuse" {
	vm <<-'END'
		enter_empty
		refused "--drop-frames 'a(b': must have a ) to each (" pprof-collect --drop-frames 'a(b' --all
		refused 'text shows all frames' pprof-collect --drop-frames a --debug 1 --all
	END
}
