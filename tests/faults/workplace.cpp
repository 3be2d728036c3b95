#include "tests/faults/workplace.hpp"

#include <cstdlib>

namespace likely::faults {

namespace {

namespace fs = std::filesystem;

void copy_instead(const fs::path& from, const fs::path& to) {
  for (const auto& entry : fs::directory_iterator(to)) fs::remove_all(entry.path());
  fs::copy(from, to, fs::copy_options::recursive);
}

}  // namespace

Workplace::Workplace() {
  fs::create_directory(tools_ / "bin");
  // Drawing takes longer than everything else together; who cannot draw goes on without pictures.
  testing::write_bytes(tools_ / "bin" / "gnuplot", "#!/bin/sh\nexit 1\n");
  fs::permissions(tools_ / "bin" / "gnuplot", fs::perms::owner_all);
  prepare_files(start_.path());
  set();
}

void Workplace::set() const { copy_instead(start_.path(), work_.path()); }

void Workplace::keep_as_start() const { copy_instead(work_.path(), start_.path()); }

Outcome Workplace::run(const Command& command, const Fault& fault, Environment environment) const {
  const char* const path = std::getenv("PATH");
  environment.emplace("PATH", (tools_ / "bin").string() + ":" + (path == nullptr ? "" : path));
  environment.emplace("OMP_NUM_THREADS", "1");
  return supervise(with({LIKELY_COMMAND}, command), work_.path(), environment, fault);
}

}  // namespace likely::faults
