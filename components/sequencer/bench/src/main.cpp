#include "sequencer_bench/bench.hpp"

int main(int argc, char** argv) { return sequencer_bench::bench().main(argc, argv); }
