#include "command_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "perflab/bench/error.hpp"

namespace perflab {

CommandLine::CommandLine(const std::vector<std::string>& arguments, const std::vector<std::string>& known) {
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    const auto equals = argument->find('=');
    const std::string name = argument->substr(0, equals);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error::unknown("option", name);
    }
    if (equals != std::string::npos) {
      given_.emplace_back(name, argument->substr(equals + 1));
    } else if (++argument != arguments.end()) {
      given_.emplace_back(name, *argument);
    } else {
      throw Error::usage("option '" + name + "' has no value");
    }
  }
}

std::optional<std::string> CommandLine::value(const std::string& option) const {
  const auto last =
      std::find_if(given_.rbegin(), given_.rend(), [&](const auto& pair) { return pair.first == option; });
  return last == given_.rend() ? std::nullopt : std::optional(last->second);
}

std::string CommandLine::required(const std::string& option) const {
  if (auto given = value(option)) {
    return *std::move(given);
  }
  throw Error::usage("the option '" + option + "' is missing");
}

CommandLine::Pairs CommandLine::pairs(const std::string& option) const {
  Pairs found;
  for (const auto& [name, text] : given_) {
    if (name != option) {
      continue;
    }
    const auto equals = text.find('=');
    if (equals == std::string::npos) {
      throw Error::usage("'" + option + " " + text + "' has no value");
    }
    found.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return found;
}

std::int64_t CommandLine::whole(const std::string& option, std::int64_t otherwise, std::int64_t least) const {
  const auto text = value(option);
  if (!text) {
    return otherwise;
  }
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (problem != std::errc{} || end != text->data() + text->size() || number < least) {
    throw Error::usage(option + " cannot be '" + *text + "'");
  }
  return number;
}

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
    throw Error::usage("option '" + kOption + "' has no value");
  }
  std::string path = *(at + 1);
  arguments.erase(at, at + 2);
  return path;
}

void become_plugin(const std::string& path, std::vector<std::string> arguments) {
  if (!std::filesystem::is_regular_file(path)) {
    throw Error::usage("no plug-in can be read at '" + path + "'");
  }
  // Absolute, or a name without a slash would be looked for on the PATH.
  std::string program = std::filesystem::absolute(path).string();
  std::vector<char*> words{program.data()};
  for (std::string& argument : arguments) {
    words.push_back(argument.data());
  }
  words.push_back(nullptr);
  ::execv(program.c_str(), words.data());
  throw Error::usage("the plug-in '" + path + "' does not start: " + std::generic_category().message(errno));
}

}  // namespace perflab
