#!/usr/bin/env bash
# go test, Go 1.26.0 (the same in 1.20.14).
#
# `go test -timeout 2s` does not stop a benchmark: the help says that a test binary which runs longer panics, but the alarm
# is for tests, examples and fuzzing, and is switched off before the benchmarks. A benchmark that hangs does so for ever,
# in spite of the default of ten minutes; a CI job needs a limit of its own (`timeout -s QUIT` shows the stacks).
#
# Seen on 2026-11-29:
#   with a limit of 2 s a test of 5 s: panic: test timed out after 2s
#   with a limit of 2 s a benchmark of 5 s: PASS
set -euo pipefail
export GOTOOLCHAIN="${GOTOOLCHAIN:-go1.26.0}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf 'module m\n\ngo 1.20\n' > go.mod
cat > m_test.go <<'GO'
package m

import (
	"testing"
	"time"
)

func TestSleeps(t *testing.T)      { time.Sleep(5 * time.Second) }
func BenchmarkSleeps(b *testing.B) { time.Sleep(5 * time.Second) }
GO
test=$(go test -timeout 2s -run . 2>&1 || true)
benchmark=$(go test -timeout 2s -run '^$' -bench . -benchtime 1x 2>&1 || true)
echo "with a limit of 2 s a test of 5 s: $(grep -m1 '^panic' <<< "$test")"
echo "with a limit of 2 s a benchmark of 5 s: $(grep -m1 -E '^(PASS|panic)' <<< "$benchmark")"
grep -q '^panic: test timed out after 2s' <<< "$test"
grep -q '^PASS' <<< "$benchmark"
