#include "likely/train/loss_figure.hpp"

#include <map>
#include <string>
#include <utility>

#include "likely/core/create.hpp"
#include "likely/plot/figure.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::train::detail {

void draw_losses(const std::filesystem::path& folder, const std::vector<EpochReport>& history) {
  std::vector<double> held_out;
  // Of every loss where it was told, in the order of telling.
  std::vector<std::string> names;
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> told;
  std::vector<double> epochs;
  for (const EpochReport& report : history) {
    epochs.push_back(static_cast<double>(report.epoch));
    for (const auto& [name, value] : report.losses) {
      if (!told.contains(name)) names.push_back(name);
      told[name].first.push_back(static_cast<double>(report.epoch));
      told[name].second.push_back(value);
    }
    for (const auto& [name, value] : report.measured) {
      if (name == "loss" && report.measured_on != MeasuredOn::by_learner) held_out.push_back(value);
    }
  }
  if (names.empty()) return;
  plot::Figure figure({.title = "Loss", .x_label = "epoch", .y_label = "loss", .legend = "outside"});
  for (const std::string& name : names)
    figure.line(tensor(told[name].first), tensor(told[name].second),
                {.label = name == "loss" ? "training" : name});
  if (held_out.size() == epochs.size())
    figure.line(tensor(epochs), tensor(held_out),
                {.label = std::string(name_of(history.front().measured_on))});
  figure.save(folder / "loss", 720, 480, interrupt_arrived);
}

}  // namespace likely::train::detail
