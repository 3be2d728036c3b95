#include "likely/models/tables/table_model.hpp"

#include <nlohmann/json.hpp>

#include "likely/core/create.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/model_file.hpp"
#include "likely/io/text.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/view.hpp"

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
  const Tensor z = encoder.apply(schema, x);
  const double w = weight.item();
  // A committee without a say is not asked.
  const auto mixed = [&](const auto& say) {
    if (w <= 0.0) return say(linear);
    if (w >= 1.0) return say(network);
    return (1.0 - w) * say(linear) + w * say(network);
  };
  if (schema.classifies()) {
    return mixed(
        [&](const train::Ensemble<Network>& committee) { return committee.probabilities(z).to(DType::f64); });
  }
  return target.invert(mixed(
      [&](const train::Ensemble<Network>& committee) { return squeeze(committee(z).to(DType::f64), 1); }));
}

namespace {

std::filesystem::path model_path(const std::filesystem::path& folder) { return folder / "model.safetensors"; }
std::filesystem::path columns_path(const std::filesystem::path& folder) { return folder / "columns.json"; }

}  // namespace

void TableModel::save(const std::filesystem::path& folder) const {
  io::write_file(columns_path(folder), schema.text());
  const nlohmann::json sizes{{"hidden", hidden},
                             {"features", encoder.features()},
                             {"linear", linear.members.size()},
                             {"network", network.members.size()}};
  io::save(model_path(folder), *this, {{"sizes", sizes.dump()}});
}

TableModel TableModel::load(const std::filesystem::path& folder) {
  TableModel model;
  const std::filesystem::path described = columns_path(folder);
  model.schema = Schema::parse(io::read_text(described), described.string());
  const auto metadata = io::load_safetensors(model_path(folder)).metadata;
  const auto found = metadata.find("sizes");
  const nlohmann::json sizes =
      nlohmann::json::parse(found == metadata.end() ? "" : found->second, nullptr, false);
  if (!sizes.is_object()) refuse("csv", model_path(folder).string() + " does not hold the model of a table");
  model.hidden = sizes.value("hidden", std::vector<std::int64_t>());
  const auto features = sizes.value("features", std::int64_t{1});
  const auto outputs = model.schema.classifies() ? static_cast<std::int64_t>(model.schema.classes.size()) : 1;
  for (std::int64_t i = 0; i < sizes.value("linear", std::int64_t{0}); ++i)
    model.linear.members.emplace_back(features, std::vector<std::int64_t>(), outputs, Rng(0));
  for (std::int64_t i = 0; i < sizes.value("network", std::int64_t{0}); ++i)
    model.network.members.emplace_back(features, model.hidden, outputs, Rng(0));
  io::load(model_path(folder), model);
  return model;
}

}  // namespace likely::tables
