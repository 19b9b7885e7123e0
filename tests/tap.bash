# shellcheck shell=bash
# For tests that print TAP: source it, and call ok for each test. The test prints the plan.

number=0

# Runs a test. What the command prints becomes a comment.
ok() { # NAME COMMAND...
	local output
	number=$((number + 1))
	output=$("${@:2}" 2>&1) || printf 'not '
	echo "ok $number - $1"
	[[ -z $output ]] || echo "# ${output//$'\n'/$'\n'# }"
}
