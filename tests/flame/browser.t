#!/bin/bash
# Uses flame graphs in Chromium, and checks what they show. Prints TAP.
set -euo pipefail
cd "$(dirname "$0")/../.."

if ! command -v chromium >/dev/null || ! command -v node >/dev/null; then
	echo '1..0 # SKIP flame graphs are NOT tested: there is no chromium or no node here'
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build/flame/pages "$work"
timeout 120 node tests/flame/browser.js "$work"
