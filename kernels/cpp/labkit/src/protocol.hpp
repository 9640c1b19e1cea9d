#pragma once

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "perflab/bench/error.hpp"
#include "perflab/bench/scenario.hpp"

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

/// Writes the protocol's lines, each as soon as it is complete.
class ProtocolWriter {
 public:
  explicit ProtocolWriter(std::ostream& out) : out_(out) {}

  void line(const Json& json);
  void text(const std::string& text);
  void error(const Error& error);

 private:
  std::ostream& out_;
};

/**
 * Standard output as the protocol's alone: its lines go to a descriptor of their own, and the one that everybody knows
 * is made standard error, so that nothing a variant, its threads or its children print can stand between them.
 *
 * Not for a program that becomes its plug-in, which is handed standard output as it is.
 */
class ProtocolOutput : public std::stringbuf {
 public:
  /// Throws std::system_error if there is no descriptor left.
  ProtocolOutput();
  ProtocolOutput(const ProtocolOutput&) = delete;
  ProtocolOutput& operator=(const ProtocolOutput&) = delete;
  ~ProtocolOutput() override;

 protected:
  /// Writes what has gathered since the last time.
  int sync() override;

 private:
  int descriptor_;
};

}  // namespace perflab
