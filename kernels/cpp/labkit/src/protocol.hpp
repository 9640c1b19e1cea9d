#pragma once

#include <iosfwd>
#include <string>

#include "json.hpp"
#include "perflab/bench/error.hpp"

namespace perflab {

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

}  // namespace perflab
