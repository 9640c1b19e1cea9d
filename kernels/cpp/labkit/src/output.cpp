#include "output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
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

}  // namespace perflab
