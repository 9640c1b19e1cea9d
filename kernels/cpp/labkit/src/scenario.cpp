#include "perflab/bench/scenario.hpp"

#include <algorithm>

#include "protocol.hpp"

namespace perflab {

Json to_json(const Value& value) {
  return std::visit([](const auto& typed) { return Json(typed); }, value);
}

namespace {

const char* name_of(Better better) { return better == Better::kHigher ? "higher" : "lower"; }

Json to_json(const Metric& metric) {
  return {{"name", metric.name}, {"of", metric.of}, {"unit", metric.unit}, {"better", name_of(metric.better)}};
}

Json to_json(const Parameter& parameter) {
  struct Bounds {
    Json& json;
    void operator()(const Parameter::Int& range) const { json.update({{"min", range.min}, {"max", range.max}}); }
    void operator()(const Parameter::Float& range) const { json.update({{"min", range.min}, {"max", range.max}}); }
    void operator()(const Parameter::Bool&) const {}
    void operator()(const Parameter::Choice& choices) const { json["choices"] = choices; }
  };
  constexpr const char* kTypes[] = {"int", "float", "bool", "string"};
  Json json = {{"name", parameter.name()},
               {"type", kTypes[parameter.range().index()]},
               {"default", perflab::to_json(parameter.default_value())},
               {"help", parameter.help()}};
  std::visit(Bounds{json}, parameter.range());
  return json;
}

template <class T>
Json all_to_json(const std::vector<T>& things) {
  Json list = Json::array();
  for (const T& thing : things) {
    list.push_back(to_json(thing));
  }
  return list;
}

}  // namespace

Json to_json(const ScenarioSpec& spec) {
  return {{"name", spec.name},
          {"title", spec.title},
          {"operation", spec.operation},
          {"unit", spec.headline.unit},
          {"better", name_of(spec.headline.better)},
          {"metric", spec.headline.of},
          {"metrics", all_to_json(spec.metrics)},
          {"parameters", all_to_json(spec.parameters)}};
}

const char* name_of(Role role) {
  switch (role) {
    case Role::kBefore:
      return "before";
    case Role::kAfter:
      return "after";
    case Role::kPeer:
      return "peer";
    case Role::kLab:
      return "lab";
    case Role::kYours:
      break;
  }
  return "yours";
}

bool Variant::supports(const std::string& scenario) const {
  return std::find(without.begin(), without.end(), scenario) == without.end();
}

Json to_json(const Variant& variant, const std::vector<std::string>& all_scenarios) {
  Json scenarios = Json::array();
  std::copy_if(all_scenarios.begin(), all_scenarios.end(), std::back_inserter(scenarios),
               [&](const std::string& name) { return variant.supports(name); });
  return {{"name", variant.name},     {"role", name_of(variant.role)}, {"description", variant.description},
          {"source", variant.source}, {"scenarios", scenarios},        {"findings", variant.findings}};
}

}  // namespace perflab
