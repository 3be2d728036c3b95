// Files of arrays, at the level of meaning.
#include <fmt/format.h>

#include "likely/core/create.hpp"
#include "likely/io/idx.hpp"
#include "likely/io/inspect.hpp"
#include "likely/io/mapped_array.hpp"
#include "likely/io/npy.hpp"
#include "likely/io/safetensors.hpp"
#include "likely/io/text.hpp"
#include "tests/fuzz/choices.hpp"
#include "tests/fuzz/raw_archive.hpp"
#include "tests/fuzz/raw_tensors.hpp"
#include "tests/fuzz/sane.hpp"
#include "tests/fuzz/target.hpp"

namespace likely::fuzz {

namespace {

using namespace std::string_literals;
using Paths = const std::filesystem::path&;

RawTensors example() {
  return raw({{{"labels", tensor({1, 2, 3})},
               {"layer.weight", tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})},
               {"layer.bias", tensor({0.5, 1.5}, DType::f64)},
               {"mask", tensor({true, false})}},
              {{"epoch", "12"}}});
}

std::vector<std::string> starts() {
  return {"", std::string(40, '\1'), std::string(40, '\3') + std::string(40, '\7'),
          "\x05\x15\x25\x35\x45\x55\x65\x75\x85"s};
}

std::string npy_of(Choices& choices) {
  const auto or_lie = [&](const std::string& text) { return choices.one_in(24) ? choices.word() : text; };
  std::string shape;
  std::int64_t count = 1;
  const std::size_t rank = choices.below(choices.one_in(8) ? 80 : 4);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t size =
        choices.one_in(4) ? choices.whole() : static_cast<std::int64_t>(choices.below(5));
    shape += fmt::format("{}, ", size);
    if (__builtin_mul_overflow(count, size, &count)) count = 0;
  }
  const std::string kind = choices.pick({"f8", "f4", "f2", "i8", "i4", "i2", "i1", "u1", "u2", "u4", "u8",
                                         "b1", "c8", "O", "S3", "M8", "f16", "i0", "f-8"});
  std::string header = "{" + or_lie("'descr'") + ": '" + choices.pick({"<", ">", "|", "=", ""}) +
                       or_lie(kind) + "', 'fortran_order': " + or_lie(choices.one_in(3) ? "True" : "False") +
                       ", 'shape': (" + or_lie(shape) + "), }";
  header.resize(std::max<std::size_t>(header.size(), 117), ' ');
  header += '\n';
  const std::size_t element =
      kind.back() >= '1' && kind.back() <= '8' ? static_cast<std::size_t>(kind.back() - '0') : 1;
  const std::size_t bytes = static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, 512)) * element;
  std::string file = "\x93NUMPY"s + (choices.one_in(16) ? choices.byte() : '\1') + '\0';
  const std::size_t length = choices.one_in(16) ? choices.below(65536) : header.size();
  file += static_cast<char>(length & 255);
  file += static_cast<char>(length >> 8);
  return file + header + std::string(bytes + (choices.one_in(16) ? 1 : 0), choices.byte());
}

std::string idx_of(Choices& choices) {
  std::string file(2, choices.one_in(16) ? choices.byte() : '\0');
  const std::size_t type =
      choices.one_in(16) ? choices.below(256) : choices.pick<std::size_t>({8, 9, 11, 12, 13, 14});
  const std::size_t rank = choices.one_in(8) ? choices.below(256) : 1 + choices.below(3);
  file += static_cast<char>(type);
  file += static_cast<char>(rank);
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < std::min<std::size_t>(rank, 12); ++i) {
    const auto size = static_cast<std::uint32_t>(
        choices.one_in(6) ? choices.whole() : static_cast<std::int64_t>(choices.below(5)));
    for (int shift = 24; shift >= 0; shift -= 8) file += static_cast<char>(size >> shift);
    count = std::min<std::uint64_t>(count * size, 512);
  }
  const std::size_t element = type == 11 ? 2 : type == 12 || type == 13 ? 4 : type == 14 ? 8 : 1;
  return file + std::string(count * element + (choices.one_in(16) ? 1 : 0), choices.byte());
}

}  // namespace

void add_array_meaning_targets(std::vector<Target>& all) {
  all.push_back({"safetensors_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   RawTensors file = example();
                   distort(file, choices);
                   const bool honest = choices.one_in(2);
                   return read_file(safetensors_of(file, honest ? nullptr : &choices), kPlain,
                                    [&](Paths path) {
                                      switch (choices.below(3)) {
                                        case 0: {
                                          const io::NamedTensors loaded = io::load_safetensors(path);
                                          look_at(loaded);
                                          if (honest) look_at(loaded, file);
                                          break;
                                        }
                                        case 1:
                                          look_at(io::mapped_dataset(io::map_safetensors(path, "labels")));
                                          break;
                                        default: io::json_of(io::inspect(path));
                                      }
                                    });
                 },
                 starts, false});
  all.push_back({"npy_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   return read_file(npy_of(choices), kPlain, [&](Paths path) {
                     switch (choices.below(3)) {
                       case 0: look_at(io::load_npy(path)); break;
                       case 1: look_at(io::mapped_dataset(io::map_npy(path))); break;
                       default: io::json_of(io::inspect(path));
                     }
                   });
                 },
                 starts, false});
  all.push_back({"npz_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   std::vector<RawMember> members;
                   for (std::size_t left = choices.below(4); left > 0; --left) {
                     const std::string name = choices.word_of({"x.npy", "y.npy", "z.npy", "a/data.pkl"});
                     members.push_back({name, npy_of(choices)});
                   }
                   return read_file(zip_of(members, choices), kPacked, [&](Paths path) {
                     if (choices.one_in(2)) {
                       io::json_of(io::inspect(path));
                     } else {
                       const io::NamedTensors loaded = io::load_npz(path);
                       look_at(loaded);
                       demand(loaded.tensors.size() <= members.size(), "more arrays than members");
                     }
                   });
                 },
                 starts, false});
  all.push_back({"idx_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   std::string file = idx_of(choices);
                   if (choices.one_in(4)) file = gzip_of(file, choices);
                   return read_file(file, kPacked, [&](Paths path) {
                     switch (choices.below(3)) {
                       case 0: look_at(io::load_idx(path)); break;
                       case 1: look_at(io::load_idx(path, DType::f32)); break;
                       default: look_at(io::mapped_dataset(io::map_idx(path)));
                     }
                   });
                 },
                 starts, false});
  all.push_back({"gzip_meaning",
                 [](std::string_view input) {
                   Choices choices(input);
                   std::string text;
                   for (std::size_t left = choices.below(6); left > 0; --left) text += choices.word() + "\n";
                   return read_file(gzip_of(text, choices), 0.0, [&](Paths path) {
                     demand(io::read_text(path).size() <= text.size() + 16, "text that was not packed");
                     io::read_lines(path);
                   });
                 },
                 starts, false});
}

}  // namespace likely::fuzz
