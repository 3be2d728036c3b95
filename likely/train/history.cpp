#include "likely/train/history.hpp"

#include "likely/train/run_records.hpp"

namespace likely::train {

std::vector<EpochReport> read_history(const std::filesystem::path& folder) {
  return detail::read_epochs(folder / "metrics.jsonl");
}

}  // namespace likely::train
