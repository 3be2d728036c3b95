// zip archives, as far as npz files need them. Internal to io/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "likely/io/atomic_file.hpp"
#include "likely/io/npy_header.hpp"

namespace likely::io {

struct ZipMember {
  std::string name;
  bool deflated;
  std::uint32_t checksum;  // CRC-32 of the unpacked bytes
  std::uint64_t packed;    // bytes in the archive
  std::uint64_t unpacked;
  std::uint64_t offset;  // of the first packed byte
};

// What an archive holds, with every size and place checked against the bytes there are.
std::vector<ZipMember> list_zip(std::span<const std::byte> archive, const Refusal& refuse);

// One member, its checksum compared.
std::vector<std::byte> unpack(std::span<const std::byte> archive, const ZipMember& member,
                              const Refusal& refuse);

// Writes an archive that appears whole or not at all.
class ZipWriter {
 public:
  ZipWriter(std::string writer, const std::filesystem::path& path);
  // A member made of two pieces. Refuses a name that comes twice and 4 GiB or more.
  void add(const std::string& name, std::string_view first, std::string_view second, bool deflate);
  void commit();

 private:
  std::string writer_;
  AtomicFile file_;
  std::string directory_;
  std::set<std::string> names_;
};

}  // namespace likely::io
