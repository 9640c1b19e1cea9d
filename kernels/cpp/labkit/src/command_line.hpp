#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perflab {

/// A command's options, each as `--name value` or `--name=value`, all with a value.
class CommandLine {
 public:
  using Pairs = std::vector<std::pair<std::string, std::string>>;

  /// Throws Error of kind usage if an option is not one of the command's, or lacks its value. So do all others here for
  /// values that they cannot read.
  CommandLine(const std::vector<std::string>& arguments, const std::vector<std::string>& known);

  /// The option's value, the last one if it was given twice.
  std::optional<std::string> value(const std::string& option) const;

  std::string required(const std::string& option) const;

  /// What a repeatable option was given, as `name=value` each.
  Pairs pairs(const std::string& option) const;

  std::int64_t whole(const std::string& option, std::int64_t otherwise, std::int64_t least) const;

 private:
  Pairs given_;
};

/*
 * A variant of the reader's own. A plug-in is a whole program: the component's bench program with one more variant,
 * which the compiler sees through as it does through the others. Whoever is given `--plugin PATH` becomes that program
 * and hands it the other arguments. The process is the same one, so that whoever waits for it, counts what it uses or
 * profiles it has lost nothing.
 */

/// Whether there is a `--plugin` among a command's arguments.
bool names_plugin(const std::vector<std::string>& arguments);

/// Takes `--plugin PATH` out of a command's arguments.
std::optional<std::string> take_plugin(std::vector<std::string>& arguments);

/// Becomes the plug-in; throws Error of kind usage if it cannot.
[[noreturn]] void become_plugin(const std::string& path, std::vector<std::string> arguments);

}  // namespace perflab
