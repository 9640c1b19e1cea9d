#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace perflab {

/// What a scenario looked at in its own outcome. The first check that does not hold ends the run.
class Checks {
 public:
  /// Demands that something holds. `statement` is in words that also read well in the `end` line; `evidence`, asked for
  /// only if it does not hold, says what was seen instead. One thread at a time.
  ///
  /// Throws Error of kind validation if it does not hold.
  void require(std::string_view statement, bool holds, const std::function<std::string()>& evidence);

  /// The statements that held each time they were checked.
  const std::vector<std::string>& passed() const noexcept { return passed_; }

 private:
  std::vector<std::string> passed_;
};

}  // namespace perflab
