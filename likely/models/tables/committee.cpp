#include "likely/models/tables/committee.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/data/batches.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/optim/adam.hpp"
#include "likely/train/run.hpp"

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

// The networks on their way.
struct Networks {
  struct Member {
    Network network;
    optim::AdamW optimizer;
    LIKELY_PARTS(network, optimizer)
  };
  // What does not change: the rows that a member learns from, those that it does not, and the key of its
  // order.
  struct Lesson {
    data::Dataset rows;
    std::vector<std::int64_t> part;
    Tensor unseen;  // the inputs of the part's rows
    Rng order;
  };
  struct Result {
    train::Ensemble<Network> ensemble{};
    Buffer unseen;
    LIKELY_PARTS(ensemble, unseen)
  };

  const Problem& problem;
  std::int64_t batch;
  NotAPart<std::vector<Lesson>> lessons;
  std::vector<Member> members;
  Buffer unseen;  // (rows, outputs), f64

  Networks(const Problem& posed, std::int64_t rows_a_batch)
      : problem(posed), batch(rows_a_batch), unseen(zeros({posed.z.dim(0), posed.outputs}, DType::f64)) {}

  // One epoch of one member; they take turns.
  train::Losses step(const Training&, std::int64_t number) {
    const auto turn = static_cast<std::int64_t>(members.size());
    Member& member = members[static_cast<std::size_t>(number % turn)];
    const Lesson& lesson = (*lessons)[static_cast<std::size_t>(number % turn)];
    const auto epoch = static_cast<std::uint64_t>(number / turn + 1);
    for (const data::Batch& rows : lesson.rows.batches(batch, lesson.order.fold_in(epoch))) {
      train::descend(member.network, member.optimizer,
                     [&](Network& n) { return problem.loss(n(rows.x), rows.y); });
    }
    put_unseen(lesson.part, problem.prediction(member.network(lesson.unseen)).to_vector<double>());
    return {};
  }
  // What each row's member says about it.
  void put_unseen(const std::vector<std::int64_t>& part, const std::vector<double>& said) {
    const auto width = static_cast<std::ptrdiff_t>(problem.outputs);
    std::vector<double> all = unseen.to_vector<double>();
    for (std::size_t i = 0; i < part.size(); ++i)
      std::copy_n(said.begin() + static_cast<std::ptrdiff_t>(i) * width, width,
                  all.begin() + part[i] * width);
    unseen = Buffer(tensor(all, unseen.shape()));
  }
  double loss() const {
    std::vector<std::vector<std::int64_t>> parts;
    for (const Lesson& lesson : *lessons) parts.push_back(lesson.part);
    return problem.mean_loss(unseen.to_vector<double>(), parts);
  }
  Result result() const {
    Result all{.unseen = unseen};
    for (const Member& member : members) all.ensemble.members.push_back(member.network);
    return all;
  }
  LIKELY_PARTS(members, unseen)
};

std::vector<std::int64_t> all_but(const std::vector<std::int64_t>& part, std::int64_t count) {
  std::vector<std::int64_t> rest;
  for (std::int64_t row = 0; row < count; ++row) {
    if (!std::binary_search(part.begin(), part.end(), row)) rest.push_back(row);
  }
  return rest;
}

Networks make_networks(const Problem& problem, const std::vector<std::vector<std::int64_t>>& parts,
                       const std::vector<std::int64_t>& hidden, double weight_decay,
                       const ModelOptions& options, Rng rng) {
  const data::Dataset rows(problem.z, problem.y);
  const std::int64_t by_size = std::clamp<std::int64_t>(rows.size() / kStepsAnEpoch, 8, 256);
  Networks networks(problem, options.batch > 0 ? options.batch : by_size);
  for (const std::vector<std::int64_t>& part : parts) {
    Network network(problem.z.dim(1), hidden, problem.outputs, rng.split());
    optim::AdamW optimizer(network, {.lr = options.lr, .weight_decay = weight_decay});
    networks.members.push_back({std::move(network), std::move(optimizer)});
    networks.lessons->push_back(
        {rows.subset(all_but(part, rows.size())), part, rows.rows(part).x, rng.split()});
  }
  return networks;
}

}  // namespace

std::optional<Committee> fit_committee(const Problem& problem,
                                       const std::vector<std::vector<std::int64_t>>& parts,
                                       const std::vector<std::int64_t>& hidden, double weight_decay,
                                       const ModelOptions& options, Rng rng, const OnEpoch& on_epoch,
                                       const std::filesystem::path& keep_in) {
  Networks networks = make_networks(problem, parts, hidden, weight_decay, options, rng);
  std::int64_t epoch = 1;
  const auto refuse_loss = [&] {
    refuse("csv", "the loss is not finite in epoch " + std::to_string(epoch) + ": try a smaller lr");
  };
  const auto report = [&](const train::EpochReport& done) {
    epoch = done.epoch;
    if (!std::isfinite(done["unseen"])) refuse_loss();
    if (on_epoch) on_epoch(epoch, done["unseen"]);
    ++epoch;
  };
  try {
    auto trained =
        train::run(networks, {.epochs = options.epochs,
                              .steps_per_epoch = std::ssize(networks.members),
                              .metrics = {{"unseen", [](const Networks& n) { return n.loss(); }, false}},
                              .patience = options.patience,
                              .on_epoch = report,
                              .out = keep_in,
                              .resume = !keep_in.empty(),
                              .checkpoint_every = keep_in.empty() ? 0 : std::ssize(networks.members),
                              .figures = false,
                              .progress = train::Progress::silent});
    if (trained.stopped == train::Stopped::interrupted) return std::nullopt;
    return Committee{.ensemble = std::move(trained.best.ensemble),
                     .unseen = trained.best.unseen.to_vector<double>(),
                     .loss = trained.best_value,
                     .epochs = trained.best_epoch};
  } catch (const train::NotFinite&) {
    refuse_loss();
    throw;
  }
}

}  // namespace likely::tables
