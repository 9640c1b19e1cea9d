#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace perflab {

/// A knob's value. Booleans come first: a pointer to characters must not turn into one.
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// A scenario's knob: its name after `--param`, its default, what is allowed, and a line of help with its unit.
class Parameter {
 public:
  struct Whole {
    std::int64_t min;
    std::int64_t max;
  };
  struct Real {
    double min;
    double max;
  };
  struct Flag {};
  using Choice = std::vector<std::string>;
  using Range = std::variant<Whole, Real, Flag, Choice>;

  /// A whole number; both bounds are allowed.
  static Parameter whole(std::string name, std::int64_t otherwise, std::int64_t min, std::int64_t max,
                         std::string help);
  /// A finite number; both bounds are allowed.
  static Parameter real(std::string name, double otherwise, double min, double max, std::string help);
  static Parameter flag(std::string name, bool otherwise, std::string help);
  /// One of some words, the first of which is the default.
  static Parameter choice(std::string name, std::vector<std::string> choices, std::string help);

  /// The same with another default, for scenarios that share a knob.
  [[nodiscard]] Parameter with_default(std::string_view text) const;

  /// Reads a value given on the command line.
  ///
  /// Throws Error of kind usage if it is not allowed.
  Value parse(std::string_view text) const;

  const std::string& name() const noexcept { return name_; }
  const Value& otherwise() const noexcept { return otherwise_; }
  const std::string& help() const noexcept { return help_; }
  const Range& range() const noexcept { return range_; }

 private:
  Parameter(std::string name, Value otherwise, std::string help, Range range);

  std::vector<std::string> allowed() const;

  std::string name_;
  Value otherwise_;
  std::string help_;
  Range range_;
};

}  // namespace perflab
