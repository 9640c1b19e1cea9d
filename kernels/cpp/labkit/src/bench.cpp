#include "perflab/bench/bench.hpp"

#include <iostream>

namespace perflab {

int run_main(const Program& program, int argc, char** argv) { return program.run({argv + 1, argv + argc}, std::cout); }

}  // namespace perflab
