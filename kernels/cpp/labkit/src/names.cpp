#include "names.hpp"

#include <algorithm>
#include <numeric>

namespace perflab {

std::size_t edits(const std::string& from, const std::string& to) {
  // One row of the table at a time.
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t substituted = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string with_suggestion(const std::string& message, const std::string& name,
                            const std::vector<std::string>& allowed) {
  const auto nearest = std::min_element(
      allowed.begin(), allowed.end(),
      [&](const std::string& one, const std::string& other) { return edits(name, one) < edits(name, other); });
  if (nearest == allowed.end() || edits(name, *nearest) > std::max<std::size_t>(2, name.size() / 3)) {
    return message;
  }
  return message + ", did you mean '" + *nearest + "'?";
}

Error unknown(const std::string& kind, const std::string& name, const std::vector<std::string>& allowed) {
  return Error::usage(with_suggestion("unknown " + kind + " '" + name + "'", name, allowed), allowed);
}

}  // namespace perflab
