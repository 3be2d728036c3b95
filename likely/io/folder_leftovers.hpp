// What a process that was killed leaves beside a folder, and how the next one puts it in order. Only for
// io/.
//
// Beside a folder X there may be, while somebody holds the lock of X and of these:
//
//   .X.likely-new: results that are not whole yet or, once they have traded places with X, what they replaced
//
//   .X.likely-old: what X held before a run that goes on in X
//
//   .X.likely-gone: what X held, for a moment, where the file system cannot let names trade places
//
// In a folder that is being replaced lies .likely-replaced, a list (io/folder_list.hpp) of what it held when
// it was claimed: that may go; all else in it is somebody's, and is moved to X. In .X.likely-old lies
// .likely-made besides, a list of what the run that goes on in X makes there: that may go, should the run
// come to nothing. What is not as it was noted is somebody's, and a list that tells of another folder tells
// nothing: then all stays where it is until its name is needed, and becomes X.kept.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "likely/io/file_print.hpp"
#include "likely/io/folder_lock.hpp"

namespace likely::io::detail {

// Whether the owner of what lies beside a folder or file is this user, or one who could put anything there in
// any case.
bool is_of_ours(const struct stat& left, const std::filesystem::path& folder);

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
// these things is still at work. Returns what a user should know, in sentences.
std::vector<std::string> settle_leftovers(const std::filesystem::path& folder,
                                          const std::filesystem::path& shown,
                                          Leftovers how = Leftovers::put_in_order);

// Gives what has this name beside the folder another one, so that the name is free; nothing of ours is left
// there by then. Returns what a user should know, or nothing; refuses where it cannot be moved.
std::optional<std::string> free_place(const std::filesystem::path& folder, const std::filesystem::path& shown,
                                      Beside what);

// Calls what lies beside the folder X X.kept, X.kept-2, ... Returns the name, or "" where that failed.
std::string put_beside(const std::filesystem::path& folder, const std::filesystem::path& left);

// Writes the list of what is to be replaced into a folder; and takes all lists away. Returns 0 or the
// system's error.
int note_replaced(const std::filesystem::path& folder, const Noted& replaced);
void forget_lists(const std::filesystem::path& folder);

// Where the list of what is made is, in the folder that it is replacing.
std::filesystem::path list_of_made(const std::filesystem::path& folder);

// Takes away what was replaced and lies in `left`, beside `folder`, now, moves the rest into the folder, and
// takes `left` away. What can be neither removed nor moved becomes X.kept, and `told` says so.
struct Cleared {
  std::vector<std::string> moved;  // the names of the rest
  std::optional<std::string> told{};
};
Cleared clear_replaced(const std::filesystem::path& left, const std::filesystem::path& folder,
                       const std::filesystem::path& shown, const Noted& replaced);

// Moves what one folder holds into another, but for these lists. Where there is something of
// that name already, it gets the name NAME.kept, NAME.kept-2, ... Returns the names, as they are then.
std::vector<std::string> move_contents(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace likely::io::detail
