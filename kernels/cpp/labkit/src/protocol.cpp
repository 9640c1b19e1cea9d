#include "protocol.hpp"

#include <cmath>
#include <ostream>

namespace perflab {

void ProtocolWriter::line(const Json& json) {
  // What comes from a command line or a crash may be no UTF-8.
  text(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void ProtocolWriter::text(const std::string& text) { out_ << text << std::flush; }

void ProtocolWriter::error(const Error& error) {
  Json json = {{"type", "error"}, {"kind", name_of(error.kind())}, {"message", error.what()}};
  if (!error.allowed().empty()) {
    json["allowed"] = error.allowed();
  }
  line(json);
}

Json shortest(double number) {
  constexpr double kLargestExact = 9'007'199'254'740'992;  // 2^53
  if (std::trunc(number) == number && std::abs(number) <= kLargestExact) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

Json to_json(const Sample& sample, std::int64_t index) {
  Json json = {{"type", "sample"}, {"i", index}, {"ops", shortest(sample.ops())}, {"ns", sample.total().count()}};
  for (const auto& [name, ns] : sample.all_latencies().percentiles()) {
    json["percentiles"][name] = ns;
  }
  for (const auto& [name, amount] : sample.counters()) {
    json["counters"][name] = shortest(amount);
  }
  return json;
}

}  // namespace perflab
