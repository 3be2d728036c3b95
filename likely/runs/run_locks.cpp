#include "likely/runs/run_locks.hpp"

#include <system_error>

namespace likely::runs {

RunLocks::RunLocks(const std::filesystem::path& folder, To what) : what_(what) { add(folder); }

void RunLocks::add(const std::filesystem::path& folder) {
  std::error_code unknown;
  const bool is_run = std::filesystem::exists(folder / "recipe.json", unknown);
  const bool is_first = locks_.empty();
  const io::Leftovers leftovers = what_ == To::draw ? io::Leftovers::leave
                                  : is_run          ? io::Leftovers::keep_what_is_there
                                                    : io::Leftovers::put_in_order;
  // A seed may not have been begun.
  const bool make = what_ == To::go_on && !is_first;
  locks_.push_back(
      std::make_unique<io::FolderLock>(folder, io::FolderLockOptions{.make = make, .leftovers = leftovers}));
}

std::vector<std::string> RunLocks::told() const {
  std::vector<std::string> all;
  for (const auto& lock : locks_) all.insert(all.end(), lock->told().begin(), lock->told().end());
  return all;
}

void FolderNews::tell(const std::vector<std::string>& told, const std::vector<io::Kept>& kept) {
  while (told_ < told.size()) add(told[told_++]);
  while (kept_ < kept.size()) add(text_of(kept[kept_++]));
}

void FolderNews::add(const std::string& news) {
  all_.push_back(news);
  if (events_) events_(train::event::Warning{news});
}

}  // namespace likely::runs
