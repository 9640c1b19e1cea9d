#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace perflab {

/// The protocol's kinds of error; the value of each is its exit status.
enum class Kind : int {
  /// Whatever nobody expected.
  kInternal = 1,
  /// Bad input.
  kUsage = 2,
  /// Something that the scenario needs is not on this machine.
  kMissing = 3,
  /// The scenario's outcome is wrong: whatever was measured does not count.
  kValidation = 4,
};

/// As the protocol writes it.
const char* name_of(Kind kind);

/// A reason to stop: it becomes the last line, and its kind the exit status. Any other exception is `kInternal`.
class Error : public std::runtime_error {
 public:
  /// Bad input: names what was wrong and what is allowed instead; nothing, if there is no list of it.
  static Error usage(const std::string& message, std::vector<std::string> allowed = {});
  static Error unknown(const std::string& kind, const std::string& name);
  static Error missing(const std::string& message);
  static Error validation(const std::string& message);
  static Error internal(const std::string& message);

  Kind kind() const noexcept { return kind_; }

  /// What would have been right.
  const std::vector<std::string>& allowed() const noexcept { return allowed_; }

 private:
  Error(Kind kind, const std::string& message, std::vector<std::string> allowed);

  Kind kind_;
  std::vector<std::string> allowed_;
};

}  // namespace perflab
