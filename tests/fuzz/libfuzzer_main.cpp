// What libFuzzer calls.
//   likely_fuzz --target=csv [libFuzzer's options and folders]   attacks a reader
//   likely_fuzz --list                                           the targets, a line each
//   likely_fuzz --seeds=folder                                   writes what each starts from to
//   folder/<target>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "likely/core/threads.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

using likely::fuzz::Target;
using likely::fuzz::targets;

const Target* chosen = nullptr;

void write_seeds(const std::filesystem::path& folder) {
  for (const Target& target : targets()) {
    std::filesystem::create_directories(folder / target.name);
    int number = 0;
    for (const std::string& seed : target.seeds())
      likely::testing::write_bytes(folder / target.name / ("seed_" + std::to_string(number++)), seed);
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's names
extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  likely::set_threads(1);
  for (int i = 1; i < *count; ++i) {
    const std::string_view argument = (*arguments)[i];
    if (argument == "--list") {
      for (const Target& target : targets()) std::cout << target.name << '\n';
      std::exit(0);
    }
    if (argument.starts_with("--seeds=")) {
      write_seeds(argument.substr(argument.find('=') + 1));
      std::exit(0);
    }
    if (!argument.starts_with("--target=")) continue;
    for (const Target& target : targets()) {
      if (target.name == argument.substr(argument.find('=') + 1)) chosen = &target;
    }
  }
  if (chosen == nullptr) {
    std::cerr << "likely_fuzz --target=NAME, one of those that --list names\n";
    std::exit(2);
  }
  return 0;
}

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's names
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->read({reinterpret_cast<const char*>(data), size});
  return 0;
}
