#include "perflab/bench/checks.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <string_view>
#include <system_error>

#include "perflab/bench/error.hpp"
#include "perflab/bench/sample.hpp"

namespace perflab {
namespace {

// The first character of what a child says; a child that was ended says nothing, or half of it and no status.
constexpr char kHolds = '+';
constexpr char kBroken = '-';

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

class File {
 public:
  explicit File(int descriptor) noexcept : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(); }

  void close() noexcept {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
      descriptor_ = -1;
    }
  }
  int get() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

[[noreturn]] void be_the_child(const std::function<Evidence()>& body, int out) {
  std::string said(1, kHolds);
  try {
    if (const Evidence evidence = body()) {
      said = kBroken + *evidence;
    }
  } catch (const std::exception& problem) {
    said = kBroken + std::string("threw: ") + problem.what();
  } catch (...) {
    said = kBroken + std::string("threw something that is no exception");
  }
  std::string_view rest = said;
  while (!rest.empty()) {
    const ssize_t written = ::write(out, rest.data(), rest.size());
    if (written <= 0) {
      break;
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  // Without destructors and buffers, of which the parent has its own.
  ::_exit(rest.empty() ? 0 : 1);
}

/// What the child has said until it closed the pipe; nothing if the time is over before.
std::optional<std::string> listen(int in, Clock::time_point deadline) {
  std::string said;
  std::array<char, 4'096> buffer{};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd waiting{in, POLLIN, 0};
    const int ready = left > 0 ? ::poll(&waiting, 1, static_cast<int>(left)) : 0;
    if (ready == 0) {
      return std::nullopt;
    }
    const ssize_t read = ready < 0 ? -1 : ::read(in, buffer.data(), buffer.size());
    if (read < 0 && errno != EINTR) {
      fail("a check cannot be heard");
    }
    if (read == 0) {
      return said;
    }
    if (read > 0) {
      said.append(buffer.data(), static_cast<std::size_t>(read));
    }
  }
}

int end_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      fail("a check's process is lost");
    }
  }
  return status;
}

}  // namespace

Evidence run_apart(const std::function<Evidence()>& body, std::chrono::milliseconds limit) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) {
    fail("no pipe for a check");
  }
  File in(ends[0]);
  File out(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) {
    fail("no process for a check");
  }
  if (child == 0) {
    in.close();
    be_the_child(body, out.get());
  }
  out.close();
  const auto said = listen(in.get(), Clock::now() + limit);
  if (!said) {
    ::kill(child, SIGKILL);
    end_of(child);
    return "did not end within " + std::to_string(limit.count()) + " ms";
  }
  const int status = end_of(child);
  if (WIFSIGNALED(status)) {
    return "crashed: " + std::string(::strsignal(WTERMSIG(status)));
  }
  if (WEXITSTATUS(status) != 0 || said->empty()) {
    // As the sanitizers do, which have told why on standard error.
    return "ended with status " + std::to_string(WEXITSTATUS(status));
  }
  return said->front() == kHolds ? Evidence() : said->substr(1);
}

void Checks::require(std::string_view statement, bool holds, const std::function<std::string()>& evidence) {
  if (!holds) {
    throw Error::validation(std::string(statement) + ": " + evidence());
  }
  if (std::find(passed_.begin(), passed_.end(), statement) == passed_.end()) {
    passed_.emplace_back(statement);
  }
}

}  // namespace perflab
