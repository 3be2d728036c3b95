#include "likely/models/tables/table_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "likely/core/create.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/checksum.hpp"
#include "likely/io/json.hpp"
#include "likely/io/model_file.hpp"
#include "likely/io/text.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/view.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::tables {

Network::Network(std::int64_t inputs, const std::vector<std::int64_t>& hidden, std::int64_t outputs,
                 Rng rng) {
  std::int64_t in = inputs;
  for (const std::int64_t width : hidden) {
    layers.emplace_back(in, width, nn::LinearOptions{.activation = Activation::relu}, rng.split());
    in = width;
  }
  // Outputs start at 0: every class is as likely as any other, every number is the mean.
  layers.emplace_back(in, outputs, nn::LinearOptions{.init = nn::Init::zero}, rng.split());
}

Tensor Network::operator()(const Tensor& x) const {
  Tensor h = x;
  for (const nn::Linear& layer : layers) h = layer(h);
  return h;
}

Tensor TableModel::predict(const Tensor& x) const {
  const double w = weight.item();
  const auto say = [&](const train::Ensemble<Network>& committee, Reader reader) {
    const Tensor z = encoder.apply(schema, x, reader);
    return schema.classifies() ? committee.probabilities(z).to(DType::f64)
                               : squeeze(committee(z).to(DType::f64), 1);
  };
  // A committee without a say is not asked.
  const auto mixed = [&] {
    if (w <= 0.0) return say(linear, Reader::linear);
    if (w >= 1.0) return say(network, Reader::network);
    return (1.0 - w) * say(linear, Reader::linear) + w * say(network, Reader::network);
  };
  if (schema.classifies()) return mixed();
  const Tensor said = target.invert(mixed());
  // Beyond the largest targets there may be no number.
  constexpr double kLargest = std::numeric_limits<double>::max();
  return clip(said, -kLargest, kLargest);
}

std::string TableModel::drawn_in(const Rows& rows) const {
  const Reader reader = weight.item() > 0.0 ? Reader::network : Reader::linear;
  const std::vector<double> values = rows.x.to_vector<double>();
  const std::size_t width = schema.inputs.size();
  std::int64_t count = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_number = !schema.inputs[i % width].holds_words && !std::isnan(values[i]);
    if (is_number && encoder.draws_in(i % width, values[i], reader) && count++ == 0) first = i;
  }
  if (count == 0) return {};
  const auto column = static_cast<std::int64_t>(first % width);
  return fmt::format(
      "{} outside of what the model learned from, the first {} in line {}, column \"{}\" (from {:.4g} to "
      "{:.4g}): drawn in to the ends",
      count == 1 ? "1 number" : fmt::format("{} numbers", count), values[first], rows.lines.at(first / width),
      schema.inputs[first % width].name, encoder.low.at({column}), encoder.high.at({column}));
}

