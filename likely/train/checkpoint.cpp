#include "likely/train/checkpoint.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "likely/io/safetensors.hpp"
#include "likely/kernels/build_info.hpp"

namespace likely::train::detail {

namespace {

using Metadata = std::map<std::string, std::string>;

// One list of the fields for both directions. Floating numbers are written in hexadecimal: exactly.
template <class Place, class Visit>
void for_each_field(Place& position, Visit&& visit) {
  visit("seed", position.seed);
  visit("epoch", position.epoch);
  visit("batch", position.batch);
  visit("batches", position.batches);
  visit("step", position.step);
  visit("loss_sum", position.loss_sum);
  visit("rows", position.rows);
  visit("lr", position.lr);
  visit("best_value", position.best_value);
  visit("best_epoch", position.best_epoch);
  visit("waited", position.waited);
  visit("seconds", position.seconds);
  visit("metrics_bytes", position.metrics_bytes);
}

std::string text_of(double value) { return fmt::format("{:a}", value); }
std::string text_of(std::int64_t value) { return std::to_string(value); }
std::string text_of(std::uint64_t value) { return std::to_string(value); }

bool parse(const std::string& text, double& value) {
  char* end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0';
}
bool parse(const std::string& text, std::int64_t& value) {
  char* end = nullptr;
  value = std::strtoll(text.c_str(), &end, 10);
  return !text.empty() && *end == '\0';
}
bool parse(const std::string& text, std::uint64_t& value) {
  char* end = nullptr;
  value = std::strtoull(text.c_str(), &end, 10);
  return !text.empty() && *end == '\0';
}

std::string quoted(const std::filesystem::path& path) { return fmt::format("\"{}\"", path.string()); }

void add(io::NamedTensors& file, const std::string& prefix, const std::vector<Slot>& slots) {
  for (const Slot& slot : slots) {
    if (slot.value->defined()) file.tensors.emplace_back(prefix + slot.name, *slot.value);
  }
}

// Matches a file's tensors with slots, refusing what does not fit; assign() then puts them there.
class Restore {
 public:
  Restore(const std::filesystem::path& path, const io::NamedTensors& file) : path_(path) {
    for (const auto& [name, tensor] : file.tensors) left_.emplace(name, &tensor);
  }

  void match(const std::string& prefix, const std::vector<Slot>& slots) {
    for (const Slot& slot : slots) {
      const auto found = left_.find(prefix + slot.name);
      if (found == left_.end()) {
        if (slot.learned) no_fit(prefix + slot.name + " is missing");
        pairs_.emplace_back(slot.value, nullptr);
        continue;
      }
      const Tensor& saved = *found->second;
      if (slot.learned && !(saved.shape() == slot.value->shape() && saved.dtype() == slot.value->dtype())) {
        no_fit(fmt::format("{} is {} {}, the model's {} {}", prefix + slot.name, name_of(saved.dtype()),
                           saved.shape().string(), name_of(slot.value->dtype()),
                           slot.value->shape().string()));
      }
      pairs_.emplace_back(slot.value, &saved);
      left_.erase(found);
    }
  }

  void assign() {
    if (!left_.empty()) no_fit("nothing is called " + left_.begin()->first);
    for (const auto& [target, saved] : pairs_) {
      const bool frozen = target->frozen();
      *target = saved == nullptr ? Tensor() : *saved;
      target->set_frozen(frozen);
    }
  }

 private:
  [[noreturn]] void no_fit(const std::string& why) const {
    refuse("fit", quoted(path_) + " does not fit the model and optimizer: " + why);
  }

  const std::filesystem::path& path_;
  std::map<std::string, const Tensor*> left_;
  std::vector<std::pair<Tensor*, const Tensor*>> pairs_;
};

}  // namespace

void save_checkpoint(const std::filesystem::path& path, Learner& learner, const Position& position) {
  io::NamedTensors file;
  add(file, "model.", learner.model_slots());
  add(file, "", learner.state_slots());
  file.metadata["likely"] = version();
  for_each_field(position,
                 [&](const char* name, const auto& value) { file.metadata[name] = text_of(value); });
  io::save_safetensors(path, file);
}

Position load_checkpoint(const std::filesystem::path& path, Learner& learner) {
  const io::NamedTensors file = io::load_safetensors(path);
  Position position;
  for_each_field(position, [&](const char* name, auto& value) {
    const auto found = file.metadata.find(name);
    if (found == file.metadata.end() || !parse(found->second, value))
      refuse("fit", quoted(path) + " is not a checkpoint of a training: it does not say its " + name);
  });
  Restore restore(path, file);
  restore.match("model.", learner.model_slots());
  restore.match("", learner.state_slots());
  restore.assign();
  return position;
}

void save_best(const std::filesystem::path& path, Learner& learner, const Position& position) {
  io::NamedTensors file;
  add(file, "", learner.best_slots());
  file.metadata["likely"] = version();
  file.metadata["epoch"] = text_of(position.best_epoch);
  file.metadata["value"] = fmt::format("{}", position.best_value);
  io::save_safetensors(path, file);
}

void load_best(const std::filesystem::path& path, Learner& learner) {
  const io::NamedTensors file = io::load_safetensors(path);
  Restore restore(path, file);
  restore.match("", learner.best_slots());
  restore.assign();
}

}  // namespace likely::train::detail
