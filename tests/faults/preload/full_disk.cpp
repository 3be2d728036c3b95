// Put in front of the C library (LD_PRELOAD): a disk has as many bytes left as $LIKELY_DISK_FREE says,
// whoever asks.
#include <dlfcn.h>
#include <sys/statvfs.h>

#include <cstdlib>

namespace {

using Ask = int(const char*, struct statvfs*);

int ask(const char* name, const char* path, struct statvfs* answer) {
  auto* const real = reinterpret_cast<Ask*>(dlsym(RTLD_NEXT, name));
  const int result = real(path, answer);
  const char* const bytes = std::getenv("LIKELY_DISK_FREE");
  if (result == 0 && bytes != nullptr) {
    answer->f_bavail = std::strtoull(bytes, nullptr, 10) / answer->f_frsize;
    answer->f_bfree = answer->f_bavail;
  }
  return result;
}

}  // namespace

extern "C" {

int statvfs(const char* path, struct statvfs* answer) { return ask("statvfs", path, answer); }
// The same in a program of 64 bits.
int statvfs64(const char* path, struct statvfs64* answer) {
  return ask("statvfs64", path, reinterpret_cast<struct statvfs*>(answer));
}
}
