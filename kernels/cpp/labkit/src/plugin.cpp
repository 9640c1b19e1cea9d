#include "plugin.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "perflab/bench/error.hpp"

namespace perflab {
namespace {

const std::string kOption = "--plugin";

bool is_option(const std::string& argument) { return argument == kOption || argument.starts_with(kOption + "="); }

}  // namespace

bool names_plugin(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), is_option);
}

std::optional<std::string> take_plugin(std::vector<std::string>& arguments) {
  const auto at = std::find_if(arguments.begin(), arguments.end(), is_option);
  if (at == arguments.end()) {
    return std::nullopt;
  }
  if (*at != kOption) {
    std::string path = at->substr(kOption.size() + 1);
    arguments.erase(at);
    return path;
  }
  if (at + 1 == arguments.end()) {
    throw Error::usage("option '" + kOption + "' has no value", {kOption + " PATH"});
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
