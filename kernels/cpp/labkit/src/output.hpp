#pragma once

#include <sstream>

namespace perflab {

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
