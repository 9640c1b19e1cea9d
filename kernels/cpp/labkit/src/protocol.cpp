#include "protocol.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>

namespace perflab {

ProtocolOutput::ProtocolOutput()
    // No child inherits it: one that lives on would keep whoever reads the lines waiting for their end.
    : descriptor_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
  if (descriptor_ < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    throw std::system_error(errno, std::generic_category(), "standard output cannot be kept for the protocol");
  }
  // What a static initialiser has left in the buffers is no part of the protocol either.
  std::cout.flush();
  std::fflush(stdout);
  // Without a buffer, as standard error: a check's process ends without emptying buffers.
  std::setvbuf(stdout, nullptr, _IONBF, 0);
}

ProtocolOutput::~ProtocolOutput() { ::close(descriptor_); }

int ProtocolOutput::sync() {
  const std::string gathered = str();
  str(std::string());
  for (std::string_view rest = gathered; !rest.empty();) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return -1;
    }
  }
  return 0;
}

void ProtocolWriter::line(const Json& json) {
  // What comes from a command line or a crash may be no UTF-8.
  text(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

void ProtocolWriter::text(const std::string& text) { out_ << text << std::flush; }

void ProtocolWriter::error(const Error& error) {
  Json json = {{"type", "error"}, {"kind", name_of(error.kind())}, {"message", error.what()}};
  if (!error.allowed().empty()) {
    json["allowed"] = error.allowed();
  }
  line(json);
}

Json shortest(double number) {
  constexpr double kLargestExact = 9'007'199'254'740'992;  // 2^53
  if (std::trunc(number) == number && std::abs(number) <= kLargestExact) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

Json to_json(const Sample& sample, std::int64_t index) {
  Json json = {{"type", "sample"}, {"i", index}, {"ops", shortest(sample.ops())}, {"ns", sample.total().count()}};
  for (const auto& [name, ns] : sample.all_latencies().percentiles()) {
    json["percentiles"][name] = ns;
  }
  for (const auto& [name, amount] : sample.counters()) {
    json["counters"][name] = shortest(amount);
  }
  return json;
}

namespace {

#if defined(__clang__)
constexpr const char* kCompiler = "clang++ " __clang_version__;
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

/// The C library's, such as `glibc 2.36`: mutexes and allocation are its.
std::string c_library() {
  std::array<char, 64> name{};
#ifdef _CS_GNU_LIBC_VERSION
  if (confstr(_CS_GNU_LIBC_VERSION, name.data(), name.size()) == 0) {
    return "libc";
  }
#endif
  return name.data();
}

}  // namespace

Json runtime_to_json() {
  return {{"name", "C++"}, {"version", kCompiler}, {"flags", {c_library(), "build=" PERFLAB_BUILD_TYPE}}};
}

}  // namespace perflab
