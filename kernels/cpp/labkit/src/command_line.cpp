#include "command_line.hpp"

#include <algorithm>
#include <charconv>

#include "perflab/bench/error.hpp"

namespace perflab {

CommandLine::CommandLine(const std::vector<std::string>& arguments, const std::vector<std::string>& known) {
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    const auto equals = argument->find('=');
    const std::string name = argument->substr(0, equals);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error::unknown("option", name, known);
    }
    if (equals != std::string::npos) {
      given_.emplace_back(name, argument->substr(equals + 1));
    } else if (++argument != arguments.end()) {
      given_.emplace_back(name, *argument);
    } else {
      throw Error::usage("option '" + name + "' has no value", known);
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
  throw Error::usage("the option '" + option + "' is missing", {option + " NAME"});
}

CommandLine::Pairs CommandLine::pairs(const std::string& option) const {
  Pairs found;
  for (const auto& [name, text] : given_) {
    if (name != option) {
      continue;
    }
    const auto equals = text.find('=');
    if (equals == std::string::npos) {
      throw Error::usage("'" + option + " " + text + "' has no value", {option + " NAME=VALUE"});
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
  if (problem != std::errc{} || end != text->data() + text->size()) {
    throw Error::usage(option + " cannot be '" + *text + "'", {option + " with a whole number"});
  }
  if (number < least) {
    throw Error::usage(option + " cannot be " + *text, {"a whole number of at least " + std::to_string(least)});
  }
  return number;
}

}  // namespace perflab
