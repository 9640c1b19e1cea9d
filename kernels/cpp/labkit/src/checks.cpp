#include "perflab/bench/checks.hpp"

#include <algorithm>

#include "perflab/bench/error.hpp"

namespace perflab {

void Checks::require(std::string_view statement, bool holds, const std::function<std::string()>& evidence) {
  if (!holds) {
    throw Error::validation(std::string(statement) + ": " + evidence());
  }
  if (std::find(passed_.begin(), passed_.end(), statement) == passed_.end()) {
    passed_.emplace_back(statement);
  }
}

}  // namespace perflab
