#!/usr/bin/env bash
# hyperfine 1.20.0, with dash 0.5.12 as /bin/sh.
#
# Whether the time of a command includes what it leaves running in the background depends on where its output goes. By
# default that is /dev/null, and the time ends with the command. With --output=pipe, which the help suggests for programs
# that do less if nobody reads them, hyperfine reads the pipe until everybody has closed it: `sleep 2 & true` takes two
# seconds. The same happens without a word to a command that is typed in bash and run by hyperfine in sh:
# `sleep 2 &> /dev/null` means "in the background, and empty /dev/null" there, and takes no time, exit status 0.
#
# Seen on 2026-11-29:
#   in the background: 0.000 s
#   in the background, --output=pipe: 2.002 s
#   &> in sh: 0.001 s
#   &> in bash: 2.004 s
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cargo install --quiet --locked --root "$folder" --version 1.20.0 hyperfine
ln -s "$(command -v dash)" "$folder/sh"

# took WORD... : seconds that hyperfine gives for one run
took() {
    "$folder/bin/hyperfine" --style none --runs 1 --export-json "$folder/result" "$@" 2> "$folder/log"
    python3 -c 'import json, sys; print("{:.3f}".format(json.load(open(sys.argv[1]))["results"][0]["mean"]))' "$folder/result"
}

# expect WHAT SECONDS LEAST MOST
expect() {
    echo "$1: $2 s"
    python3 -c 'import sys; a, low, high = map(float, sys.argv[1:]); sys.exit(not low <= a <= high)' "$2" "$3" "$4"
}

expect "in the background" "$(took --shell "$folder/sh" 'sleep 2 & true')" 0 1
expect "in the background, --output=pipe" "$(took --shell "$folder/sh" --output=pipe 'sleep 2 & true')" 2 5
expect "&> in sh" "$(took --shell "$folder/sh" 'sleep 2 &> /dev/null')" 0 1
expect "&> in bash" "$(took --shell bash 'sleep 2 &> /dev/null')" 2 5
