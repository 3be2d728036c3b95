// Committees: networks that learn side by side, each without its part of the rows. Internal to tables/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "likely/models/tables/table_model.hpp"

namespace likely::tables {

// Inputs and targets as networks see them, and how outputs are judged.
struct Problem {
  Tensor z{}, y{};  // y: i64 classes, or standardised f32 numbers (rows, 1)
  std::int64_t outputs = 1;
  bool classifies = false;

  Tensor loss(const Tensor& output, const Tensor& target) const;
  // What is averaged over members and mixed: probabilities, or the numbers themselves; f64.
  Tensor prediction(const Tensor& output) const;
  // The mean loss of predictions (rows, outputs) over the rows of these parts.
  double mean_loss(const std::vector<double>& predicted,
                   const std::vector<std::vector<std::int64_t>>& parts) const;
};

struct Committee {
  train::Ensemble<Network> ensemble{};
  std::vector<double>
      unseen{};       // (rows, outputs): what each row's member says about it; 0 for rows of no part
  double loss = 0.0;  // of these
  std::int64_t epochs = 0;
};

// Member i learns from all rows but those of part i. All make an epoch in turn; they stop together, and are
// taken as they were after the epoch in which the mean loss over all parts was smallest: one epoch's number
// is learned from all rows, not one from each small part. Nothing, if Ctrl-C came in between. With a folder
// to keep its state in, it goes on there where it was interrupted, to the same bits.
std::optional<Committee> fit_committee(const Problem& problem,
                                       const std::vector<std::vector<std::int64_t>>& parts,
                                       const std::vector<std::int64_t>& hidden, double weight_decay,
                                       const ModelOptions& options, Rng rng, const OnEpoch& on_epoch,
                                       const std::filesystem::path& keep_in = {});

}  // namespace likely::tables
