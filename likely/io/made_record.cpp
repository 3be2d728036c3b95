#include "likely/io/made_record.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <system_error>

#include "likely/core/error.hpp"
#include "likely/io/folder_leftovers.hpp"
#include "likely/io/remove_inside.hpp"
#include "likely/io/rename.hpp"

namespace likely::io {

namespace fs = std::filesystem;

namespace {

// Whether a path is the root or lies below it, part by part.
bool is_below(const fs::path& path, const fs::path& root) {
  return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

}  // namespace

namespace detail {

// Files are made all over the library, by functions that know nothing but a path: only the process can tell
// what it made.
class Records {
 public:
  static std::mutex guard;
  static std::vector<MadeRecord*> all;

  // The records of folders that a path lies in, oldest first, with the path in each.
  static std::vector<std::pair<MadeRecord*, fs::path>> of(const fs::path& path) {
    std::vector<std::pair<MadeRecord*, fs::path>> found;
    if (all.empty()) return found;
    std::error_code failed;
    const fs::path whole = fs::absolute(path, failed);
    if (failed) return found;
    const fs::path parent = fs::weakly_canonical(whole.parent_path(), failed);
    const fs::path place = failed ? whole : parent / whole.filename();
    for (MadeRecord* record : all) {
      if (record->covers(whole, place)) found.emplace_back(record, place.lexically_relative(record->folder_));
    }
    return found;
  }

  static void check(const fs::path& path) {
    for (const auto& [record, inside] : of(path)) record->check();
    if (const std::optional<fs::path> link = link_on_the_way(path))
      throw Error(fmt::format("{} is a link: nothing is written through it", link->string()));
  }

  // The first link to something below a recorded folder, on the way to a path that was named as lying in it.
  // The folder itself, and those around it, may be links.
  static std::optional<fs::path> link_on_the_way(const fs::path& path) {
    std::error_code failed;
    const fs::path whole = fs::absolute(path, failed);
    for (const MadeRecord* record : all) {
      for (const auto& [root, shown] :
           {std::pair(record->named_, record->shown_), std::pair(record->folder_, record->folder_)}) {
        if (failed || !is_below(whole, root)) continue;
        fs::path place = shown;
        for (const fs::path& part : whole.parent_path().lexically_relative(root)) {
          place /= part;
          if (fs::is_symlink(place, failed)) return place;
        }
      }
    }
    return std::nullopt;
  }

  static Whose whose(const fs::path& path) {
    const auto records = of(path);
    if (records.empty()) return Whose::not_recorded;
    bool there = false;
    const std::optional<FilePrint> now = print_of(path, there);
    if (!there) return Whose::nothing_there;
    for (const auto& [record, inside] : records) {
      for (const Noted* list : {&record->made_, &record->known_}) {
        const auto found = list->find(inside);
        if (found != list->end() && (now ? is_noted(*now, found->second) : found->second.empty()))
          return Whose::ours;
      }
    }
    return Whose::others;
  }

  // What cannot be listed is taken for somebody else's by the next process, and kept.
  static void making(const fs::path& path, const Prints& prints) {
    for (const auto& [record, inside] : of(path)) {
      if (record->is_listing(inside)) record->list_.note({{inside, prints}});
    }
  }

  static void growing(const fs::path& path, const FilePrint& now, std::int64_t from, std::int64_t to) {
    for (const auto& [record, inside] : of(path)) {
      if (record->is_listing(inside)) record->list_.note_growing(inside, now.number, from, to);
    }
  }

  static void made(const fs::path& path) {
    for (const auto& [record, inside] : of(path)) {
      record->made_[inside] = prints_of(path);
      if (record->signs_of_worth_.contains(inside.filename().string())) record->is_worth_keeping_ = true;
    }
  }

  static void kept(const fs::path& path, const std::string& name) {
    const auto records = of(path);
    if (!records.empty()) records.front().first->kept_.push_back({shown(path), name});
  }

