#include "likely/train/loss_figure.hpp"

#include "likely/core/create.hpp"
#include "likely/plot/figure.hpp"

namespace likely::train::detail {

void draw_losses(const std::filesystem::path& folder, const std::vector<EpochReport>& history) {
  std::vector<double> epochs;
  std::vector<double> training;
  std::vector<double> validation;
  for (const EpochReport& report : history) {
    epochs.push_back(static_cast<double>(report.epoch));
    training.push_back(report.loss);
    for (const auto& [name, value] : report.measured) {
      if (report.on_validation && name == "loss") validation.push_back(value);
    }
  }
  plot::Figure figure({.title = "Loss", .x_label = "epoch", .y_label = "loss"});
  figure.line(tensor(epochs), tensor(training), {.label = "training"});
  if (validation.size() == epochs.size())
    figure.line(tensor(epochs), tensor(validation), {.label = "validation"});
  figure.save(folder / "loss");
}

}  // namespace likely::train::detail
