#include "perflab/bench/bench.hpp"

#include <exception>
#include <iostream>
#include <ostream>

#include "output.hpp"
#include "perflab/bench/error.hpp"
#include "plugin.hpp"

namespace perflab {

int run_main(const Program& program, int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (names_plugin(arguments)) {
    // Which takes standard output for itself; nothing of a variant runs before.
    return program.run(arguments, std::cout);
  }
  try {
    ProtocolOutput output;
    std::ostream out(&output);
    return program.run(arguments, out);
  } catch (const std::exception& problem) {
    std::cerr << problem.what() << '\n';
    return static_cast<int>(Kind::kInternal);
  }
}

}  // namespace perflab
