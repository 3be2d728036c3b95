#include "likely/train/run_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/io/atomic_file.hpp"

namespace likely::train::detail {

namespace {

std::string quoted(const std::filesystem::path& path) { return fmt::format("\"{}\"", path.string()); }

std::string reason() { return std::generic_category().message(errno); }

}  // namespace

RunFolder::RunFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) refuse("fit", "cannot make the run folder " + quoted(folder_) + ": " + error.message());
  lock_ = open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) refuse("fit", "cannot open the run folder " + quoted(folder_) + ": " + reason());
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(lock_);
    refuse("fit", "another process is training in " + quoted(folder_));
  }
}

RunFolder::~RunFolder() {
  if (log_ != nullptr) std::fclose(log_);
  close(lock_);  // and with it the lock
}

bool RunFolder::holds_run() const {
  return std::filesystem::exists(config()) || std::filesystem::exists(checkpoint());
}

void RunFolder::check_room(std::int64_t bytes) const {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder_, error);
  if (error) return;  // some file systems do not tell; writing will
  if (space.available < static_cast<std::uintmax_t>(bytes)) {
    refuse("fit",
           fmt::format("no room in {}: {:.1f} MB are free, checkpoints need {:.1f} MB", quoted(folder_),
                       static_cast<double>(space.available) / 1e6, static_cast<double>(bytes) / 1e6));
  }
}

void RunFolder::write_config(std::string_view text) const {
  io::AtomicFile file(config());
  file.write(text);
  file.commit();
}

std::string RunFolder::read_config() const {
  std::ifstream file(config(), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void RunFolder::open_metrics(std::int64_t bytes) {
  log_ = std::fopen(metrics().c_str(), "ab");
  if (log_ == nullptr) refuse("fit", "cannot write " + quoted(metrics()) + ": " + reason());
  const auto there = static_cast<std::int64_t>(std::filesystem::file_size(metrics()));
  if (there < bytes) {
    refuse("fit", fmt::format("{} has {} bytes, the checkpoint was made when it had {}", quoted(metrics()),
                              there, bytes));
  }
  if (ftruncate(fileno(log_), bytes) != 0)
    refuse("fit", "cannot write " + quoted(metrics()) + ": " + reason());
  metrics_bytes_ = bytes;
}

void RunFolder::append_metrics(std::string_view line) {
  const bool written = std::fwrite(line.data(), 1, line.size(), log_) == line.size() &&
                       std::fputc('\n', log_) != EOF && std::fflush(log_) == 0;
  if (!written) refuse("fit", "cannot write " + quoted(metrics()) + ": " + reason());
  metrics_bytes_ += static_cast<std::int64_t>(line.size()) + 1;
}

}  // namespace likely::train::detail
