#include "likely/train/checkpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "likely/core/whole_number.hpp"
#include "likely/io/safetensors.hpp"
#include "likely/io/safetensors_header.hpp"
#include "likely/kernels/build_info.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::train::detail {

namespace {

using Metadata = std::map<std::string, std::string>;

constexpr const char* kMetricsChecksum = "metrics_checksum";
constexpr const char* kConverged = "converged";
constexpr const char* kTensors = "tensors";  // how many were written

// The only loss and the only rate have no name in the file. Of others, the losses are numbered in the order
// of telling ("loss_name.0", "loss_sum.0", "loss_rows.0"), and rates are called by their optimizers
// ("lr.critic_adam").
constexpr std::string_view kOnlyLoss = "loss";
std::string rate_key(const std::string& name) { return name.empty() ? "lr" : "lr." + name; }

// One list of the fields, and of what they may be, for both directions. Floating numbers are written in
// hexadecimal: exactly.
template <class Place, class Visit>
void for_each_field(Place& position, Visit&& visit) {
  visit("seed", position.seed, Values::any);
  visit("epoch", position.epoch, Values::count);
  visit("batch", position.batch, Values::count);
  visit("batches", position.batches, Values::count);
  visit("step", position.step, Values::count);
  visit("rows", position.rows, Values::count);
  visit("best_value", position.best_value, Values::not_nan);
  visit("best_epoch", position.best_epoch, Values::count);
  visit("waited", position.waited, Values::count);
  visit("seconds", position.seconds, Values::at_least_0);
  visit("metrics_bytes", position.metrics_bytes, Values::count);
}

// fmt would ask the locale for its point.
std::string text_of(double value) {
  std::array<char, 64> text{};
  const double size = std::abs(value);
  const auto end = std::to_chars(text.data(), text.data() + text.size(), size, std::chars_format::hex).ptr;
  return (std::signbit(value) ? "-" : "") + std::string(std::isfinite(value) ? "0x" : "") +
         std::string(text.data(), end);
}
std::string text_of(std::int64_t value) { return std::to_string(value); }
std::string text_of(std::uint64_t value) { return std::to_string(value); }

// The whole text, whatever the locale.
template <class Whole>
bool parse(std::string_view text, Whole& value) {
  const std::optional<Whole> whole = whole_number<Whole>(text);
  value = whole.value_or(Whole{});
  return whole.has_value();
}
bool parse(std::string_view text, double& value) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const bool digits = text.starts_with("0x");
  if (digits) text.remove_prefix(2);
  if (text.starts_with('-') || (!digits && text != "inf" && text != "nan")) return false;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::hex);
  if (negative) value = -value;
  return error == std::errc() && end == text.data() + text.size();
}

// What a best model says of itself.
constexpr const char* kBestEpoch = "epoch";
constexpr const char* kBestValue = "value";
std::string text_of_best(double value) { return fmt::format("{}", value); }

std::string quoted(const std::filesystem::path& path) { return fmt::format("\"{}\"", path.string()); }

// What a file says of itself, and in whose name it is refused.
struct Said {
  const char* caller;
  const std::filesystem::path& path;
  const Metadata& metadata;

  [[noreturn]] void refuse_file(const std::string& why) const { refuse(caller, quoted(path) + ": " + why); }
};

// Wrong numbers would be counted on with: each is looked at before anything is done with it.
template <class Number>
void read_field(const Said& said, const std::string& name, Number& value, Values values) {
  const auto found = said.metadata.find(name);
  if (found == said.metadata.end())
    refuse(said.caller,
           quoted(said.path) + " is not a checkpoint of a training: it does not say its " + name);
  if (!parse(found->second, value))
    said.refuse_file(fmt::format("its {} is \"{}\", which is not such a number", name, found->second));
  if constexpr (!std::is_unsigned_v<Number>) {
    const std::string wrong = number_misfit(name, value, values);
    if (!wrong.empty()) said.refuse_file(wrong);
  }
}

void read_losses(const Said& said, Position& position) {
  // Losses are finite, their sum need not be.
  if (said.metadata.contains("loss_sum")) {
    LossSum only{.name = std::string(kOnlyLoss), .rows = position.rows};
    read_field(said, "loss_sum", only.sum, Values::not_nan);
    position.losses.push_back(only);
  }
  for (std::size_t i = 0; said.metadata.contains(fmt::format("loss_name.{}", i)); ++i) {
    LossSum loss{.name = said.metadata.at(fmt::format("loss_name.{}", i))};
    const std::string rows = fmt::format("loss_rows.{}", i);
    read_field(said, fmt::format("loss_sum.{}", i), loss.sum, Values::not_nan);
    read_field(said, rows, loss.rows, Values::count);
    if (loss.rows > position.rows)
      said.refuse_file(fmt::format("{} is {}, the epoch has {} rows", rows, loss.rows, position.rows));
    position.losses.push_back(loss);
  }
}

