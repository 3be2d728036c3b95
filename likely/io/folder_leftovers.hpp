// What a process that was killed leaves behind, and how the next one puts it in order. Internal to io/.
//
// Beside a folder X there may be, while somebody holds the lock of X and of these:
//
//   .X.likely-new: results that are not whole yet or, once they have traded places with X, what they replaced
//
//   .X.likely-old: what X held before a run that goes on in X
//
//   .X.likely-gone: what X held, for a moment, where the file system cannot let names trade places
//
// In a folder that is being replaced lies .likely-replaced, a list of what it held when it was claimed: that
// may go; all else in it is somebody's, and is moved to X. In .X.likely-old lies .likely-made besides, a list
// of what the run that goes on in X makes there: that may go, should the run come to nothing.
//
// In X, while a file is written: .NAME.<process>.<count>.likely-tmp, which is locked by its writer; while a
// picture is drawn, where there is no other place: .likely-figure-<six characters>.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace likely::io::detail {

enum class Beside : unsigned char { unfinished, earlier, displaced, lock };
// Of the longest names the end is a checksum of the whole.
std::filesystem::path beside(const std::filesystem::path& folder, Beside what);

// The names by one of which, anywhere in its folder, a run has come far enough to be worth more than what it
// replaces: a checkpoint, a model or a report.
const std::set<std::string>& usual_signs_of_worth();

// Where the folder is missing because a process died between two renamings, what it held comes back. To be
// called without its lock.
void put_back_displaced(const std::filesystem::path& folder);

// With the folder's lock: takes away what lies beside it, or puts it back where the folder holds nothing
// better. What others put there is in the folder then. Refuses, naming `shown`, where the process that made
// these things is still at work.
void settle_leftovers(const std::filesystem::path& folder, const std::filesystem::path& shown);

// Whether this is the name of a file that was never finished.
bool is_unfinished_file(const std::string& name);

// Removes files that were never finished and whose writer is gone: all in a folder, whose lock is held, and
// below it; or those that were to become one file.
void remove_unfinished_files(const std::filesystem::path& folder);
void remove_unfinished_versions(const std::filesystem::path& file);

// The name under which a file is written by now, and which no other process uses.
std::filesystem::path unfinished_version(const std::filesystem::path& file);

// Writes the list of what is to be replaced, paths relative to the folder, into it; and takes all lists away.
// Returns 0 or the system's error.
int note_replaced(const std::filesystem::path& folder, const std::set<std::filesystem::path>& replaced);
void forget_lists(const std::filesystem::path& folder);

// Where the list of what is made is, in the folder that it is replacing.
std::filesystem::path list_of_made(const std::filesystem::path& folder);

// Takes away what was replaced and lies in `folder` now, moves the rest into `to`, and takes the folder away
// unless something could not be moved. Returns the names of the rest.
std::vector<std::string> clear_replaced(const std::filesystem::path& folder, const std::filesystem::path& to,
                                        const std::set<std::filesystem::path>& replaced);

// Moves what one folder holds into another, but for these lists. Where there is something of
// that name already, it gets the name NAME.kept, NAME.kept-2, ... Returns the names, as they are then.
std::vector<std::string> move_contents(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace likely::io::detail
