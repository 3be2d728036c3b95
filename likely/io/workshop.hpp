// Workshop: a folder in which something is made, such as a picture, and which goes with its maker.
#pragma once

#include <filesystem>

namespace likely::io::detail {

// A new folder .likely-figure-<six characters> that nobody else can look into, gone with this object. It is
// locked while its maker lives; those of makers that were killed are taken away by the next one in the same
// place.
class Workshop {
 public:
  Workshop() = default;
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  // Returns 0 or the system's error.
  int make(const std::filesystem::path& in);
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int file_ = -1;
};

// Whether this is the name of one; and takes it away where its maker is gone and was the same user.
bool is_workshop(const std::filesystem::path& path);
void remove_dead_workshop(const std::filesystem::path& path);

}  // namespace likely::io::detail
