#include "likely/runs/inputs.hpp"

#include <system_error>

namespace likely::runs {

namespace fs = std::filesystem;

namespace {

// Without "." and "..", unless one of these leads back from where a link leads.
fs::path absolute_path(const fs::path& path) {
  const fs::path whole = fs::absolute(path);
  fs::path plain = whole.lexically_normal();
  std::error_code failed;
  const bool same = !fs::exists(whole, failed) || fs::equivalent(whole, plain, failed);
  return same && !failed ? plain : whole;
}

bool names_a_file(const Setting& setting) {
  return setting.kind == Setting::Kind::file && !setting.value.empty();
}

}  // namespace

fs::path file_of(const Run& run, const std::string& named) {
  std::error_code failed;
  const fs::path beside = run.data.parent_path() / named;
  return !named.empty() && !fs::exists(named, failed) && fs::exists(beside, failed) ? beside
                                                                                    : fs::path(named);
}

void make_absolute(Run& run) {
  if (!run.data.empty()) run.data = absolute_path(run.data);
  const std::vector<Setting> settings = run.settings.all();
  for (const Setting& setting : settings) {
    if (!names_a_file(setting)) continue;
    const fs::path file = file_of(run, setting.value);
    std::error_code failed;
    if (fs::exists(file, failed)) run.settings.set(setting.name, absolute_path(file).string());
  }
}

std::vector<fs::path> inputs_of(const Run& run) {
  std::vector<fs::path> inputs;
  if (!run.data.empty()) inputs.push_back(run.data);
  for (const Setting& setting : run.settings.all()) {
    if (!names_a_file(setting)) continue;
    // Older runs have the name as it was given.
    for (const fs::path& path : {fs::path(setting.value), run.data.parent_path() / setting.value}) {
      std::error_code failed;
      if (fs::is_regular_file(path, failed)) inputs.push_back(path);
    }
  }
  return inputs;
}

}  // namespace likely::runs
