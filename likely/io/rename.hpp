// Renaming that replaces nothing, and two names that trade places. Internal to io/ and train/.
#pragma once

#include <filesystem>

namespace likely::io::detail {

// Both return 0 or the system's error.

// EEXIST where there is something at `to`.
int rename_new(const std::filesystem::path& from, const std::filesystem::path& to);

// Two names of one file system trade places in one step: at no moment is either of them missing. Where the
// file system cannot do that, in three: first to `spare`, then second to first, then spare to second; if one
// of them fails, everything is as before.
int trade_places(const std::filesystem::path& first, const std::filesystem::path& second,
                 const std::filesystem::path& spare);

// Both where the system cannot do them in one step. The first gives a file a second name for a moment, which
// is refused where there is one; a folder replaces at most an empty folder that appears in that moment.
int rename_new_by_hand(const std::filesystem::path& from, const std::filesystem::path& to);
int trade_places_by_hand(const std::filesystem::path& first, const std::filesystem::path& second,
                         const std::filesystem::path& spare);

// So that new names survive a power failure. Not every file system can do it, and files themselves are safe.
void sync_folder(const std::filesystem::path& folder);

// The same file under a number that is none of the standard streams', which belong to whoever prints: where a
// program was started without them, the next file to be opened would take their place, and what is printed.
// -1 stays -1.
int away_from_standard_streams(int file);

}  // namespace likely::io::detail