  static fs::path shown(const fs::path& path) {
    const auto records = of(path);
    if (records.empty() || records.front().second.string().starts_with("..")) return path;
    return records.front().first->shown_ / records.front().second;
  }
};

std::mutex Records::guard;
std::vector<MadeRecord*> Records::all;

}  // namespace detail

void note_made(const fs::path& path) {
  const std::lock_guard lock(detail::Records::guard);
  try {
    detail::Records::made(path);
  } catch (...) {
    // No memory: what cannot be told would be taken for somebody else's for ever.
    std::remove(path.c_str());
    throw;
  }
}

void make_folders(const fs::path& folder) {
  // A link to a folder elsewhere that has a name of ours.
  while (const std::optional<fs::path> link = detail::link_on_the_way_into(folder)) detail::set_aside(*link);
  detail::check_place(folder);
  std::vector<fs::path> missing;
  for (fs::path part = fs::absolute(folder); !fs::exists(part); part = part.parent_path())
    missing.push_back(part);
  std::reverse(missing.begin(), missing.end());
  for (const fs::path& part : missing) {
    detail::note_making(part, {});
    if (fs::create_directory(part)) note_made(part);
  }
  fs::create_directories(folder);  // says why where a file is in the way
}

std::string text_of(const Kept& kept) {
  return fmt::format("{} was somebody else's: it is kept as {}", kept.path.string(), kept.name);
}

namespace detail {

void note_changed(const fs::path& path) {
  const std::lock_guard lock(Records::guard);
  Records::made(path);
}

void note_making(const fs::path& path, const Prints& prints) {
  const std::lock_guard lock(Records::guard);
  Records::making(path, prints);
}

void note_growing(const fs::path& path, int file, std::int64_t from, std::int64_t to) {
  struct stat now {};
  if (fstat(file, &now) != 0) return;
  const std::lock_guard lock(Records::guard);
  Records::growing(path, print_of(now), from, to);
}

Whose whose(const fs::path& path) {
  const std::lock_guard lock(Records::guard);
  return Records::whose(path);
}

fs::path as_shown(const fs::path& path) {
  const std::lock_guard lock(Records::guard);
  return Records::shown(path);
}

void check_place(const fs::path& path) {
  const std::lock_guard lock(Records::guard);
  Records::check(path);
}

std::optional<fs::path> link_on_the_way_into(const fs::path& folder) {
  const std::lock_guard lock(Records::guard);
  return Records::link_on_the_way(folder / ".");
}

std::string kept_name(const std::string& name, int count) {
  constexpr std::size_t kLongest = 255;
  const std::string ending = count == 1 ? ".kept" : fmt::format(".kept-{}", count);
  return name.substr(0, kLongest - ending.size()) + ending;
}

void set_aside(const fs::path& path) {
  int error = EEXIST;
  std::string name;
  for (int count = 1; error == EEXIST && count < 1000; ++count) {
    name = kept_name(path.filename().string(), count);
    error = rename_new(path, path.parent_path() / name);
  }
  if (error == ENOENT) return;  // it is gone
  if (error != 0)
    throw Error(fmt::format("{} is somebody else's and cannot be set aside: {}", as_shown(path).string(),
                            std::generic_category().message(error)));
  const std::lock_guard lock(Records::guard);
  Records::kept(path, name);
}

MadeRecord::MadeRecord(fs::path folder, fs::path shown, Known known)
    : folder_(std::move(folder)), shown_(std::move(shown)), named_(fs::absolute(shown_)) {
  take_place();
  if (known == Known::all) {
    std::error_code failed;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(folder_, options, failed), end; !failed && at != end;
         at.increment(failed)) {
      // No command makes links, pipes or devices: what leads out of the folder is not written through.
      std::error_code unknown;
      const fs::file_type kind = at->symlink_status(unknown).type();
      if (kind != fs::file_type::regular && kind != fs::file_type::directory) continue;
      known_[at->path().lexically_relative(folder_)] = prints_of(at->path());
    }
  }
  const std::lock_guard lock(Records::guard);
  Records::all.push_back(this);
}

MadeRecord::~MadeRecord() {
  const std::lock_guard lock(Records::guard);
  std::erase(Records::all, this);
}

void MadeRecord::take_place() {
  struct stat there {};
  if (stat(folder_.c_str(), &there) == 0) identity_ = {there.st_dev, there.st_ino};
}

int MadeRecord::list_in(const fs::path& other, const fs::path& made,
                        const std::set<std::string>& signs_of_worth) {
  signs_of_worth_ = signs_of_worth;
  const std::optional<FolderPrint> print = folder_print_of(made);
  return print ? list_.begin(list_of_made(other), *print, signs_of_worth) : ENOENT;
}

// Once there is something worth keeping, only what is new.
bool MadeRecord::is_listing(const fs::path& inside) {
  return list_.is_open() && (listed_.insert(inside).second || !is_worth_keeping_);
}

bool MadeRecord::covers(const fs::path& whole, const fs::path& place) const {
  return is_below(place, folder_) || is_below(whole, named_);
}

// By its name: a link may lead elsewhere meanwhile.
void MadeRecord::check() const {
  struct stat there {};
  if (stat(named_.c_str(), &there) != 0)
    throw Error(fmt::format("{} is gone: it was moved or removed meanwhile", shown_.string()));
  if (identity_ != std::pair(there.st_dev, there.st_ino))
    throw Error(fmt::format("{}: another folder was put in its place meanwhile; nothing is written there",
                            shown_.string()));
}

bool MadeRecord::has_made(const std::set<std::string>& names) const {
  const std::lock_guard lock(Records::guard);
  return std::any_of(made_.begin(), made_.end(), [&](const auto& made) {
    bool there = false;
    const std::optional<FilePrint> now = print_of(folder_ / made.first, there);
    return names.contains(made.first.filename().string()) && now && is_noted(*now, made.second);
  });
}

void MadeRecord::remove_made(const fs::path& folder) const {
  const std::lock_guard lock(Records::guard);
  Noted noted = made_;
  for (const auto& [inside, prints] : made_) {
    for (fs::path part = inside.parent_path(); !part.empty(); part = part.parent_path())
      noted.try_emplace(part);
  }
  remove_noted(folder, noted);
}

}  // namespace detail

}  // namespace likely::io
