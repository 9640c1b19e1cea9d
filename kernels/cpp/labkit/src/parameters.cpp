#include "perflab/bench/parameters.hpp"

#include <algorithm>
#include <stdexcept>

#include "perflab/bench/error.hpp"

namespace perflab {
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
  std::vector<std::string> names;
  for (const Parameter& parameter : declared) {
    names.push_back(parameter.name());
  }
  for (const auto& [name, text] : given) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw Error::unknown("parameter", name, names);
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
