#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perflab/bench/parameter.hpp"

namespace perflab {

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
