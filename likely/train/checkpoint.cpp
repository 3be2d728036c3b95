#include "likely/train/checkpoint.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "likely/io/safetensors.hpp"
#include "likely/kernels/build_info.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::train::detail {

namespace {

using Metadata = std::map<std::string, std::string>;

constexpr const char* kMetricsChecksum = "metrics_checksum";

// One list of the fields, and of what they may be, for both directions. Floating numbers are written in
// hexadecimal: exactly.
template <class Place, class Visit>
void for_each_field(Place& position, Visit&& visit) {
  visit("seed", position.seed, Values::any);
  visit("epoch", position.epoch, Values::count);
  visit("batch", position.batch, Values::count);
  visit("batches", position.batches, Values::count);
  visit("step", position.step, Values::count);
  visit("loss_sum", position.loss_sum, Values::not_nan);  // losses are finite, their sum need not be
  visit("rows", position.rows, Values::count);
  visit("lr", position.lr, Values::at_least_0);
  visit("best_value", position.best_value, Values::not_nan);
  visit("best_epoch", position.best_epoch, Values::count);
  visit("waited", position.waited, Values::count);
  visit("seconds", position.seconds, Values::at_least_0);
  visit("metrics_bytes", position.metrics_bytes, Values::count);
}

std::string text_of(double value) { return fmt::format("{:a}", value); }
std::string text_of(std::int64_t value) { return std::to_string(value); }
std::string text_of(std::uint64_t value) { return std::to_string(value); }

// The whole text, whatever the locale.
template <class Whole>
bool parse(std::string_view text, Whole& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
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

[[noreturn]] void refuse_file(const std::filesystem::path& path, const std::string& why) {
  refuse("fit", quoted(path) + ": " + why);
}

// Wrong numbers would be counted on with: each is looked at before anything is done with it.
template <class Number>
void read_field(const std::filesystem::path& path, const Metadata& metadata, const char* name, Number& value,
                Values values) {
  const auto found = metadata.find(name);
  if (found == metadata.end())
    refuse("fit", quoted(path) + " is not a checkpoint of a training: it does not say its " + name);
  if (!parse(found->second, value))
    refuse_file(path, fmt::format("its {} is \"{}\", which is not such a number", name, found->second));
  if constexpr (!std::is_unsigned_v<Number>) {
    const std::string wrong = number_misfit(name, value, values);
    if (!wrong.empty()) refuse_file(path, wrong);
  }
}

Position position_of(const std::filesystem::path& path, const Metadata& metadata) {
  Position position;
  for_each_field(position, [&](const char* name, auto& value, Values values) {
    read_field(path, metadata, name, value, values);
  });
  if (metadata.contains(kMetricsChecksum)) {
    std::uint64_t checksum = 0;
    read_field(path, metadata, kMetricsChecksum, checksum, Values::any);
    if (checksum > std::numeric_limits<std::uint32_t>::max())
      refuse_file(path, fmt::format("{} is {}, which is no checksum", kMetricsChecksum, checksum));
    position.metrics_checksum = static_cast<std::uint32_t>(checksum);
  }
  const std::int64_t begun = position.epoch + 1;
  if (position.best_epoch > begun) {
    refuse_file(path, fmt::format("best_epoch {} lies behind the epochs that were begun, {}",
                                  position.best_epoch, begun));
  }
  // Not by epochs: each time that a training ends within an epoch and goes on, it is measured once more.
  if (position.waited > position.step) {
    refuse_file(path, fmt::format("waited is {}, more than could be measured after {} steps", position.waited,
                                  position.step));
  }
  // Every batch has at least one row.
  if (position.rows < position.batch || (position.batch == 0 && position.rows > 0)) {
    refuse_file(path,
                fmt::format("{} batches of the epoch cannot have {} rows", position.batch, position.rows));
  }
  return position;
}

void add(io::NamedTensors& file, const std::string& prefix, const std::vector<Slot>& slots) {
  for (const Slot& slot : slots) {
    if (slot.value->defined()) file.tensors.emplace_back(prefix + slot.name, *slot.value);
  }
}

// Matches a file's tensors with slots, refusing what does not fit; exchange() then puts them there, and when
// called again takes them out.
class Restore {
 public:
  explicit Restore(std::filesystem::path path) : path_(std::move(path)), file_(io::load_safetensors(path_)) {
    for (auto& [name, tensor] : file_.tensors) left_.emplace(name, &tensor);
  }

  const Metadata& metadata() const { return file_.metadata; }
  std::string said(const char* key) const {
    const auto found = file_.metadata.find(key);
    return found == file_.metadata.end() ? "?" : found->second;
  }

  void match(const std::string& prefix, const std::vector<Slot>& slots) {
    for (const Slot& slot : slots) {
      const std::string name = prefix + slot.name;
      const auto found = left_.find(name);
      if (found == left_.end()) {
        if (slot.value->defined() && !slot.comes_later) no_fit(name + " is missing");
        pairs_.emplace_back(slot.value, Tensor());
      } else {
        check(name, slot, *found->second);
        pairs_.emplace_back(slot.value, *found->second);
        left_.erase(found);
      }
    }
  }
  void match_all() const {
    if (!left_.empty()) no_fit("nothing is called " + left_.begin()->first);
  }

  void exchange() {
    for (auto& [target, saved] : pairs_) std::swap(*target, saved);
  }
  [[noreturn]] void no_fit(const std::string& why) const {
    refuse("fit", quoted(path_) + " does not fit the model and optimizer: " + why);
  }

 private:
  void check(const std::string& name, const Slot& slot, const Tensor& saved) const {
    const Tensor& now = *slot.value;
    if (now.defined() && !(saved.shape() == now.shape() && saved.dtype() == now.dtype())) {
      no_fit(fmt::format("{} is {} {}, the model's {} {}", name, name_of(saved.dtype()),
                         saved.shape().string(), name_of(now.dtype()), now.shape().string()));
    }
    if (!slot.learned || now.frozen()) return;
    const std::string wrong = values_misfit(name, saved, Values::finite);
    if (!wrong.empty()) no_fit(wrong);
  }

  std::filesystem::path path_;
  io::NamedTensors file_;
  std::map<std::string, const Tensor*> left_;
  std::vector<std::pair<Tensor*, Tensor>> pairs_;
};

// The best model that the position speaks of, which is not in its place yet if a training died too early.
std::optional<Restore> find_best(const CheckpointFiles& files, const Position& position) {
  if (position.best_epoch == 0) return std::nullopt;
  const std::string epoch = text_of(position.best_epoch);
  const std::string value = text_of_best(position.best_value);
  std::string found = "there is no such file";
  for (const std::filesystem::path& path : {files.next_best, files.best}) {
    if (!std::filesystem::exists(path)) continue;
    Restore best(path);
    if (best.said(kBestEpoch) == epoch && best.said(kBestValue) == value) return best;
    found =
        fmt::format("this is the best model of epoch {} ({})", best.said(kBestEpoch), best.said(kBestValue));
  }
  refuse_file(files.best,
              fmt::format("{}, the checkpoint speaks of best_epoch {}, best_value {}", found, epoch, value));
}

}  // namespace

void save_checkpoint(const std::filesystem::path& path, Learner& learner, const Position& position) {
  io::NamedTensors file;
  add(file, "model.", learner.model_slots());
  add(file, "", learner.state_slots());
  file.metadata["likely"] = version();
  for_each_field(position,
                 [&](const char* name, const auto& value, Values) { file.metadata[name] = text_of(value); });
  if (position.metrics_checksum)
    file.metadata[kMetricsChecksum] = text_of(std::uint64_t{*position.metrics_checksum});
  io::save_safetensors(path, file);
}

void save_best(const std::filesystem::path& path, Learner& learner, const Position& position) {
  io::NamedTensors file;
  add(file, "", learner.best_slots());
  file.metadata["likely"] = version();
  file.metadata[kBestEpoch] = text_of(position.best_epoch);
  file.metadata[kBestValue] = text_of_best(position.best_value);
  io::save_safetensors(path, file);
}

Position load_checkpoint(const CheckpointFiles& files, Learner& learner,
                         const std::function<void(const Position&)>& check) {
  Restore state(files.checkpoint);
  const Position position = position_of(files.checkpoint, state.metadata());
  check(position);
  state.match("model.", learner.model_slots());
  state.match("", learner.state_slots());
  state.match_all();
  std::optional<Restore> best = find_best(files, position);
  if (best) {
    best->match("", learner.best_slots());
    best->match_all();
  }
  state.exchange();
  if (best) best->exchange();
  const std::string wrong = learner.misfit();
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
