#include "perflab/bench/parameters.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
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
  throw Error::usage("parameter '" + name_ + "' cannot be '" + std::string(text) + "'");
}

namespace {

template <class T>
const T& as(const Value& value, std::string_view name) {
  if (const T* typed = std::get_if<T>(&value)) {
    return *typed;
  }
  throw std::logic_error("parameter '" + std::string(name) + "' is of another type");
}

}  // namespace

Parameters Parameters::bind(const std::vector<Parameter>& declared, const Texts& given) {
  for (const auto& [name, text] : given) {
    if (std::none_of(declared.begin(), declared.end(), [&](const Parameter& one) { return one.name() == name; })) {
      throw Error::unknown("parameter", name);
    }
  }
  Parameters bound;
  for (const Parameter& parameter : declared) {
    const auto last =
        std::find_if(given.rbegin(), given.rend(), [&](const auto& pair) { return pair.first == parameter.name(); });
    bound.values_.emplace_back(parameter.name(),
                               last == given.rend() ? parameter.default_value() : parameter.parse(last->second));
  }
  return bound;
}

std::int64_t Parameters::get_int(std::string_view name) const { return as<std::int64_t>(value(name), name); }

std::size_t Parameters::count(std::string_view name) const {
  const std::int64_t number = get_int(name);
  if (number < 0) {
    throw std::logic_error("parameter '" + std::string(name) + "' can be negative");
  }
  return static_cast<std::size_t>(number);
}

double Parameters::get_float(std::string_view name) const { return as<double>(value(name), name); }

bool Parameters::get_bool(std::string_view name) const { return as<bool>(value(name), name); }

const std::string& Parameters::get_string(std::string_view name) const { return as<std::string>(value(name), name); }

bool Parameters::has(std::string_view name) const noexcept {
  return std::any_of(values_.begin(), values_.end(), [&](const auto& pair) { return pair.first == name; });
}

const Value& Parameters::value(std::string_view name) const {
  for (const auto& [declared, value] : values_) {
    if (declared == name) {
      return value;
    }
  }
  throw std::logic_error("the scenario declares no parameter '" + std::string(name) + "'");
}

}  // namespace perflab
