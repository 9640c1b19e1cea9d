#!/usr/bin/env bash
# valgrind 3.19.0 (Debian 12).
#
# Options of callgrind that name a function take wildcards, and exact names. Given exactly, --zero-before=F --dump-after=F make
# a part of each call of F: costs begin at zero, and are written at its end. Given with a wildcard that fits the same function,
# the second option is left out without a word: no part is written at all, and in the other order parts are written and
# nothing is zeroed, so that the first of them has the whole start of the program in it. Different wildcards do the same, and
# so does an exact name before a wildcard; a wildcard before an exact name works.
#
# Seen on 2026-11-29 (parts of five calls, and the instructions of the first two):
#   --zero-before=work --dump-after=work: 5 parts, 36 36
#   --zero-before=wor* --dump-after=wor*: 0 parts,
#   --dump-after=wor* --zero-before=wor*: 5 parts, 122045 41
#   --zero-before=wor* --dump-after=work: 5 parts, 36 36
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get -o APT::Sandbox::User=root download -qq valgrind=1:3.19.0-1
dpkg -x valgrind_*.deb here
export VALGRIND_LIB=$folder/here/usr/libexec/valgrind
cat > work.c <<'C'
__attribute__((noinline)) long work(int n) {
  long sum = 0;
  for (int i = 0; i < n; ++i) __asm__ volatile("" : "+r"(sum));
  return sum;
}
int main() {
  long sum = 0;
  for (int call = 0; call < 5; ++call) sum += work(10);
  return (int)sum;
}
C
gcc -O2 -o work work.c
parts() {
  rm -f out*
  here/usr/bin/valgrind -q --tool=callgrind --callgrind-out-file=out "$@" ./work
  found=$(find . -name 'out.*' | wc -l)
  costs=$(awk '/^totals:/ {print $2}' out.1 out.2 2> /dev/null | head -2 | xargs) || true
  echo "$*: $found parts, $costs"
}
parts --zero-before=work --dump-after=work
[ "$found" = 5 ] && exact=$costs
parts '--zero-before=wor*' '--dump-after=wor*'
[ "$found" = 0 ]
parts '--dump-after=wor*' '--zero-before=wor*'
[ "$found" = 5 ] && [ "${costs%% *}" -gt 10000 ]
parts '--zero-before=wor*' --dump-after=work
[ "$found" = 5 ] && [ "$costs" = "$exact" ]