void read_rates(const Said& said, Position& position) {
  for (const auto& [key, text] : said.metadata) {
    if (key != "lr" && !key.starts_with("lr.")) continue;
    double rate = 0.0;
    read_field(said, key, rate, Values::at_least_0);
    position.rates.emplace_back(key == "lr" ? "" : key.substr(3), rate);
  }
}

Position position_of(const Said& said) {
  Position position;
  for_each_field(
      position, [&](const char* name, auto& value, Values values) { read_field(said, name, value, values); });
  read_losses(said, position);
  read_rates(said, position);
  position.converged = said.metadata.contains(kConverged);
  if (said.metadata.contains(kMetricsChecksum)) {
    std::uint64_t checksum = 0;
    read_field(said, kMetricsChecksum, checksum, Values::any);
    if (checksum > std::numeric_limits<std::uint32_t>::max())
      said.refuse_file(fmt::format("{} is {}, which is no checksum", kMetricsChecksum, checksum));
    position.metrics_checksum = static_cast<std::uint32_t>(checksum);
  }
  const std::int64_t begun = position.epoch + (position.batch > 0 ? 1 : 0);
  if (position.best_epoch > begun) {
    said.refuse_file(
        fmt::format("best_epoch {} lies behind the epochs that were begun, {}", position.best_epoch, begun));
  }
  // Not by epochs: each time that a training ends within an epoch and goes on, it is measured once more.
  if (position.waited > position.step) {
    said.refuse_file(fmt::format("waited is {}, more than could be measured after {} steps", position.waited,
                                 position.step));
  }
  // Every batch has at least one row.
  if (position.rows < position.batch || (position.batch == 0 && position.rows > 0)) {
    said.refuse_file(
        fmt::format("{} batches of the epoch cannot have {} rows", position.batch, position.rows));
  }
  return position;
}

// What was counted before this training began, such as "optimizer.steps.before": an optimizer may have been
// used before. Nothing is said where the counts differ, as those of tensors that were frozen for a while do.
std::string key_of_before(const StepCounts& counted) { return counted.name + ".before"; }
// What was counted in all, such as "critic_adam.steps.made", where a learner steps as it likes.
std::string key_of_made(const StepCounts& counted) { return counted.name + ".made"; }
std::string made_text(const StepCounts& counted) { return fmt::format("{}", fmt::join(counted.counts, ",")); }

void note_counts(Metadata& metadata, const AnyLearner& learner, std::int64_t step) {
  for (const StepCounts& counted : learner.step_counts()) {
    if (!counted.by_one) {
      metadata[key_of_made(counted)] = made_text(counted);
      continue;
    }
    const std::vector<std::int64_t>& counts = counted.counts;
    if (counts.empty() || counts.front() < step ||
        std::ranges::count(counts, counts.front()) < std::ssize(counts))
      continue;
    metadata[key_of_before(counted)] = text_of(counts.front() - step);
  }
}

std::map<std::string, std::int64_t> counted_before(const Said& said, const AnyLearner& learner) {
  std::map<std::string, std::int64_t> before;
  for (const StepCounts& counted : learner.step_counts()) {
    const std::string key = key_of_before(counted);
    if (counted.by_one && said.metadata.contains(key))  // older checkpoints have none
      read_field(said, key, before[counted.name], Values::count);
  }
  return before;
}

// What does not follow from the training's steps, or is not what was counted when the checkpoint was written.
std::string counts_misfit(const AnyLearner& learner, const std::map<std::string, std::int64_t>& before,
                          const Metadata& metadata, std::int64_t step) {
  for (const StepCounts& counted : learner.step_counts()) {
    const auto made = metadata.find(key_of_made(counted));
    if (!counted.by_one && made != metadata.end() && made->second != made_text(counted))
      return fmt::format("{} is {}, {} were made", counted.name, made_text(counted), made->second);
    const auto found = before.find(counted.name);
    if (found == before.end()) continue;
    for (const std::int64_t count : counted.counts) {
      if (count == found->second + step) continue;
      return fmt::format("{} is {}, must be {}: {} before this training, {} in it", counted.name, count,
                         found->second + step, found->second, step);
    }
  }
  return {};
}

