#!/usr/bin/env bash
# hyperfine 2.0.0 and 1.20.0 (Rust 1.95; 2.0.0 asks for a newer one and is built with --ignore-rust-version).
#
# The JSON of --export-json has had a result's runs in `times` and their mean in `mean` since version 1.0, and scripts
# read it so. From 2.0.0 on neither is there: a result has `measurements`, each with `time_wall_clock` as an object of
# value and unit, and the file says `schema_version`: 2. A script that takes a missing `times` for no runs finds an
# empty benchmark, with exit status 0 of both.
#
# Seen on 2026-11-29 (the keys of a result):
#   1.20.0: None command exit_codes max mean median memory_usage_byte min stddev system times user
#   2.0.0: 2 command measurements summary
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for version in 1.20.0 2.0.0; do
  cargo install --quiet --locked --ignore-rust-version --root "$version" "hyperfine@$version" > log 2>&1 || { tail log; exit 1; }
  "$version/bin/hyperfine" --runs 3 --export-json "$version.json" true > /dev/null 2>&1
  keys=$(python3 -c 'import json, sys
whole = json.load(open(sys.argv[1]))
print(whole.get("schema_version"), " ".join(sorted(whole["results"][0])))' "$version.json")
  echo "$version: $keys"
  case $version in
    1.*) grep -qw times <<< "$keys" ;;
    2.*) grep -qw measurements <<< "$keys" && ! grep -qw times <<< "$keys" ;;
  esac
done
