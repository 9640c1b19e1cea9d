#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace perflab {

/// A parameter's value. Booleans come first: a pointer to characters must not turn into one.
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// A parameter of a scenario: its name after `--param`, its default, what is allowed, and a line of help with its unit.
class Parameter {
 public:
  struct Int {
    std::int64_t min;
    std::int64_t max;
  };
  struct Float {
    double min;
    double max;
  };
  struct Bool {};
  using Choice = std::vector<std::string>;
  using Range = std::variant<Int, Float, Bool, Choice>;

  /// A whole number; both bounds are allowed.
  static Parameter of_int(std::string name, std::int64_t default_value, std::int64_t min, std::int64_t max,
                          std::string help);
  /// A finite number; both bounds are allowed.
  static Parameter of_float(std::string name, double default_value, double min, double max, std::string help);
  static Parameter of_bool(std::string name, bool default_value, std::string help);
  /// One of some words, the first of which is the default.
  static Parameter of_choice(std::string name, std::vector<std::string> choices, std::string help);

  /// The same with another default, for scenarios that share one.
  [[nodiscard]] Parameter with_default(std::string_view text) const;

  /// Reads a value given on the command line.
  ///
  /// Throws Error of kind usage if it is not allowed.
  Value parse(std::string_view text) const;

  const std::string& name() const noexcept { return name_; }
  const Value& default_value() const noexcept { return default_; }
  const std::string& help() const noexcept { return help_; }
  const Range& range() const noexcept { return range_; }

 private:
  Parameter(std::string name, Value default_value, std::string help, Range range);

  std::string name_;
  Value default_;
  std::string help_;
  Range range_;
};

/// The values of a scenario's parameters in one run: those given, and the defaults of the others.
///
/// The getters throw std::logic_error for a name that the scenario does not declare, or declares with another type: a
/// slip in the scenario's source and not in what the user typed.
class Parameters {
 public:
  using Texts = std::vector<std::pair<std::string, std::string>>;
  using Values = std::vector<std::pair<std::string, Value>>;

  /// Binds the texts of `--param` to what a scenario declares; the last of two counts.
  ///
  /// Throws Error of kind usage if a name is not declared, or a value not allowed.
  static Parameters bind(const std::vector<Parameter>& declared, const Texts& given);

  std::int64_t get_int(std::string_view name) const;
  /// A whole number that counts something.
  std::size_t count(std::string_view name) const;
  double get_float(std::string_view name) const;
  bool get_bool(std::string_view name) const;
  const std::string& get_string(std::string_view name) const;

  /// Whether the scenario declares such a parameter.
  bool has(std::string_view name) const noexcept;

  /// All of them, in the order of their declaration.
  const Values& values() const noexcept { return values_; }

 private:
  const Value& value(std::string_view name) const;

  Values values_;
};

}  // namespace perflab
