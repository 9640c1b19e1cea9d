#include "perflab/bench/error.hpp"

#include <utility>

namespace perflab {

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kUsage:
      return "usage";
    case Kind::kMissing:
      return "missing";
    case Kind::kValidation:
      return "validation";
    case Kind::kInternal:
      break;
  }
  return "internal";
}

Error::Error(Kind kind, const std::string& message, std::vector<std::string> allowed)
    : std::runtime_error(message), kind_(kind), allowed_(std::move(allowed)) {}

Error Error::usage(const std::string& message, std::vector<std::string> allowed) {
  return {Kind::kUsage, message, std::move(allowed)};
}

Error Error::unknown(const std::string& kind, const std::string& name) {
  return usage("unknown " + kind + " '" + name + "'");
}

Error Error::missing(const std::string& message) { return {Kind::kMissing, message, {}}; }

Error Error::validation(const std::string& message) { return {Kind::kValidation, message, {}}; }

Error Error::internal(const std::string& message) { return {Kind::kInternal, message, {}}; }

}  // namespace perflab
