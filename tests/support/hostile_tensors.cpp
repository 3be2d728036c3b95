#include "tests/support/hostile_tensors.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/io/json.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

namespace {

using Changes = std::vector<std::pair<std::string, Tensor>>;

// Ones: a number that is fine almost anywhere, so that only the shape is wrong.
Tensor in_shape(const Shape& shape, const Tensor& like) { return ones(shape, like.dtype()); }

DType other_type(DType dtype) {
  switch (dtype) {
    case DType::f32: return DType::f64;
    case DType::f64: return DType::f32;
    case DType::i64: return DType::f64;
    case DType::boolean: return DType::i64;
  }
  return DType::f32;
}

Tensor with_last(const Tensor& tensor, double value) {
  std::vector<double> values = tensor.to_vector<double>();
  values.back() = value;
  return likely::tensor(values, tensor.shape()).to(tensor.dtype());
}

Tensor with_last(const Tensor& tensor, std::int64_t value) {
  std::vector<std::int64_t> values = tensor.to_vector<std::int64_t>();
  values.back() = value;
  return likely::tensor(values, tensor.shape());
}

Changes changes_of(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  Changes changes{{"shape (0,)", in_shape({0}, tensor)},
                  {"shape (1,)", in_shape({1}, tensor)},
                  {"shape ()", in_shape({}, tensor)}};
  Shape more = shape.rank() > 0 ? shape : Shape{1};
  more[0] += 1;
  changes.emplace_back("one more", in_shape(more, tensor));
  if (shape.rank() > 0 && shape[0] > 1) {
    Shape fewer = shape;
    fewer[0] -= 1;
    changes.emplace_back("one fewer", in_shape(fewer, tensor));
  }
  if (shape.rank() < Shape::kMaxRank) {
    Shape longer = shape;
    longer.insert(0, 1);
    changes.emplace_back("one more axis", in_shape(longer, tensor));
  }
  if (shape.rank() > 1) {
    Shape turned = shape;
    std::swap(turned[0], turned[1]);
    changes.emplace_back("transposed", in_shape(turned, tensor));
  }
  std::erase_if(changes, [&](const auto& change) { return change.second.shape() == shape; });
  changes.emplace_back("other type", tensor.to(other_type(tensor.dtype())));
  if (tensor.size() > 0 && is_floating(tensor.dtype())) {
    changes.emplace_back("NaN", with_last(tensor, std::numeric_limits<double>::quiet_NaN()));
    changes.emplace_back("infinite", with_last(tensor, std::numeric_limits<double>::infinity()));
  }
  if (tensor.size() > 0 && tensor.dtype() == DType::i64) {
    changes.emplace_back("-1", with_last(tensor, std::int64_t{-1}));
    changes.emplace_back("largest", with_last(tensor, std::numeric_limits<std::int64_t>::max()));
  }
  return changes;
}

}  // namespace

std::vector<HostileFile> hostile_tensors(const io::NamedTensors& valid) {
  std::vector<HostileFile> files;
  for (std::size_t i = 0; i < valid.tensors.size(); ++i) {
    const auto& [name, tensor] = valid.tensors[i];
    for (auto& [change, changed] : changes_of(tensor)) {
      files.push_back({name, change, valid});
      files.back().file.tensors[i].second = std::move(changed);
    }
    files.push_back({name, "missing", valid});
    files.back().file.tensors.erase(files.back().file.tensors.begin() + static_cast<std::ptrdiff_t>(i));
  }
  files.push_back({"unheard.of", "unknown", valid});
  files.back().file.tensors.emplace_back("unheard.of", ones({2}));
  return files;
}

std::vector<HostileFile> hostile_metadata(const io::NamedTensors& valid) {
  std::vector<HostileFile> files;
  for (const auto& [key, value] : valid.metadata) {
    for (const char* text : {"", "x", " 1", "1 ", "1.5", "-1", "9223372036854775807", "9223372036854775808",
                             "99999999999999999999", "nan", "-inf", "0x1p+5000", "-0x1p+0", "1e999", "{}"}) {
      files.push_back({key, "\"" + std::string(text) + "\"", valid});
      files.back().file.metadata[key] = text;
    }
    files.push_back({key, "missing", valid});
    files.back().file.metadata.erase(key);
  }
  return files;
}

void write_plain_safetensors(const std::filesystem::path& path, const io::NamedTensors& tensors,
                             const std::map<std::string, std::string>& as_zeros) {
  io::SortedJson header = io::SortedJson::object();
  if (!tensors.metadata.empty()) header["__metadata__"] = tensors.metadata;
  std::string data;
  for (const auto& [name, tensor] : tensors.tensors) {
    const Tensor dense = tensor.contiguous();
    const std::size_t begin = data.size();
    std::string type = dense.dtype() == DType::f32   ? "F32"
                       : dense.dtype() == DType::f64 ? "F64"
                       : dense.dtype() == DType::i64 ? "I64"
                                                     : "BOOL";
    if (const auto other = as_zeros.find(name); other != as_zeros.end()) {
      type = other->second;
      const std::size_t width = type.ends_with("16") ? 2 : type.ends_with("32") ? 4 : 1;
      data.append(static_cast<std::size_t>(dense.size()) * width, '\0');
    } else {
      data.append(static_cast<const char*>(dense.raw()),
                  static_cast<std::size_t>(dense.size()) * size_of(dense.dtype()));
    }
    header[name] = {{"dtype", type},
                    {"shape", std::vector<std::int64_t>(dense.shape().begin(), dense.shape().end())},
                    {"data_offsets", {begin, data.size()}}};
  }
  const std::string text = io::json_text(header);
  std::string length;
  for (int i = 0; i < 8; ++i) length += static_cast<char>(text.size() >> (8 * i) & 0xFF);
  write_bytes(path, length + text + data);
}

void expect_all_refused(const std::vector<HostileFile>& files, const std::filesystem::path& path,
                        const std::function<void()>& read,
                        const std::function<bool(const HostileFile&)>& harmless) {
  ASSERT_FALSE(files.empty());
  for (const HostileFile& hostile : files) {
    const bool allowed = harmless && harmless(hostile);
    write_plain_safetensors(path, hostile.file);
    try {
      read();
      EXPECT_TRUE(allowed) << hostile.name << ", " << hostile.change << ": was read";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(hostile.name), std::string::npos)
          << hostile.name << ", " << hostile.change << ": " << error.what();
    }
  }
}

}  // namespace likely::testing
