// ByteStream: a file read from front to back, unpacked on the way if it is gzip. For readers of files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace likely::io {

// deflate makes data at most this many times smaller: what a file announces beyond that is not true.
inline constexpr std::uint64_t kLargestDeflateRatio = 1032;

class ByteStream {
 public:
  // `reader` names who refuses what is wrong with the file.
  ByteStream(std::string reader, const std::filesystem::path& path);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  // Up to `count` bytes, fewer only at the end. Refuses a damaged or truncated gzip file.
  std::size_t read(void* to, std::size_t count);
  // Exactly `count` bytes, or a refusal.
  void read_all(void* to, std::size_t count);
  // Whether it is gzip.
  bool is_packed() const { return packed_; }
  // The most bytes that can follow from the start, judging by the size of the file.
  std::uint64_t most_bytes() const { return most_; }
  // "[reader] path: message".
  [[noreturn]] void refuse(const std::string& message) const;

 private:
  std::string reader_;
  std::string path_;
  void* file_ = nullptr;  // gzFile
  bool packed_ = false;
  std::uint64_t most_ = 0;
  std::uint64_t place_ = 0;
};

}  // namespace likely::io
