#include "likely/train/teller.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace likely::train::detail {

void Teller::tell(const Event& event) const {
  if (shown_) shown_(event);
  if (options_.events) options_.events(event);
}

void Teller::tell_of(const RunFolder& folder) {
  while (told_ < folder.told().size()) tell(event::Warning{folder.told()[told_++]});
  while (kept_ < folder.kept().size()) tell(event::Warning{text_of(folder.kept()[kept_++])});
}

void Teller::tell_step(const StepMade& made, const Position& position, NamedNumbers rates) {
  if (!is_heard()) return;
  auto& step = std::get<event::Step>(step_made_);
  step.epoch = position.epoch + 1;
  step.step = position.step;
  step.rows = made.rows;
  const auto put = [](NamedNumbers& numbers, std::size_t place, const std::string& name, double value) {
    if (place == numbers.size()) numbers.emplace_back();
    numbers[place].first = name;
    numbers[place].second = value;
  };
  step.losses.resize(std::min(step.losses.size(), made.losses.size()));
  for (std::size_t i = 0; i < made.losses.size(); ++i)
    put(step.losses, i, made.losses[i].name, made.losses[i].value);
  std::size_t means = 0;
  for (const LossSum& loss : position.losses) {
    if (loss.rows > 0) put(step.means, means++, loss.name, loss.mean());
  }
  step.means.resize(means);
  step.rates = std::move(rates);
  tell(step_made_);
}

void Teller::tell_end(Stopped stopped, const Position& position, const std::string& monitored) const {
  const bool has_best = position.best_epoch > 0;
  tell(event::Trained{.stopped = stopped,
                      .step = position.step,
                      .out = options_.out,
                      .monitored = monitored,
                      .best_epoch = position.best_epoch,
                      .best_value = has_best ? position.best_value : std::nan("")});
}

}  // namespace likely::train::detail
