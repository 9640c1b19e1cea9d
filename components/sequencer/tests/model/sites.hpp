#pragma once

#include <atomic>
#include <fstream>
#include <optional>
#include <set>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sequencer::model {

/**
 * The accesses of one source that order others, each by the comment at the end of its line: "[S4]" in the lab's buffer.
 * While one of these lives, model::Atomic asks it for each access's order; it notes which there are, and takes the order
 * from the one that is to be weakened. So a mutant is the source itself but for one line.
 *
 * One at a time.
 */
class Sites {
 public:
  /// @param file How the source's path ends.
  explicit Sites(std::string file, std::optional<std::string> weakened = std::nullopt)
      : file_(std::move(file)), weakened_(std::move(weakened)) {
    if (std::exchange(watching_, this) != nullptr) {
      throw std::logic_error("somebody watches already");
    }
  }
  ~Sites() { watching_ = nullptr; }
  Sites(const Sites&) = delete;
  Sites& operator=(const Sites&) = delete;

  /// Those that were come by.
  const std::set<std::string>& found() const { return found_; }

  /// The order that an access has, where its source asks for this one.
  static std::memory_order order(std::memory_order asked, const std::source_location& at) {
    return watching_ == nullptr || asked == std::memory_order_relaxed ? asked : watching_->of(asked, at);
  }

 private:
  std::memory_order of(std::memory_order asked, const std::source_location& at) {
    if (!std::string(at.file_name()).ends_with(file_)) {
      return asked;
    }
    const std::string& name = name_of(at);
    found_.insert(name);
    return name == weakened_ ? std::memory_order_relaxed : asked;
  }

  /// A line that says nothing is known by its number: it is no site that anybody expects.
  const std::string& name_of(const std::source_location& at) {
    if (lines_.empty()) {
      std::ifstream source(at.file_name());
      for (std::string line; std::getline(source, line);) {
        const auto comment = line.find("  // ");
        lines_.push_back(comment == std::string::npos ? "line " + std::to_string(lines_.size() + 1)
                                                      : line.substr(comment + 5));
      }
    }
    return lines_.at(at.line() - 1);
  }

  static inline Sites* watching_ = nullptr;

  const std::string file_;
  const std::optional<std::string> weakened_;
  std::vector<std::string> lines_;
  std::set<std::string> found_;
};

}  // namespace sequencer::model