namespace {

using Json = io::SortedJson;

std::filesystem::path model_path(const std::filesystem::path& folder) { return folder / "model.safetensors"; }
std::filesystem::path columns_path(const std::filesystem::path& folder) { return folder / "columns.json"; }

// How large the parts of a saved model are.
struct Sizes {
  std::vector<std::int64_t> hidden{};
  std::int64_t features = 0, linear = 0, network = 0;
};

Sizes sizes_of(const std::filesystem::path& path, const std::map<std::string, std::string>& metadata) {
  const auto found = metadata.find("sizes");
  const Json json = io::json_or_none<Json>(found == metadata.end() ? "" : found->second);
  if (!json.is_object()) refuse("csv", path.string() + " does not hold the model of a table");
  const auto size = [&](const char* name, const Json& value) {
    const bool fine = value.is_number_unsigned() && value.get<std::uint64_t>() >= 1 &&
                      value.get<std::uint64_t>() <= static_cast<std::uint64_t>(kMostCounted);
    if (!fine)
      refuse("csv", fmt::format("{}: its size \"{}\" is {}", path.string(), name, io::json_text(value)));
    return value.get<std::int64_t>();
  };
  const auto at = [&](const char* name) { return json.value(name, Json()); };
  Sizes sizes{.features = size("features", at("features")),
              .linear = size("linear", at("linear")),
              .network = size("network", at("network"))};
  for (const Json& width : at("hidden")) sizes.hidden.push_back(size("hidden", width));
  return sizes;
}

void check_part(const std::filesystem::path& path, const io::NamedTensors& file, const std::string& name,
                const Shape& shape) {
  const auto known = std::find_if(file.tensors.begin(), file.tensors.end(),
                                  [&](const auto& tensor) { return tensor.first == name; });
  const std::string wrong = part_misfit(name, known == file.tensors.end() ? Tensor() : known->second, shape,
                                        DType::f32, Values::finite);
  if (!wrong.empty()) refuse("csv", path.string() + ": " + wrong);
}

// Nothing is made in sizes that the file's own tensors do not have: memory that a file only speaks of could
// be more than there is.
void check_committee(const std::filesystem::path& path, const io::NamedTensors& file, const std::string& name,
                     std::int64_t members, std::int64_t features, const std::vector<std::int64_t>& hidden,
                     std::int64_t outputs) {
  for (std::int64_t i = 0; i < members; ++i) {
    std::int64_t in = features;
    for (std::size_t layer = 0; layer <= hidden.size(); ++layer) {
      const std::int64_t out = layer < hidden.size() ? hidden[layer] : outputs;
      check_part(path, file, fmt::format("{}.members.{}.layers.{}.weight", name, i, layer), {out, in});
      check_part(path, file, fmt::format("{}.members.{}.layers.{}.bias", name, i, layer), {out});
      in = out;
    }
  }
}

}  // namespace

void TableModel::save(const std::filesystem::path& folder) const {
  io::write_file(columns_path(folder), io::sealed_json(schema.text()));
  const Json sizes{{"hidden", hidden},
                   {"features", encoder.features()},
                   {"linear", linear.members.size()},
                   {"network", network.members.size()}};
  io::save(model_path(folder), *this, {{"sizes", io::json_text(sizes)}});
}

std::string TableModel::misfit() const {
  if (linear.members.empty() || network.members.empty()) return "a committee has no members";
  const std::int64_t features = linear.members.front().layers.front().weight.dim(1);
  std::string wrong = encoder.misfit_for(schema, features);
  if (!wrong.empty()) return "encoder." + wrong;
  if (schema.classifies()) {
    if (target.mean.defined() || target.scale.defined())
      return "target is there, must be empty for a model of classes";
  } else {
    wrong = part_misfit("target.mean", target.mean, {}, DType::f64, Values::finite);
    if (!wrong.empty()) return wrong;
    wrong = part_misfit("target.scale", target.scale, {}, DType::f64, Values::positive);
    if (!wrong.empty()) return wrong;
  }
  wrong = part_misfit("weight", weight, {}, DType::f64, Values::at_least_0);
  if (wrong.empty() && weight.item() > 1.0)
    wrong = fmt::format("weight holds {}, must be at most 1", weight.item());
  return wrong;
}

TableModel TableModel::load(const std::filesystem::path& folder) {
  TableModel model;
  const std::filesystem::path columns = columns_path(folder);
  model.schema = Schema::parse(io::read_sealed("csv", columns), columns.string());
  const std::filesystem::path path = model_path(folder);
  const io::NamedTensors file = io::load_safetensors(path);
  const Sizes sizes = sizes_of(path, file.metadata);
  const auto outputs = model.schema.classifies() ? static_cast<std::int64_t>(model.schema.classes.size()) : 1;
  check_committee(path, file, "linear", sizes.linear, sizes.features, {}, outputs);
  check_committee(path, file, "network", sizes.network, sizes.features, sizes.hidden, outputs);
  model.hidden = sizes.hidden;
  for (std::int64_t i = 0; i < sizes.linear; ++i)
    model.linear.members.emplace_back(sizes.features, std::vector<std::int64_t>(), outputs, Rng(0));
  for (std::int64_t i = 0; i < sizes.network; ++i)
    model.network.members.emplace_back(sizes.features, model.hidden, outputs, Rng(0));
  io::load(path, model);
  return model;
}

}  // namespace likely::tables
