#include "likely/train/history.hpp"

#include "likely/io/path_kind.hpp"
#include "likely/train/checkpoint.hpp"
#include "likely/train/run_folder.hpp"
#include "likely/train/run_records.hpp"

namespace likely::train {

std::vector<EpochReport> read_history(const std::filesystem::path& folder) {
  const std::filesystem::path metrics = folder / "metrics.jsonl";
  if (!io::path_exists(metrics)) return {};
  std::vector<EpochReport> reports = detail::read_epochs("read_history", metrics);
  const std::filesystem::path checkpoint = folder / "checkpoint.safetensors";
  if (io::path_exists(checkpoint)) {
    const detail::Position position = detail::read_position("read_history", checkpoint);
    detail::check_metrics("read_history", metrics, position.metrics_bytes, position.metrics_checksum);
  }
  return reports;
}

}  // namespace likely::train
