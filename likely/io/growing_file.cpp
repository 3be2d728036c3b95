#include "likely/io/growing_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/disk_error.hpp"
#include "likely/io/made_record.hpp"
#include "likely/io/rename.hpp"
#include "likely/io/text.hpp"

namespace likely::io::detail {

namespace {

std::string cannot_write(const std::filesystem::path& path) {
  return fmt::format("cannot write \"{}\": {}", path.string(), std::generic_category().message(errno));
}

}  // namespace

GrowingFile::GrowingFile(const char* caller, std::filesystem::path path, std::int64_t bytes)
    : caller_(caller), shown_(std::move(path)), path_(std::filesystem::absolute(shown_)), bytes_(bytes) {
  // One that is made anew is there, and known, at once.
  if (bytes == 0 && whose(path_) != Whose::ours) write_file(shown_, "");
  // A file with a second name, as backups by links have it, is left to the other: this one goes on with a
  // copy.
  struct stat status {};
  if (bytes > 0 && lstat(path_.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 1)
    write_file(shown_, read_text(shown_));
  const int file = away_from_standard_streams(
      open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  file_ = file < 0 ? nullptr : fdopen(file, "ab");
  if (file_ == nullptr) refuse(caller_, cannot_write(shown_));
  // Cutting nothing off would make it a file that was changed since it was noted.
  if (fstat(file, &status) != 0 || (status.st_size > bytes && ftruncate(file, bytes) != 0)) {
    const std::string why = cannot_write(shown_);
    std::fclose(file_);
    refuse(caller_, why);
  }
}

GrowingFile::~GrowingFile() {
  struct stat written {};
  struct stat there {};
  const bool is_ours = fstat(fileno(file_), &written) == 0 && lstat(path_.c_str(), &there) == 0 &&
                       written.st_dev == there.st_dev && written.st_ino == there.st_ino;
  std::fclose(file_);
  try {
    if (is_ours) note_changed(path_);
  } catch (const std::exception&) {  // no memory: it stays
  }
}

void GrowingFile::append(std::string_view line) {
  const auto longer = bytes_ + static_cast<std::int64_t>(line.size()) + 1;
  note_growing(path_, fileno(file_), bytes_, longer);
  const bool written = std::fwrite(line.data(), 1, line.size(), file_) == line.size() &&
                       std::fputc('\n', file_) != EOF && std::fflush(file_) == 0;
  if (!written) {
    const int error = errno;
    fail_writing(caller_, cannot_write(shown_), error);
  }
  bytes_ = longer;
}

}  // namespace likely::io::detail
