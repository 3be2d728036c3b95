#include "likely/core/layer_error.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace likely {

std::string detail::short_name(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  std::string name = status == 0 ? text.get() : type.name();
  name = name.substr(0, name.find('<'));
  const std::size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

detail::Memory detail::memory_of(std::initializer_list<const Tensor*> tensors) {
  Memory memory;
  for (const Tensor* tensor : tensors) {
    if (tensor->defined()) memory.push_back(tensor->raw());
  }
  return memory;
}

detail::Memory detail::memory_of(const std::vector<Tensor>& tensors) {
  Memory memory;
  for (const Tensor& tensor : tensors) {
    if (tensor.defined()) memory.push_back(tensor.raw());
  }
  return memory;
}

TensorError::TensorError(const Error& reason, detail::Memory memory)
    : Error(reason), memory_(std::make_shared<const detail::Memory>(std::move(memory))) {}

bool TensorError::concerns(const Tensor& tensor) const {
  return tensor.defined() && std::ranges::find(*memory_, tensor.raw()) != memory_->end();
}

LayerError::LayerError(const Error& reason, const void* layer, const std::type_info& type,
                       detail::Memory memory)
    : Error(reason),
      reason_(reason.what()),
      layer_(layer),
      type_(&type),
      memory_(std::make_shared<const detail::Memory>(std::move(memory))) {}

LayerError::LayerError(const LayerError& unnamed, const std::string& path, const LayerError& around)
    : Error(unnamed.reason_ + ", in layer \"" + path + "\" (" + detail::short_name(*unnamed.type_) + ")",
            unnamed.fault()),
      reason_(unnamed.reason_),
      layer_(unnamed.layer_),
      type_(unnamed.type_),
      memory_(unnamed.memory_),
      path_(path),
      around_(std::make_shared<const LayerError>(around)) {}

LayerError LayerError::named(const std::string& path, const LayerError& around) const {
  return {*this, path, around};
}

}  // namespace likely
