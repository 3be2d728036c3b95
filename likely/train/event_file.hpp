// EventFile: events as lines of JSON, which others may read while the file grows (docs/events.md).
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "likely/io/growing_file.hpp"
#include "likely/train/events.hpp"

namespace likely::train {

// The version of the lines; another number, where something in them is renamed or leaves.
inline constexpr int kEventVersion = 1;

// {"event":"step",...}, without the end of the line. NaN and infinities are null.
std::string json_of(const Event& event);

// A sink that appends to a file: after what is there, but for a last line that was cut off. Of steps it
// writes at most one a second. Nothing that is trained is lost because it cannot write: it stops then, and
// says why.
//
//   train::EventFile file("events.jsonl");
//   train::fit(model, adam, data, loss, {.epochs = 20, .events = std::ref(file)});
class EventFile {
 public:
  explicit EventFile(std::filesystem::path path);
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  void operator()(const Event& event);
  // Why what follows is missing; empty where nothing is.
  const std::string& failure() const { return failure_; }

 private:
  void append(const std::string& line);

  std::filesystem::path path_;
  std::unique_ptr<io::detail::GrowingFile> file_;
  std::chrono::steady_clock::time_point step_written_{};
  std::string failure_;
};

}  // namespace likely::train
