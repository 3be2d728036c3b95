#include "tests/fuzz/sane.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "likely/io/json.hpp"
#include "tests/fuzz/target.hpp"

namespace likely::fuzz {

void look_at(const Tensor& tensor) {
  demand(tensor.size() == tensor.shape().size(), "a tensor of another size than its shape");
  demand(tensor.size() >= 0, "a size below 0");
  demand(static_cast<std::int64_t>(tensor.to_vector<double>().size()) == tensor.size(),
         "elements are missing");
}

void look_at(const io::NamedTensors& file) {
  for (const auto& [name, tensor] : file.tensors) look_at(tensor);
}

void look_at(const data::Dataset& dataset) {
  demand(dataset.all().x.dim(0) == dataset.size(), "rows are missing");
}

void look_at(const io::NamedTensors& file, const RawTensors& declared) {
  look_at(file);
  // Of one name there is one in the header, the last; what is not UTF-8 may become the same name.
  std::set<std::string> names;
  for (auto one = declared.tensors.rbegin(); one != declared.tensors.rend(); ++one) {
    if (one->name == "__metadata__" || !names.insert(io::json_text(io::Json(one->name))).second) continue;
    const auto found = std::find_if(file.tensors.begin(), file.tensors.end(),
                                    [&](const auto& named) { return named.first == one->name; });
    if (found == file.tensors.end()) continue;
    const Shape& shape = found->second.shape();
    demand(std::equal(shape.begin(), shape.end(), one->shape.begin(), one->shape.end()),
           "another shape than was declared: " + one->name);
  }
  demand(file.tensors.size() == names.size(), "another number of tensors than were declared");
}

namespace detail {

void look_at_state(const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    if (!part.value.defined()) continue;
    look_at(part.value);
    const bool may_overflow =
        part.name.find("running_") != std::string::npos || part.name.find("square") != std::string::npos;
    for (const double value : part.value.to_vector<double>()) {
      demand(!std::isnan(value), "NaN was loaded into " + part.name);
      demand(may_overflow || std::isfinite(value), "an infinity was loaded into " + part.name);
      demand(part.name.find("steps") == std::string::npos || value >= 0.0,
             "a count below 0 was loaded into " + part.name);
    }
  }
}

}  // namespace detail

}  // namespace likely::fuzz
