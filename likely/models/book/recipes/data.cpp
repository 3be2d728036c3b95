#include "likely/models/book/recipes/data.hpp"

#include <fmt/format.h>

#include "likely/core/error.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/runs/rows.hpp"

namespace likely::models {

using namespace runs;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::int64_t kTestRows = 1000;

Splits splits_of(const Run& run, Rng rng, const Generator& generate, const data::Dataset* table) {
  if (table == nullptr)
    return {.train = generate(run.settings.whole("rows"), rng.split()),
            .test = generate(kTestRows, rng.split())};
  if (table->size() < 5)
    throw Error(
        fmt::format("{}: {} rows are too few, at least 5 are needed", run.data.string(), table->size()));
  const std::vector<data::Dataset> parts = table->split({0.8, 0.2}, rng);
  return {.train = parts[0], .test = parts[1]};
}

}  // namespace

Setting rows_setting(std::int64_t rows) {
  return whole_setting("rows", rows, "generated rows to learn from", 2, 10'000'000);
}

Splits number_splits(const Run& run, Rng rng, const Generator& generate) {
  if (run.data.empty()) return splits_of(run, rng, generate, nullptr);
  const data::Dataset table = read_table(run.data);
  const data::Dataset numbers(table.all().x, table.all().y.to(DType::f32));
  return splits_of(run, rng, generate, &numbers);
}

Splits class_splits(const Run& run, Rng rng, const Generator& generate) {
  if (run.data.empty()) return splits_of(run, rng, generate, nullptr);
  const data::Dataset table = read_table(run.data);
  const Tensor y = table.targets();
  if (y.dtype() != DType::i64 || min(y).item() < 0.0)
    throw Error(run.data.string() + ": the last column must hold classes: whole numbers from 0 on, or names");
  return splits_of(run, rng, generate, &table);
}

void check_inputs(const Run& run, const Sizes& sizes, std::int64_t inputs) {
  if (sizes.input.size() != inputs)
    throw Error(fmt::format("{}: {} columns before the last, {} {} needed", run.data.string(),
                            sizes.input.size(), inputs, inputs == 1 ? "is" : "are"));
}

}  // namespace likely::models
