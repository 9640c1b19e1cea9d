#pragma once

#include <string>
#include <vector>

#include "perflab/bench/error.hpp"

namespace perflab {

/// The number of letters to put in, take out or replace; Levenshtein's distance.
std::size_t edits(const std::string& from, const std::string& to);

/// The message, and the allowed name that was meant, if one needs few enough edits for a slip of the finger.
std::string with_suggestion(const std::string& message, const std::string& name,
                            const std::vector<std::string>& allowed);

/// A usage error that names the nearest of the allowed names, and all of them.
Error unknown(const std::string& kind, const std::string& name, const std::vector<std::string>& allowed);

}  // namespace perflab