void add(io::NamedTensors& file, const std::vector<Slot>& slots) {
  for (const Slot& slot : slots) {
    if (slot.value->defined()) file.tensors.emplace_back(slot.name, *slot.value);
  }
}

// Matches a file's tensors with slots, refusing what does not fit; exchange() then puts them there, and when
// called again takes them out.
class Restore {
 public:
  Restore(std::filesystem::path path, const AnyLearner& learner)
      : path_(std::move(path)), learner_(learner), file_(io::load_safetensors(path_)) {
    check_types();
    for (auto& [name, tensor] : file_.tensors) left_.emplace(name, &tensor);
  }

  const Metadata& metadata() const { return file_.metadata; }
  std::string said(const char* key) const {
    const auto found = file_.metadata.find(key);
    return found == file_.metadata.end() ? "?" : found->second;
  }

  void match(const std::vector<Slot>& slots) {
    for (const Slot& slot : slots) {
      const auto found = left_.find(slot.name);
      if (found == left_.end()) {
        if (slot.value->defined() && !slot.comes_later) no_fit(slot.name + " is missing");
        pairs_.emplace_back(slot.value, Tensor());
      } else {
        check(slot, *found->second);
        pairs_.emplace_back(slot.value, *found->second);
        left_.erase(found);
      }
    }
  }
  void match_all() const {
    if (!left_.empty()) no_fit("nothing is called " + left_.begin()->first);
  }
  // What is wrong with the number of tensors. Where it is not known which there have to be (an optimizer's
  // come later), it tells that one is gone.
  std::string number_misfit() const {
    const std::string written = said(kTensors);
    if (written == "?" || written == std::to_string(file_.tensors.size())) return {};
    return fmt::format("{} tensors were written, and {} are in it", written, file_.tensors.size());
  }

  void exchange() {
    for (auto& [target, saved] : pairs_) std::swap(*target, saved);
  }
  [[noreturn]] void no_fit(const std::string& why) const {
    refuse(learner_.caller(),
           fmt::format("{} does not fit {}: {}", quoted(path_), learner_.described(), why));
  }

 private:
  // Reading makes f32 of F16, and the lost digits would be lost for good without a word.
  void check_types() const {
    const io::InputFile file(learner_.caller(), path_);
    for (const io::SafetensorsEntry& entry : io::read_safetensors_header(file).entries) {
      using io::Element;
      const bool own = entry.element == Element::f32 || entry.element == Element::f64 ||
                       entry.element == Element::i64 || entry.element == Element::boolean;
      if (!own)
        no_fit(fmt::format("{} is {} in the file, which no training writes", entry.name,
                           io::safetensors_type(entry.element)));
    }
  }
  // What is gathered has more or fewer rows, and nothing else is another.
  static bool has_grown(const Tensor& now, const Tensor& saved) {
    return now.rank() > 0 && saved.rank() == now.rank() &&
           saved.shape().sub(1, saved.rank()) == now.shape().sub(1, now.rank());
  }
  void check(const Slot& slot, const Tensor& saved) const {
    const std::string& name = slot.name;
    const Tensor& now = *slot.value;
    const bool fits =
        !now.defined() || (saved.dtype() == now.dtype() &&
                           (saved.shape() == now.shape() || (slot.may_grow && has_grown(now, saved))));
    if (!fits) {
      no_fit(fmt::format("{} is {} {}, the model's {} {}", name, name_of(saved.dtype()),
                         saved.shape().string(), name_of(now.dtype()), now.shape().string()));
    }
    if (!slot.learned || now.frozen()) return;
    const std::string wrong = values_misfit(name, saved, Values::finite);
    if (!wrong.empty()) no_fit(wrong);
  }

  std::filesystem::path path_;
  const AnyLearner& learner_;
  io::NamedTensors file_;
  std::map<std::string, const Tensor*> left_;
  std::vector<std::pair<Tensor*, Tensor>> pairs_;
};

