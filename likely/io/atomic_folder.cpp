#include "likely/io/atomic_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include "likely/core/error.hpp"

namespace likely::io {

namespace fs = std::filesystem;

AtomicFolder::AtomicFolder(fs::path target, const AtomicFolderOptions& options) : target_(std::move(target)) {
  if (target_.empty()) throw Error("the folder for results has no name");
  while (target_.has_parent_path() && !target_.has_filename()) target_ = target_.parent_path();
  if (!fs::exists(target_)) return;
  if (!fs::is_directory(target_))
    throw Error(fmt::format("{}: this is a file, not a folder", target_.string()));
  if (fs::is_empty(target_)) return;
  if (options.mark.empty() || !fs::exists(target_ / options.mark))
    throw Error(fmt::format("{}: the folder holds other things; choose another", target_.string()));
  if (!options.replace)
    throw Error(fmt::format("{} already holds results; replace them (--force) or choose another folder",
                            target_.string()));
}

AtomicFolder::~AtomicFolder() {
  if (temporary_.empty()) return;
  std::error_code failed;  // a destructor does what it can
  fs::remove_all(temporary_, failed);
  if (first_made_.empty()) return;
  // The folders around it, unless somebody else has come to use them.
  for (fs::path made = fs::absolute(target_); made != first_made_ && !failed;) {
    made = made.parent_path();
    fs::remove(made, failed);
  }
}

const fs::path& AtomicFolder::path() {
  if (!temporary_.empty()) return temporary_;
  for (fs::path part = fs::absolute(target_); !fs::exists(part); part = part.parent_path())
    first_made_ = part;
  temporary_ = target_.string() + fmt::format(".part-{}", getpid());
  std::error_code failed;
  fs::create_directories(temporary_, failed);
  if (failed) {
    temporary_.clear();
    throw Error(fmt::format("cannot make the folder {}: {}", target_.string(), failed.message()));
  }
  return temporary_;
}

void AtomicFolder::commit() {
  path();
  const fs::path aside = target_.string() + fmt::format(".old-{}", getpid());
  const bool replaced = fs::exists(target_);
  std::error_code failed;
  if (replaced) fs::rename(target_, aside, failed);
  if (!failed) fs::rename(temporary_, target_, failed);
  if (failed) {
    std::error_code ignored;
    if (replaced && !fs::exists(target_)) fs::rename(aside, target_, ignored);
    throw Error(fmt::format("cannot write the folder {}: {}", target_.string(), failed.message()));
  }
  temporary_.clear();
  if (replaced) fs::remove_all(aside, failed);
}

}  // namespace likely::io
