#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perflab {

/// What contradicts a statement; nothing, if it holds.
using Evidence = std::optional<std::string>;

/**
 * Runs a check in a child process. An exception is evidence against the statement, and so is a crash or a sanitizer's
 * report (both end the child), and so is not to end within the limit: the child is killed then.
 *
 * Nobody else's threads may run meanwhile: a child has only the thread that made it, and every lock as it was.
 */
Evidence run_apart(const std::function<Evidence()>& body, std::chrono::milliseconds limit);

/// One statement of a component's contract, checked on a variant.
template <class Subject>
struct Check {
  std::string statement;
  std::function<Evidence(const Subject&)> body;
  /// Narrows down which subjects the statement is about.
  std::function<bool(const Subject&)> applies = [](const Subject&) { return true; };
};

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