// The best model that the position speaks of, which is not in its place yet if a training died too early.
std::optional<Restore> find_best(const CheckpointFiles& files, const AnyLearner& learner,
                                 const Position& position) {
  if (position.best_epoch == 0) return std::nullopt;
  const std::string epoch = text_of(position.best_epoch);
  const std::string value = text_of_best(position.best_value);
  std::string found = "there is no such file";
  for (const std::filesystem::path& path : {files.next_best, files.best}) {
    if (!std::filesystem::exists(path)) continue;
    if (path == files.next_best && !is_best_model(path)) continue;
    try {
      Restore best(path, learner);
      if (best.said(kBestEpoch) == epoch && best.said(kBestValue) == value) return best;
      found = fmt::format("this is the best model of epoch {} ({})", best.said(kBestEpoch),
                          best.said(kBestValue));
    } catch (const Error& error) {
      // The other may be the one that is meant.
      if (path == files.best || error.fault() == Fault::memory) throw;
    }
  }
  refuse(learner.caller(), fmt::format("{}: {}, the checkpoint speaks of best_epoch {}, best_value {}",
                                       quoted(files.best), found, epoch, value));
}

}  // namespace

void save_checkpoint(const std::filesystem::path& path, AnyLearner& learner, const Position& position) {
  io::NamedTensors file;
  add(file, learner.slots());
  Metadata& metadata = file.metadata;
  metadata["likely"] = version();
  metadata[kTensors] = std::to_string(file.tensors.size());
  for_each_field(position,
                 [&](const char* name, const auto& value, Values) { metadata[name] = text_of(value); });
  if (learner.tells_one_loss()) {
    metadata["loss_sum"] = text_of(position.losses.front().sum);
  } else {
    for (std::size_t i = 0; i < position.losses.size(); ++i) {
      metadata[fmt::format("loss_name.{}", i)] = position.losses[i].name;
      metadata[fmt::format("loss_sum.{}", i)] = text_of(position.losses[i].sum);
      metadata[fmt::format("loss_rows.{}", i)] = text_of(position.losses[i].rows);
    }
  }
  for (const auto& [name, rate] : position.rates) metadata[rate_key(name)] = text_of(rate);
  if (position.converged) metadata[kConverged] = "1";
  note_counts(metadata, learner, position.step);
  if (position.metrics_checksum)
    metadata[kMetricsChecksum] = text_of(std::uint64_t{*position.metrics_checksum});
  io::save_safetensors(path, file);
}

void save_best(const std::filesystem::path& path, AnyLearner& learner, const Position& position) {
  io::NamedTensors file;
  add(file, learner.best_slots());
  file.metadata["likely"] = version();
  file.metadata[kBestEpoch] = text_of(position.best_epoch);
  file.metadata[kBestValue] = text_of_best(position.best_value);
  io::save_safetensors(path, file);
}

bool is_best_model(const std::filesystem::path& path) {
  std::error_code failed;
  if (std::filesystem::symlink_status(path, failed).type() != std::filesystem::file_type::regular)
    return false;
  try {
    const Metadata metadata = io::read_safetensors_header(io::InputFile("load_safetensors", path)).metadata;
    return metadata.contains("likely") && metadata.contains(kBestEpoch) && metadata.contains(kBestValue);
  } catch (const Error& error) {
    if (error.fault() == Fault::memory) throw;
    return false;
  }
}

Position read_position(const char* caller, const std::filesystem::path& checkpoint) {
  const Metadata metadata = io::load_safetensors(checkpoint).metadata;
  return position_of({caller, checkpoint, metadata});
}

Position load_checkpoint(const CheckpointFiles& files, AnyLearner& learner,
                         const std::function<void(const Position&)>& check) {
  Restore state(files.checkpoint, learner);
  const Said said{learner.caller(), files.checkpoint, state.metadata()};
  Position position = position_of(said);
  check(position);
  const std::map<std::string, std::int64_t> before = counted_before(said, learner);
  state.match(learner.slots());
  state.match_all();
  std::optional<Restore> best = find_best(files, learner, position);
  if (best) {
    best->match(learner.best_slots());
    best->match_all();
  }
  state.exchange();
  if (best) best->exchange();
  std::string wrong = learner.misfit();
  if (wrong.empty() && position.step > 0) wrong = learner.missing_state();
  if (wrong.empty()) wrong = counts_misfit(learner, before, state.metadata(), position.step);
  if (wrong.empty()) wrong = state.number_misfit();
  const std::string best_wrong = best ? learner.best_misfit() : std::string();
  if (!wrong.empty() || !best_wrong.empty()) {
    if (best) best->exchange();
    state.exchange();
    if (!wrong.empty()) state.no_fit(wrong);
    best->no_fit(best_wrong);
  }
  return position;
}

}  // namespace likely::train::detail
