#include "sequencer/region.hpp"

#include <sys/mman.h>

namespace sequencer {

Region::Region(std::size_t bytes) : bytes_(bytes) {
  void* const mapped =
      ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    throw std::bad_alloc();
  }
  memory_ = static_cast<std::byte*>(mapped);
}

Region::~Region() { ::munmap(memory_, bytes_); }

std::byte* Region::carve(std::size_t bytes) {
  if (bytes > bytes_ - used_) {
    throw std::bad_alloc();
  }
  std::byte* const first = memory_ + used_;
  used_ += bytes;
  return first;
}

}  // namespace sequencer
