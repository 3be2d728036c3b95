#include "likely/train/run_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "likely/core/error.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/checksum.hpp"
#include "likely/io/disk_error.hpp"
#include "likely/io/folder_claim.hpp"
#include "likely/io/input_file.hpp"
#include "likely/io/made_record.hpp"

namespace likely::train::detail {

namespace {

std::string quoted(const std::filesystem::path& path) { return fmt::format("\"{}\"", path.string()); }

std::unique_ptr<io::FolderLock> lock_of(const char* caller, const std::filesystem::path& folder) {
  try {
    return std::make_unique<io::FolderLock>(folder, io::FolderLockOptions{.within = true});
  } catch (const io::FolderRefusal& refusal) {
    using Why = io::FolderRefusal::Why;
    if (refusal.why == Why::taken) refuse(caller, "another process is training in " + quoted(folder));
    io::fail_writing(
        caller,
        fmt::format("cannot {} the run folder {}: {}", refusal.why == Why::cannot_make ? "make" : "open",
                    quoted(folder), refusal.reason),
        refusal.error);
  } catch (const Error& error) {
    refuse(caller, error.what());
  }
}

// Of the first bytes of a file; refuses one that has fewer.
std::uint32_t checksum_of_start(const char* caller, const std::filesystem::path& path, std::int64_t bytes) {
  constexpr std::int64_t kPiece = 1 << 16;
  const io::InputFile file(caller, path);
  if (static_cast<std::int64_t>(file.size()) < bytes) {
    refuse(caller, fmt::format("{} has {} bytes, the checkpoint was made when it had {}", quoted(path),
                               file.size(), bytes));
  }
  std::vector<char> piece(static_cast<std::size_t>(std::min(bytes, kPiece)));
  std::uint32_t checksum = 0;
  for (std::int64_t read = 0; read < bytes;) {
    const std::int64_t count = std::min(bytes - read, kPiece);
    file.read(static_cast<std::uint64_t>(read), piece.data(), static_cast<std::size_t>(count));
    checksum = io::checksum_of(piece.data(), static_cast<std::size_t>(count), checksum);
    read += count;
  }
  return checksum;
}

}  // namespace

void check_metrics(const char* caller, const std::filesystem::path& metrics, std::int64_t bytes,
                   std::optional<std::uint32_t> checksum) {
  const std::uint32_t found = bytes == 0 ? 0 : checksum_of_start(caller, metrics, bytes);
  if (checksum && found != *checksum)
    refuse(caller, quoted(metrics) + " was changed after it was written (its checksum does not fit)");
}

RunFolder::RunFolder(const char* caller, std::filesystem::path folder)
    : caller_(caller),
      shown_(std::move(folder)),
      folder_(std::filesystem::absolute(shown_)),
      lock_(lock_of(caller, shown_)) {
  using io::detail::MadeRecord;
  if (holds_run()) lock_->tidy();
  made_ = std::make_unique<MadeRecord>(lock_->path(), shown_,
                                       holds_run() ? MadeRecord::Known::all : MadeRecord::Known::nothing);
}

void RunFolder::check_place() const {
  try {
    io::detail::check_place(config());
  } catch (const Error&) {
    refuse(caller_, quoted(shown_) + (std::filesystem::exists(folder_)
                                          ? ": another folder was put in its place meanwhile; nothing is "
                                            "written there"
                                          : " is gone: it was moved or removed meanwhile"));
  }
}

bool RunFolder::holds_run() const {
  return std::filesystem::exists(config()) || std::filesystem::exists(checkpoint());
}

void RunFolder::drop_next_best() const {
  std::error_code still_there;  // then the next one that goes on removes it
  if (io::detail::whose(next_best()) == io::detail::Whose::ours)
    std::filesystem::remove(next_best(), still_there);
}

// What lies in a folder with a run is taken for the run's own, but this name is only used for a moment.
void RunFolder::free_next_best() const {
  std::error_code failed;
  if (std::filesystem::symlink_status(next_best(), failed).type() != std::filesystem::file_type::not_found)
    io::detail::set_aside(next_best());
}

void RunFolder::check_room(std::int64_t bytes) const {
  try {
    io::detail::check_room(folder_, shown_, bytes, "checkpoints need");
  } catch (const io::DiskError& error) {
    io::fail_writing(caller_, error.what(), ENOSPC);
  }
}

void RunFolder::write_config(std::string_view text) const {
  io::AtomicFile file(config());
  file.write(text);
  file.commit();
}

void RunFolder::take_back() {
  metrics_.reset();
  for (const std::filesystem::path& file : {config(), metrics()}) {
    std::error_code still_there;
    if (io::detail::whose(file) == io::detail::Whose::ours) std::filesystem::remove(file, still_there);
  }
}

void RunFolder::open_metrics(std::int64_t bytes) {
  // Before anything is set aside: what the checkpoint rests upon is to stay where it is.
  if (bytes > 0 && io::detail::whose(metrics()) == io::detail::Whose::others)
    refuse(caller_, quoted(shown(metrics())) +
                        " is a link, or was changed: put the file there that the training wrote");
  metrics_ = std::make_unique<io::detail::GrowingFile>(caller_, shown(metrics()), bytes);
  metrics_checksum_ = checksum_of_start(caller_, shown(metrics()), bytes);
}

void RunFolder::append_metrics(std::string_view line) {
  check_place();
  metrics_->append(line);
  metrics_checksum_ = io::checksum_of(line.data(), line.size(), metrics_checksum_);
  metrics_checksum_ = io::checksum_of("\n", 1, metrics_checksum_);
}

}  // namespace likely::train::detail
