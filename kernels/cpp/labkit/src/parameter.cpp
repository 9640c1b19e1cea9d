#include "perflab/bench/parameter.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "perflab/bench/error.hpp"

namespace perflab {
namespace {

template <class Number>
std::optional<Number> read(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

std::string shown(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

struct Reader {
  std::string_view text;

  std::optional<Value> operator()(const Parameter::Int& range) const {
    const auto number = read<std::int64_t>(text);
    return number && *number >= range.min && *number <= range.max ? std::optional<Value>(*number) : std::nullopt;
  }
  std::optional<Value> operator()(const Parameter::Float& range) const {
    const auto number = read<double>(text);
    // NaN is in no range.
    return number && *number >= range.min && *number <= range.max ? std::optional<Value>(*number) : std::nullopt;
  }
  std::optional<Value> operator()(const Parameter::Bool&) const {
    return text == "true" || text == "false" ? std::optional<Value>(text == "true") : std::nullopt;
  }
  std::optional<Value> operator()(const Parameter::Choice& choices) const {
    return std::find(choices.begin(), choices.end(), text) != choices.end() ? std::optional<Value>(std::string(text))
                                                                            : std::nullopt;
  }
};

}  // namespace

Parameter::Parameter(std::string name, Value default_value, std::string help, Range range)
    : name_(std::move(name)), default_(std::move(default_value)), help_(std::move(help)), range_(std::move(range)) {}

Parameter Parameter::of_int(std::string name, std::int64_t default_value, std::int64_t min, std::int64_t max,
                            std::string help) {
  return {std::move(name), default_value, std::move(help), Int{min, max}};
}

Parameter Parameter::of_float(std::string name, double default_value, double min, double max, std::string help) {
  return {std::move(name), default_value, std::move(help), Float{min, max}};
}

Parameter Parameter::of_bool(std::string name, bool default_value, std::string help) {
  return {std::move(name), default_value, std::move(help), Bool{}};
}

Parameter Parameter::of_choice(std::string name, std::vector<std::string> choices, std::string help) {
  std::string first = choices.at(0);
  return {std::move(name), std::move(first), std::move(help), std::move(choices)};
}

Parameter Parameter::with_default(std::string_view text) const {
  Parameter other = *this;
  other.default_ = parse(text);
  return other;
}

Value Parameter::parse(std::string_view text) const {
  if (auto value = std::visit(Reader{text}, range_)) {
    return *std::move(value);
  }
  throw Error::usage("parameter '" + name_ + "' cannot be '" + std::string(text) + "'", allowed());
}

std::vector<std::string> Parameter::allowed() const {
  struct Shower {
    std::vector<std::string> operator()(const Int& range) const {
      return {"a whole number from " + std::to_string(range.min) + " to " + std::to_string(range.max)};
    }
    std::vector<std::string> operator()(const Float& range) const {
      return {"a number from " + shown(range.min) + " to " + shown(range.max)};
    }
    std::vector<std::string> operator()(const Bool&) const { return {"true or false"}; }
    std::vector<std::string> operator()(const Choice& choices) const { return choices; }
  };
  return std::visit(Shower{}, range_);
}

}  // namespace perflab
