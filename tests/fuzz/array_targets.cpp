// Files of arrays, at the level of bytes.
#include "likely/core/create.hpp"
#include "likely/data/batches.hpp"
#include "likely/io/idx.hpp"
#include "likely/io/inspect.hpp"
#include "likely/io/mapped_array.hpp"
#include "likely/io/npy.hpp"
#include "likely/io/safetensors.hpp"
#include "likely/io/text.hpp"
#include "tests/fuzz/sane.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::fuzz {

namespace {

using namespace std::string_literals;
using Paths = const std::filesystem::path&;

io::NamedTensors example() {
  return {{{"layer.weight", tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})},
           {"layer.bias", tensor({0.5, 1.5}, DType::f64)},
           {"labels", tensor({1, 2, 3})},
           {"mask", tensor({true, false})}},
          {{"epoch", "12"}}};
}

std::string safetensors_seed() {
  return written([](Paths path) { io::save_safetensors(path, example()); });
}
std::string npy_seed() {
  return written([](Paths path) { io::save_npy(path, tensor({{1.0, 2.0}, {3.0, 4.0}})); });
}
std::string npz_seed(bool compress) {
  return written([&](Paths path) { io::save_npz(path, example(), {.compress = compress}); });
}
std::string idx_seed() { return "\0\0\x0c\x02\0\0\0\x02\0\0\0\x03"s + std::string(24, 'x'); }

std::string long_text() { return "one line\nanother\r\n\n" + std::string(5000, 'x') + "\nlast"; }

// Column-major, big-endian, bool and half-precision arrays, which likely itself never writes.
std::string foreign_npy(const std::string& type, bool column_major, std::size_t element) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + (column_major ? "True" : "False") +
                       ", 'shape': (3, 2), }";
  header.resize(118 - 1, ' ');
  header += '\n';
  return "\x93NUMPY\x01\0"s + static_cast<char>(header.size()) + '\0' + header +
         std::string(6 * element, '\1');
}

}  // namespace

void add_array_targets(std::vector<Target>& all) {
  all.push_back({"safetensors",
                 [](std::string_view input) {
                   return read_file(input, 2.0 * kPlain,
                                    [](Paths path) { look_at(io::load_safetensors(path)); });
                 },
                 [] { return std::vector<std::string>{safetensors_seed()}; }});
  all.push_back({"npy",
                 [](std::string_view input) {
                   return read_file(input, 2.0 * kPlain, [](Paths path) { look_at(io::load_npy(path)); });
                 },
                 [] {
                   return std::vector<std::string>{npy_seed(),
                                                   foreign_npy("<f4", true, 4),
                                                   foreign_npy(">i2", false, 2),
                                                   foreign_npy("|b1", true, 1),
                                                   foreign_npy("<f2", false, 2),
                                                   foreign_npy(">u8", true, 8)};
                 }});
  all.push_back({"npz",
                 [](std::string_view input) {
                   return read_file(input, kPacked, [](Paths path) { look_at(io::load_npz(path)); });
                 },
                 [] {
                   return std::vector<std::string>{
                       npz_seed(true), npz_seed(false),
                       testing::read_bytes("tests/reference/data/numpy_packed.npz")};
                 }});
  all.push_back({"idx",
                 [](std::string_view input) {
                   return read_file(input, kPacked, [&](Paths path) {
                     look_at(input.size() % 2 == 0 ? io::load_idx(path) : io::load_idx(path, DType::f32));
                   });
                 },
                 [] {
                   return std::vector<std::string>{
                       idx_seed(), packed(idx_seed()),
                       "\0\0\x08\x03\0\0\0\x01\0\0\0\x02\0\0\0\x02\x01\x02\x03\x04"s};
                 }});
  all.push_back({"mnist",
                 [](std::string_view input) {
                   // Images by the input; labels for as many.
                   const std::string labels = "\0\0\x08\x01\0\0\0\x02\x03\x07"s;
                   const std::string images(input);
                   return read_folder({{"train-images-idx3-ubyte", images},
                                       {"train-labels-idx1-ubyte", labels},
                                       {"t10k-images-idx3-ubyte", images},
                                       {"t10k-labels-idx1-ubyte", labels}},
                                      kPacked, [](Paths folder) {
                                        const io::Mnist mnist = io::load_mnist(folder);
                                        look_at(mnist.train);
                                        demand(mnist.train.size() == 2 && mnist.test.size() == 2,
                                               "other rows than labels");
                                      });
                 },
                 [] {
                   const std::string header = "\0\0\x08\x03\0\0\0\x02\0\0\0\x1c\0\0\0\x1c"s;
                   return std::vector<std::string>{header + std::string(2 * 28 * 28, '\x40')};
                 }});
  all.push_back({"mapped",
                 [](std::string_view input) {
                   return read_file(input, 2.0 * kPlain, [&](Paths path) {
                     if (input.starts_with("\x93NUMPY"))
                       return look_at(io::mapped_dataset(io::map_npy(path)));
                     if (input.starts_with("\0\0"s)) return look_at(io::mapped_dataset(io::map_idx(path)));
                     look_at(io::mapped_dataset(io::map_safetensors(path, "labels")));
                   });
                 },
                 [] {
                   return std::vector<std::string>{npy_seed(), idx_seed(), safetensors_seed()};
                 }});
  all.push_back(
      {"inspect",
       [](std::string_view input) {
         return read_file(input, kPacked, [](Paths path) {
           const io::FileSummary summary = io::inspect(path);
           demand(!summary.table().empty() && !io::json_of(summary).empty(), "nothing to say");
         });
       },
       [] {
         return std::vector<std::string>{safetensors_seed(), npy_seed(), npz_seed(true), npz_seed(false)};
       }});
  all.push_back({"text",
                 [](std::string_view input) {
                   return read_file(input, 0.0, [](Paths path) {
                     std::size_t bytes = 0;
                     for (const std::string& line : io::read_lines(path)) bytes += line.size();
                     demand(bytes <= io::read_text(path).size(), "lines that the text does not have");
                   });
                 },
                 [] {
                   return std::vector<std::string>{long_text(), packed(long_text())};
                 }});
}

}  // namespace likely::fuzz
