#include "tests/fuzz/target.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include "likely/core/error.hpp"
#include "likely/core/memory.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::fuzz {

namespace {

using testing::TemporaryFolder;
using testing::write_bytes;

// Bytes of tensors that any reader may take, however short the file.
constexpr double kSmallChange = 100'000.0;

// One folder for all inputs: making one takes longer than reading most files.
const TemporaryFolder& scratch() {
  static const TemporaryFolder folder;
  return folder;
}

template <class Read>
Verdict judged(double input_bytes, double ratio, const std::string& place, Read&& read) {
  const std::int64_t before = memory_report().in_use;
  reset_peak_memory();
  Verdict verdict = Verdict::accepted;
  try {
    read();
  } catch (const Error& error) {
    verdict = Verdict::refused;
    demand(std::string(error.what()).find(place) != std::string::npos,
           fmt::format("a refusal that does not name {}: {}", place, error.what()));
  }
  const auto taken = static_cast<double>(memory_report().peak - before);
  demand(taken <= kSmallChange + ratio * input_bytes,
         fmt::format("{} bytes of tensors for an input of {} bytes", taken, input_bytes));
  return verdict;
}

}  // namespace

void demand(bool condition, const std::string& what) {
  if (!condition) throw Finding(what);
}

Verdict read_file(std::string_view input, double ratio, const Reader& read, const std::string& name) {
  const std::filesystem::path path = scratch() / name;
  write_bytes(path, input);
  return judged(static_cast<double>(input.size()), ratio, path.string(), [&] { read(path); });
}

Verdict read_folder(const std::vector<NamedFile>& files, double ratio, const Reader& read) {
  const std::filesystem::path folder = scratch() / "folder";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  double bytes = 0.0;
  for (const NamedFile& file : files) {
    write_bytes(folder / file.name, file.bytes);
    bytes += static_cast<double>(file.bytes.size());
  }
  return judged(bytes, ratio, folder.string(), [&] { read(folder); });
}

Verdict read_text(const std::function<void()>& read) { return judged(0.0, 0.0, "", read); }

std::string written(const Reader& write, const std::string& name) {
  const TemporaryFolder folder;
  write(folder / name);
  return testing::read_bytes(folder / name);
}

std::string packed(std::string_view text) {
  return written([&](const std::filesystem::path& path) {
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
  });
}

const std::vector<Target>& targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> list;
    add_array_targets(list);
    add_array_meaning_targets(list);
    add_table_targets(list);
    add_state_targets(list);
    add_run_targets(list);
    add_choice_targets(list);
    add_sequence_targets(list);
    add_text_targets(list);
    add_word_targets(list);
    return list;
  }();
  return all;
}

}  // namespace likely::fuzz
