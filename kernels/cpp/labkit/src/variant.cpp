#include "perflab/bench/variant.hpp"

#include <algorithm>

#include "json.hpp"

namespace perflab {

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
