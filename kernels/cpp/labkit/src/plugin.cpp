#include "plugin.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "perflab/bench/error.hpp"

namespace perflab {

std::optional<std::string> take_plugin(std::vector<std::string>& arguments) {
  const std::string option = "--plugin";
  const auto at = std::find_if(arguments.begin(), arguments.end(), [&](const std::string& argument) {
    return argument == option || argument.starts_with(option + "=");
  });
  if (at == arguments.end()) {
    return std::nullopt;
  }
  if (*at != option) {
    std::string path = at->substr(option.size() + 1);
    arguments.erase(at);
    return path;
  }
  if (at + 1 == arguments.end()) {
    throw Error::usage("option '" + option + "' has no value", {option + " PATH"});
  }
  std::string path = *(at + 1);
  arguments.erase(at, at + 2);
  return path;
}

void become_plugin(const std::string& path, std::vector<std::string> arguments) {
  if (!std::filesystem::is_regular_file(path)) {
    throw Error::usage("no plug-in can be read at '" + path + "'", {});
  }
  // Absolute, or a name without a slash would be looked for on the PATH.
  std::string program = std::filesystem::absolute(path).string();
  std::vector<char*> words{program.data()};
  for (std::string& argument : arguments) {
    words.push_back(argument.data());
  }
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  throw Error::usage("the plug-in '" + path + "' does not start: " + std::generic_category().message(errno), {});
}

}  // namespace perflab
