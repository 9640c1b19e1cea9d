#!/usr/bin/env bash
# Catch2 2.13.10, gcc 12.2.0, valgrind 3.19.0 (Debian 12).
#
# A sample of Catch2's BENCHMARK begins and ends with two virtual functions, ChronometerModel::start and finish, which are
# called through a reference to the base class. The program has both as symbols. A tool that waits for calls of them, as
# callgrind with --dump-before, sees none at -O2: the compiler guesses the only class that can be meant (speculative
# devirtualisation), inlines it, and keeps the call for other classes, which there are not. With
# -fno-devirtualize-speculatively each sample is seen.
#
# Seen on 2026-11-29 (10 samples, and those with which Catch2 finds the number of iterations):
#   -O2: 2 symbols, 0 calls of finish
#   -O2 -fno-devirtualize-speculatively: 2 symbols, 11 calls of finish
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for package in valgrind=1:3.19.0-1 catch2=2.13.10-1; do
  apt-get -o APT::Sandbox::User=root download -qq "$package"
done
for package in *.deb; do dpkg -x "$package" here; done
export VALGRIND_LIB=$folder/here/usr/libexec/valgrind
cat > sums.cpp <<'C'
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
TEST_CASE("sums") {
  volatile long sum = 0;
  BENCHMARK("plain") { return sum = sum + 1; };
}
C
calls() {
  g++ "$@" -Ihere/usr/include -o sums sums.cpp
  symbols=$(nm -C sums | grep -cE 'ChronometerModel<.*>::(start|finish)\(\)$')
  rm -f out*
  here/usr/bin/valgrind -q --tool=callgrind --callgrind-out-file=out \
    '--dump-before=Catch::Benchmark::Detail::ChronometerModel<std::chrono::_V2::steady_clock>::finish()' \
    ./sums --benchmark-no-analysis --benchmark-samples=10 --benchmark-warmup-time=0 > /dev/null 2>&1
  found=$(find . -name 'out.*' | wc -l)
  echo "$*: $symbols symbols, $found calls of finish"
}
calls -O2
[ "$symbols" = 2 ] && [ "$found" = 0 ]
calls -O2 -fno-devirtualize-speculatively
[ "$symbols" = 2 ] && [ "$found" -gt 10 ]
