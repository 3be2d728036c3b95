// A model of a table: a committee of linear models and one of small networks, blended by what each says about
// rows it has not seen.
//
// The training rows are cut into k parts (10, or fewer where rows are few). Member i of a committee learns
// from all parts but the i-th, so that every training row is predicted by one member that did not learn from
// it. The members stop together when these predictions get no better (early stopping, chapter 9). The two
// committees are then mixed,
//   p(y|x) = (1 - w) mean_i p_i(y|x; linear) + w mean_i p_i(y|x; network),
// with the w that makes the loss of these predictions smallest: a table that a straight line explains gets a
// straight line. Nothing but the training rows is looked at.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "likely/core/parts.hpp"
#include "likely/data/standardizer.hpp"
#include "likely/models/tables/encoder.hpp"
#include "likely/models/tables/table_file.hpp"
#include "likely/nn/linear.hpp"
#include "likely/train/ensemble.hpp"

namespace likely::tables {

// Layers with relu between them; without hidden ones, a linear model.
struct Network {
  std::vector<nn::Linear> layers;

  Network(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t outputs, Rng rng);
  Tensor operator()(const Tensor& x) const;
  LIKELY_PARTS(layers)
};

// Refused: sizes below 1, numbers below 0, no hidden layer, no weight decay.
struct ModelOptions {
  std::vector<std::int64_t> hidden{64};
  std::int64_t members = 0;  // of each committee; 0: 10 up to 5,000 rows, 3 up to 50,000, else 1
  std::int64_t epochs = 300;
  std::int64_t patience = 30;
  std::int64_t batch = 0;  // 0: so that an epoch has about 40 steps, from 8 to 256
  double lr = 3e-3;
  // AdamW's; of several, each committee takes the one with which it is best on rows it does not learn from.
  std::vector<double> weight_decay{0.3};
};

struct TableModel {
  Schema schema;
  std::vector<std::int64_t> hidden;
  Encoder encoder;
  data::Standardizer target;  // of numbers: empty for classes
  train::Ensemble<Network> linear, network;
  Buffer weight;  // w, f64

  // (rows, classes): probabilities; or (rows,): numbers in the target's units. f64.
  Tensor predict(const Tensor& x) const;
  // What is to be told of numbers of these rows that are drawn in (encoder.hpp), for the networks alone or
  // for all: how many, and the first; else nothing.
  std::string drawn_in(const Rows& rows) const;

  // model.safetensors and columns.json in a folder; each appears whole or not at all. Loading refuses files
  // that were changed, contradict themselves or do not fit each other.
  void save(const std::filesystem::path& folder) const;
  static TableModel load(const std::filesystem::path& folder);

  // What of its parts does not fit the schema (tree/misfit.hpp).
  std::string misfit() const;
  LIKELY_PARTS(encoder, target, linear, network, weight)
};

// How good each is on rows it has not seen: minus the mean log-probability of classes, or the mean squared
// error of standardised targets.
struct InnerLosses {
  double linear = 0.0, network = 0.0, blend = 0.0;
};

struct FittedModel {
  TableModel model;
  InnerLosses losses;
};

// Called after each epoch of a committee, with the loss on rows that are not learned from.
using OnEpoch = std::function<void(std::int64_t epoch, double loss)>;

inline constexpr std::int64_t kFewestRows = 10;

// Fits to rows; y as in Rows. Depends on the rows, the options and the key alone. Nothing, if Ctrl-C came in
// between. Refuses fewer than kFewestRows.
std::optional<FittedModel> fit_model(const Schema& schema, const Tensor& x, const Tensor& y,
                                     const ModelOptions& options, Rng rng, const OnEpoch& on_epoch = {});

}  // namespace likely::tables
