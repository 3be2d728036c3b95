#include "likely/runs/kept_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "likely/core/error.hpp"
#include "likely/core/memory_limit.hpp"
#include "likely/core/printable.hpp"
#include "likely/core/whole_number.hpp"
#include "likely/io/path_kind.hpp"
#include "likely/io/safetensors.hpp"
#include "likely/kernels/build_info.hpp"
#include "likely/ops/join.hpp"

namespace likely::runs::detail {

namespace {

constexpr std::int64_t kRowsAtOnce = 256;
constexpr double kMostNumbersARow = 1e9;

std::string text_of(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

bool parse_shape(std::string_view text, Shape& shape) {
  while (!text.empty()) {
    const std::size_t end = text.find('x');
    const auto size = whole_number<std::int64_t>(text.substr(0, end));
    if (!size || *size < 1 || shape.rank() == Shape::kMaxRank || end + 1 == text.size()) return false;
    shape.push_back(*size);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  // More numbers than this no row has, and their product could be too large for a number.
  double numbers = 1.0;
  for (const std::int64_t size : shape) numbers *= static_cast<double>(size);
  return numbers <= kMostNumbersARow;
}

}  // namespace

std::filesystem::path model_file(const Run& run) { return run.out / "model.safetensors"; }

std::map<std::string, std::string> provenance(const Run& run, const Sizes& sizes) {
  return {{"likely", std::string(version())},
          {"seed", std::to_string(run.seed)},
          {"input", text_of(sizes.input)},
          {"outputs", std::to_string(sizes.outputs)}};
}

Sizes kept_sizes(const Run& run) {
  const std::filesystem::path file = model_file(run);
  if (!io::path_exists(file))
    throw Error(fmt::format("{} holds no finished model; finish it with: likely resume {}", run.out.string(),
                            shell_word(run.out.string())));
  const auto metadata = io::load_safetensors(file).metadata;
  Sizes sizes;
  Shape outputs;
  const auto input = metadata.find("input");
  const auto count = metadata.find("outputs");
  if (input == metadata.end() || count == metadata.end() || !parse_shape(input->second, sizes.input) ||
      !parse_shape(count->second, outputs) || outputs.rank() != 1)
    throw Error(file.string() + ": the file does not say what rows the model takes");
  sizes.outputs = outputs[0];
  return sizes;
}

void load_within_file(const Run& run, const std::function<void()>& load) {
  constexpr std::int64_t kTimesItsFile = 64;  // an orthogonal start needs some matrices of doubles
  constexpr std::int64_t kBesides = 65'536;
  const std::filesystem::path file = model_file(run);
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file));
  const MemoryLimit limit(kBesides + kTimesItsFile * bytes);
  try {
    load();
    return;
  } catch (const Error&) {
    if (!limit.exceeded()) throw;
  }
  throw Error(fmt::format("{}: the model that recipe.json and this file announce is larger than the file",
                          file.string()));
}

Tensor outputs_for(const Predictor& predict, const data::Dataset& rows, const CancelTest& cancelled) {
  std::vector<Tensor> outputs;
  for (const data::Batch& batch : rows.batches(kRowsAtOnce)) {
    give_up_if(cancelled);
    outputs.push_back(predict(batch.x));
  }
  return concat(outputs);
}

}  // namespace likely::runs::detail
