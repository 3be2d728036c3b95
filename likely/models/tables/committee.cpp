#include "likely/models/tables/committee.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/autodiff/gradient.hpp"
#include "likely/data/batches.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/optim/adam.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::tables {

Tensor Problem::loss(const Tensor& output, const Tensor& target) const {
  return classifies ? softmax_cross_entropy(output, target) : mean(square(output - target));
}

Tensor Problem::prediction(const Tensor& output) const {
  return (classifies ? softmax(output) : output).to(DType::f64);
}

double Problem::mean_loss(const std::vector<double>& predicted,
                          const std::vector<std::vector<std::int64_t>>& parts) const {
  const std::vector<double> targets = y.to_vector<double>();
  double sum = 0.0;
  double count = 0.0;
  for (const std::vector<std::int64_t>& part : parts) {
    for (const std::int64_t number : part) {
      const auto row = static_cast<std::size_t>(number);
      count += 1.0;
      if (classifies) {
        const double p =
            predicted[row * static_cast<std::size_t>(outputs) + static_cast<std::size_t>(targets[row])];
        sum -= std::log(std::max(p, std::numeric_limits<double>::min()));
      } else {
        sum += (predicted[row] - targets[row]) * (predicted[row] - targets[row]);
      }
    }
  }
  return sum / count;
}

namespace {

constexpr std::int64_t kStepsAnEpoch = 40;

// One network on its way.
struct Learner {
  Network network;
  optim::AdamW optimizer;
  data::Dataset rows;
  Tensor unseen;  // inputs of the rows it does not learn from
  Rng order;

  void make_epoch(const Problem& problem, std::int64_t epoch, std::int64_t batch) {
    for (const data::Batch& rows_now :
         rows.batches(batch, order.fold_in(static_cast<std::uint64_t>(epoch)))) {
      const auto result =
          value_and_grad(network, [&](const Network& n) { return problem.loss(n(rows_now.x), rows_now.y); });
      optimizer.step(network, result.gradient);
    }
  }
};

std::vector<std::int64_t> all_but(const std::vector<std::int64_t>& part, std::int64_t count) {
  std::vector<std::int64_t> rest;
  for (std::int64_t row = 0; row < count; ++row) {
    if (!std::binary_search(part.begin(), part.end(), row)) rest.push_back(row);
  }
  return rest;
}

std::vector<Learner> make_learners(const Problem& problem,
                                   const std::vector<std::vector<std::int64_t>>& parts,
                                   const std::vector<std::int64_t>& hidden, double weight_decay,
                                   const ModelOptions& options, Rng rng) {
  const data::Dataset rows(problem.z, problem.y);
  std::vector<Learner> learners;
  for (const std::vector<std::int64_t>& part : parts) {
    Network network(problem.z.dim(1), hidden, problem.outputs, rng.split());
    optim::AdamW optimizer(network, {.lr = options.lr, .weight_decay = weight_decay});
    learners.push_back({std::move(network), std::move(optimizer), rows.subset(all_but(part, rows.size())),
                        rows.rows(part).x, rng.split()});
  }
  return learners;
}

}  // namespace

std::optional<Committee> fit_committee(const Problem& problem,
                                       const std::vector<std::vector<std::int64_t>>& parts,
                                       const std::vector<std::int64_t>& hidden, double weight_decay,
                                       const ModelOptions& options, Rng rng, const OnEpoch& on_epoch) {
  const train::detail::CatchInterrupt interrupt(true);
  std::vector<Learner> learners = make_learners(problem, parts, hidden, weight_decay, options, rng);
  const auto width = static_cast<std::ptrdiff_t>(problem.outputs);
  const std::int64_t count = problem.z.dim(0);
  const std::int64_t batch =
      options.batch > 0 ? options.batch : std::clamp<std::int64_t>(count / kStepsAnEpoch, 8, 256);
  Committee best;
  std::vector<double> unseen(static_cast<std::size_t>(count * problem.outputs), 0.0);
  for (std::int64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      learners[k].make_epoch(problem, epoch, batch);
      if (interrupt.arrived()) return std::nullopt;
      const std::vector<double> said =
          problem.prediction(learners[k].network(learners[k].unseen)).to_vector<double>();
      for (std::size_t i = 0; i < parts[k].size(); ++i)
        std::copy_n(said.begin() + static_cast<std::ptrdiff_t>(i) * width, width,
                    unseen.begin() + parts[k][i] * width);
    }
    const double loss = problem.mean_loss(unseen, parts);
    if (!std::isfinite(loss))
      refuse("csv", "the loss is not finite in epoch " + std::to_string(epoch) + ": try a smaller lr");
    if (best.epochs == 0 || loss < best.loss) {
      best.loss = loss;
      best.epochs = epoch;
      best.unseen = unseen;
      best.ensemble.members.clear();
      for (const Learner& learner : learners) best.ensemble.members.push_back(learner.network);
    }
    if (on_epoch) on_epoch(epoch, loss);
    if (options.patience > 0 && epoch - best.epochs >= options.patience) break;
  }
  return best;
}

}  // namespace likely::tables
