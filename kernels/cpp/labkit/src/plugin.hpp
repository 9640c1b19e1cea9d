#pragma once

#include <optional>
#include <string>
#include <vector>

namespace perflab {

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
