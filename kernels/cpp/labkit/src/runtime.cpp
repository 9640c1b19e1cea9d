#include <unistd.h>

#include <array>

#include "json.hpp"

namespace perflab {
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
