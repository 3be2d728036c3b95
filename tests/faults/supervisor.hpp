// A program run under supervision: every call of the system by which it changes files in a folder is seen
// before it is made, and can be made to fail. Linux; no part of the program knows of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace likely::faults {

// What happens to one of the calls.
enum class How : std::uint8_t {
  nothing,
  no_room,    // the disk is full: this call and every later one that needs room
  error,      // this call alone, as of a disk that is failing
  cut_short,  // half of what was to be written is, which is no error
  kill,       // the program is killed before the call
};
const char* name_of(How how);

struct Fault {
  How how = How::nothing;
  std::size_t at = 0;  // which call, counted from 0
};

struct Outcome {
  int code = 0;                    // that the program ended with; -1: it was killed
  bool hung = false;               // and had to be stopped
  std::string errors;              // what it said
  std::vector<std::string> calls;  // that were made or would have been: "rename a b"
};

// Whether this system lets a process supervise another.
bool can_supervise();

// Runs the command in the folder, with these changes to the environment. Calls are those that change
// something below the folder.
Outcome supervise(const std::vector<std::string>& command, const std::filesystem::path& folder,
                  const std::map<std::string, std::string>& environment, const Fault& fault = {});

}  // namespace likely::faults
