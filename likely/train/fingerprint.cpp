#include "likely/train/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "likely/io/checksum.hpp"

namespace likely::train::detail {

namespace {

constexpr std::int64_t kMostRows = 10'000;
constexpr std::int64_t kPiece = 500;  // rows that are read at a time: they may be large

std::uint32_t checksum_with(const Tensor& numbers, std::uint32_t before) {
  if (!numbers.defined()) return io::checksum_of("none", 4, before);
  const std::string kind = fmt::format("{} {}", name_of(numbers.dtype()), numbers.shape().string());
  const std::uint32_t checksum = io::checksum_of(kind.data(), kind.size(), before);
  const Tensor plain = numbers.contiguous();
  return io::checksum_of(plain.raw(), static_cast<std::size_t>(plain.size()) * size_of(plain.dtype()),
                         checksum);
}

}  // namespace

std::string fingerprint(const data::Dataset& rows) {
  const std::int64_t size = rows.size();
  const std::int64_t count = std::min(size, kMostRows);
  std::uint32_t checksum = 0;
  for (std::int64_t first = 0; first < count; first += kPiece) {
    std::vector<std::int64_t> which;
    // The quotient and the rest apart: the product might be too large for a number.
    for (std::int64_t i = first; i < std::min(first + kPiece, count); ++i)
      which.push_back(size / count * i + size % count * i / count);
    const data::Batch batch = rows.rows(which);
    checksum = checksum_with(batch.y, checksum_with(batch.x, checksum));
  }
  return fmt::format("{:08x}", checksum);
}

}  // namespace likely::train::detail
