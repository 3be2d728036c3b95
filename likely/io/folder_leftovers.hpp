// What a process that was killed leaves behind, and how the next one puts it in order. Internal to io/.
//
// Beside a folder X there may be, while somebody holds the lock of X and of these:
//   .X.likely-new   results that are not whole yet or, once they have traded places with X, what they
//   replaced .X.likely-old   what X held before a run that goes on in X .X.likely-gone  what X held, for a
//   moment, where the file system cannot let names trade places
// In X, while a file is written: .NAME.<process>.<count>.likely-tmp, which is locked by its writer.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace likely::io::detail {

enum class Beside : unsigned char { unfinished, earlier, displaced };
std::filesystem::path beside(const std::filesystem::path& folder, Beside what);

// Whether a run has come far enough to be worth more than what it replaces: a checkpoint, a model or a report
// anywhere in the folder.
bool worth_keeping(const std::filesystem::path& folder);

// Where the folder is missing because a process died between two renamings, what it held comes back. To be
// called without its lock.
void put_back_displaced(const std::filesystem::path& folder);

// With the folder's lock: takes away what lies beside it, or puts it back where the folder holds nothing
// better. Refuses, naming `shown`, where the process that made these things is still at work.
void settle_leftovers(const std::filesystem::path& folder, const std::filesystem::path& shown);

// Whether this is the name of a file that was never finished.
bool is_unfinished_file(const std::string& name);

// Removes files that were never finished and whose writer is gone: all in a folder and below it; or those
// that were to become one file.
void remove_unfinished_files(const std::filesystem::path& folder);
void remove_unfinished_versions(const std::filesystem::path& file);

// The name under which a file is written by now, and which no other process uses.
std::filesystem::path unfinished_version(const std::filesystem::path& file);

// Moves what one folder holds into another. Where there is something of that name already, it gets the name
// NAME.kept, NAME.kept-2, ... Returns the names, as they are then.
std::vector<std::string> move_contents(const std::filesystem::path& from, const std::filesystem::path& to,
                                       const std::set<std::string>& but = {});

}  // namespace likely::io::detail
