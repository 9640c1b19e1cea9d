#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "perflab/bench/scenario.hpp"
#include "perflab/bench/variant.hpp"

namespace perflab {

/// Keys keep the order in which they were written.
using Json = nlohmann::ordered_json;

Json to_json(const Value& value);
Json to_json(const ScenarioSpec& spec);
Json to_json(const Variant& variant, const std::vector<std::string>& all_scenarios);
Json to_json(const Sample& sample, std::int64_t index);

/// What the program runs on.
Json runtime_to_json();

/// A whole number without a fraction or an exponent, anything else as it is.
Json shortest(double number);

}  // namespace perflab
