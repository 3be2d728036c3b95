#include "likely/tree/flat.hpp"

#include <string>

#include "likely/ops/join.hpp"
#include "likely/ops/view.hpp"

namespace likely::detail {

Tensor joined_parts(const std::vector<const Tensor*>& parts) {
  if (parts.empty()) refuse("flatten_parts", "the model has no parameters");
  std::vector<Tensor> flat;
  flat.reserve(parts.size());
  for (const Tensor* part : parts) {
    if (part->dtype() != parts[0]->dtype()) {
      refuse("flatten_parts",
             "the parameters have different types: " + std::string(name_of(parts[0]->dtype())) + " and " +
                 std::string(name_of(part->dtype())));
    }
    flat.push_back(reshape(*part, {part->size()}));
  }
  return concat(flat);
}

std::vector<Tensor> cut_like(const Tensor& vector, const std::vector<Tensor*>& parts) {
  std::int64_t total = 0;
  for (const Tensor* part : parts) total += part->size();
  if (!(vector.shape() == Shape{total})) {
    refuse("unflatten_parts", "the model has " + std::to_string(total) +
                                  " parameters, the vector has shape " + vector.shape().string());
  }
  for (const Tensor* part : parts) {
    if (part->dtype() != vector.dtype()) {
      refuse("unflatten_parts", "the parameters are " + std::string(name_of(part->dtype())) +
                                    ", the vector is " + std::string(name_of(vector.dtype())));
    }
  }
  std::vector<Tensor> pieces;
  pieces.reserve(parts.size());
  std::int64_t begin = 0;
  for (const Tensor* part : parts) {
    pieces.push_back(reshape(slice(vector, 0, {begin, begin + part->size()}), part->shape()));
    begin += part->size();
  }
  return pieces;
}

}  // namespace likely::detail
