// Readers under attack: whatever the input, a reader gives something that fits together, or refuses with an
// Error that names the file; it takes no memory that the input could not fill, and it ends.
//
// Each reader is attacked at two levels. At the level of bytes the input is the file. At the level of meaning
// (targets that end in _meaning) the input chooses: a well-formed file is made by its choices, with hostile
// shapes, values, names and orders, so that what lies behind the parser is reached.
//
// The same targets run under libFuzzer (`make fuzz`) and, with a fixed number of inputs, as tests
// (fuzz_tests).
#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace likely::fuzz {

// Thrown where a reader is wrong.
class Finding : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};
void demand(bool condition, const std::string& what);

enum class Verdict { accepted, refused };

struct Target {
  std::string name;
  // Throws a Finding, or lets pass what the reader should not have thrown, where the reader is wrong.
  std::function<Verdict(std::string_view input)> read;
  // Inputs to start from, besides the files in corpus/<name>.
  std::function<std::vector<std::string>()> seeds;
  // Whether the seeds are files that must be accepted.
  bool seeds_are_valid = true;
  // Whether there is anything that it refuses.
  bool can_refuse = true;
};

// All there are. Makes what they need on the first call.
const std::vector<Target>& targets();

// How many bytes of tensors a byte of a file may become: u8 as i64, or a field of a table as f64, and a copy
// of it; a thousand times that where it is packed.
inline constexpr double kPlain = 40.0;
inline constexpr double kPacked = 40.0 * 1032.0;

// What a reader does with a file that holds the input. `ratio` is one of the above.
using Reader = std::function<void(const std::filesystem::path&)>;
Verdict read_file(std::string_view input, double ratio, const Reader& read, const std::string& name = "file");

// The same for a folder of files; a refusal has to name one of them or the folder.
struct NamedFile {
  std::string name;
  std::string bytes;
};
Verdict read_folder(const std::vector<NamedFile>& files, double ratio, const Reader& read);

// For text that is not in a file.
Verdict read_text(const std::function<void()>& read);

// What `write` leaves in a file.
std::string written(const Reader& write, const std::string& name = "file");
// Packed with gzip.
std::string packed(std::string_view text);

// The targets, a subject a file.
void add_array_targets(std::vector<Target>& all);
void add_array_meaning_targets(std::vector<Target>& all);
void add_table_targets(std::vector<Target>& all);
void add_state_targets(std::vector<Target>& all);
void add_run_targets(std::vector<Target>& all);
void add_choice_targets(std::vector<Target>& all);
void add_sequence_targets(std::vector<Target>& all);
void add_text_targets(std::vector<Target>& all);
void add_word_targets(std::vector<Target>& all);

}  // namespace likely::fuzz
