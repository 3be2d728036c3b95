#include "likely/io/mnist1d.hpp"

#include <string>

#include "likely/core/error.hpp"
#include "likely/io/csv.hpp"
#include "likely/io/path_kind.hpp"

namespace likely::io {

namespace {

data::Dataset part(const std::filesystem::path& folder, const std::string& name) {
  std::filesystem::path path = folder / name;
  if (!path_exists(path)) path += ".gz";
  if (!path_exists(path))
    refuse("load_mnist1d", "neither " + name + " nor " + name + ".gz is in " + folder.string());
  return read_csv(path).dataset("label");
}

}  // namespace

data::Mnist1d load_mnist1d(const std::filesystem::path& folder) {
  return {part(folder, "mnist1d_train.csv"), part(folder, "mnist1d_test.csv")};
}

}  // namespace likely::io
