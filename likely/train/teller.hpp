// What an engine tells of a training: events, to the terminal and to the sink. Internal to train/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "likely/train/any_learner.hpp"
#include "likely/train/checkpoint.hpp"
#include "likely/train/events.hpp"
#include "likely/train/run_folder.hpp"

namespace likely::train::detail {

class Teller {
 public:
  explicit Teller(const LoopOptions& options) : options_(options) {}

  // Until then nothing is shown.
  void begin() { shown_ = terminal(options_.progress); }
  bool is_heard() const { return shown_ || options_.events; }
  // Whether rates are told, for which the line has no room.
  bool tells_rates() const { return static_cast<bool>(options_.events); }

  void tell(const Event& event) const;
  // What was done to what others have in a folder, and was not told yet.
  void tell_of(const RunFolder& folder);
  // One event for all steps: a small step takes less time than to make the names of its losses anew.
  void tell_step(const StepMade& made, const Position& position, NamedNumbers rates);
  // `monitored`: what decided which epoch was the best; empty: nothing.
  void tell_end(Stopped stopped, const Position& position, const std::string& monitored) const;

 private:
  const LoopOptions& options_;
  EventSink shown_;
  Event step_made_ = event::Step{};
  std::size_t told_ = 0, kept_ = 0;  // how much of what the folder says of itself was told
};

}  // namespace likely::train::detail
