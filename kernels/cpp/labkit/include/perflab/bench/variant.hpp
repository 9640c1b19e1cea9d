#pragma once

#include <string>
#include <vector>

namespace perflab {

/// What a variant stands for in its topic.
enum class Role {
  /// The system as the report found it.
  kBefore,
  /// The system as the report fixed it.
  kAfter,
  /// What a user would pick instead.
  kPeer,
  /// This project's own best.
  kLab,
  /// A reader's plug-in.
  kYours,
};

/// As the protocol writes it.
const char* name_of(Role role);

/// One implementation of the component.
struct Variant {
  /// The name after `--variant`.
  std::string name;
  Role role;
  /// One line.
  std::string description;
  /// Where its code is, relative to the component's folder.
  std::string source;
  /// The scenarios that it does not support.
  std::vector<std::string> without = {};
  /// The statements of the contract that it is known to break.
  std::vector<std::string> findings = {};

  bool supports(const std::string& scenario) const;
};

}  // namespace perflab
