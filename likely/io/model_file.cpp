#include "likely/io/model_file.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace likely::io {

namespace {

bool fits(const Tensor& stored, const Tensor& leaf) {
  const bool same_kind =
      stored.dtype() == leaf.dtype() || (is_floating(stored.dtype()) && is_floating(leaf.dtype()));
  return same_kind && stored.shape() == leaf.shape();
}

}  // namespace

void detail::refuse_to_save(const std::filesystem::path& path, const std::string& why) {
  refuse("save", path.string() + " is not written: " + why);
}

void detail::save_parts(const std::filesystem::path& path, const std::vector<Part>& parts,
                        const std::map<std::string, std::string>& metadata) {
  NamedTensors named;
  named.metadata = metadata;
  for (const Part& part : parts) {
    if (part.value.defined()) named.tensors.emplace_back(part.name, part.value);
  }
  save_safetensors(path, named);
}

std::map<std::string, std::string> detail::load_parts(const std::filesystem::path& path,
                                                      const std::vector<NamedLeaf>& leaves,
                                                      const LoadOptions& options,
                                                      const std::function<std::string()>& misfit) {
  NamedTensors named = load_safetensors(path);
  std::unordered_map<std::string, Tensor> stored;
  for (auto& [name, tensor] : named.tensors) stored.emplace(name, std::move(tensor));

  const bool blank = std::ranges::none_of(
      leaves, [](const NamedLeaf& leaf) { return !leaf.is_buffer && leaf.tensor->defined(); });
  std::string complaints;
  std::vector<std::pair<Tensor*, Tensor>> found;
  for (const NamedLeaf& leaf : leaves) {
    const auto entry = stored.find(leaf.name);
    if (entry == stored.end()) {
      if (leaf.tensor->defined())
        complaints += "\n  missing: " + leaf.name + " " + shape_and_type(*leaf.tensor);
      continue;
    }
    if (!blank && !leaf.is_buffer && !leaf.tensor->defined()) continue;  // unexpected
    const bool same = !leaf.tensor->defined() || fits(entry->second, *leaf.tensor);
    // Before it is looked at: a number may be finite in f64 alone.
    if (leaf.tensor->defined() && same) entry->second = entry->second.to(leaf.tensor->dtype());
    if (!same) {
      complaints += "\n  different: " + leaf.name + " is " + shape_and_type(entry->second) +
                    " in the file, " + shape_and_type(*leaf.tensor) + " in the model";
    }
    if (options.finite && leaf.kind == PartKind::parameter &&
        !values_misfit(leaf.name, entry->second, Values::finite).empty()) {
      complaints += "\n  not finite: " + leaf.name + " " + shape_and_type(entry->second);
    }
    found.emplace_back(leaf.tensor, std::move(entry->second));
    stored.erase(entry);
  }
  for (const auto& [name, tensor] : named.tensors) {
    if (stored.contains(name))
      complaints += "\n  unexpected: " + name + " " + shape_and_type(stored.at(name));
  }
  if (!complaints.empty()) refuse("load", path.string() + " does not fit the model:" + complaints);

  for (auto& [leaf, tensor] : found) std::swap(*leaf, tensor);
  const std::string wrong = misfit();
  if (!wrong.empty()) {
    for (auto& [leaf, tensor] : found) std::swap(*leaf, tensor);
    refuse("load", path.string() + " does not fit the model:\n  different: " + wrong);
  }
  return std::move(named.metadata);
}

}  // namespace likely::io
