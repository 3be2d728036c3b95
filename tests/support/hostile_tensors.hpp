// Files of tensors that are well-formed and wrong: what a reader must refuse because of what it means, not of
// how it is written. They have no checksums, as if others had written them.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "likely/io/safetensors.hpp"

namespace likely::testing {

struct HostileFile {
  std::string name;    // of the tensor or of the metadata that is wrong
  std::string change;  // such as "shape (1,)", "NaN", "missing"
  io::NamedTensors file;
};

// Each tensor in turn: other shapes ("shape (0,)", "shape (1,)", "shape ()", "one more", "one fewer", "one
// more axis", "transposed"), another type ("other type"), other numbers ("NaN", "infinite"; of whole numbers
// "-1" and "largest"), "missing"; and a tensor that nobody knows ("unknown"). Only changes that make a
// difference.
std::vector<HostileFile> hostile_tensors(const io::NamedTensors& valid);

// Each entry of the metadata in turn: texts that are no numbers, and numbers out of any range, by `change`;
// and "missing".
std::vector<HostileFile> hostile_metadata(const io::NamedTensors& valid);

// A safetensors file without checksums, written by the lines of the format's description. It is not forced
// onto the disk, so that a test can write thousands.
// Tensors that are named in `as_zeros` are written as zeros of another type of the format: "F16", "I32".
void write_plain_safetensors(const std::filesystem::path& path, const io::NamedTensors& tensors,
                             const std::map<std::string, std::string>& as_zeros = {});

// Writes each of them to `path`, and expects `read` to refuse it with an Error that has the name in it.
// `harmless` says which of them may be read.
void expect_all_refused(const std::vector<HostileFile>& files, const std::filesystem::path& path,
                        const std::function<void()>& read,
                        const std::function<bool(const HostileFile&)>& harmless = {});

}  // namespace likely::testing
