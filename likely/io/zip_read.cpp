#include <zlib.h>

#include <algorithm>
#include <limits>

#include "likely/io/byte_stream.hpp"
#include "likely/io/zip.hpp"

namespace likely::io {

namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kDirectoryEntry = 0x02014b50;
constexpr std::uint32_t kDirectoryEnd = 0x06054b50;
constexpr std::uint32_t kLargeDirectoryEnd = 0x06064b50;
constexpr std::uint32_t kLargeDirectoryPlace = 0x07064b50;
constexpr std::uint64_t kEndBytes = 22;
constexpr std::uint64_t kLongestComment = 65535;

// Little-endian numbers at places that are checked.
class Bytes {
 public:
  Bytes(std::span<const std::byte> bytes, const Refusal& refuse) : bytes_(bytes), refuse_(refuse) {}

  std::uint64_t size() const { return bytes_.size(); }
  std::uint64_t number(std::uint64_t place, std::uint64_t count) const {
    check(place, count);
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < count; ++i)
      value |= std::to_integer<std::uint64_t>(bytes_[place + i]) << (8 * i);
    return value;
  }
  std::string text(std::uint64_t place, std::uint64_t count) const {
    check(place, count);
    return {reinterpret_cast<const char*>(bytes_.data()) + place, count};
  }
  void check(std::uint64_t place, std::uint64_t count) const {
    if (place > size() || count > size() - place) {
      refuse_("the archive ends at byte " + std::to_string(size()) + ", byte " + std::to_string(place) +
              " on was expected to hold " + std::to_string(count));
    }
  }
  [[noreturn]] void refuse(const std::string& message) const { refuse_(message); }

 private:
  std::span<const std::byte> bytes_;
  const Refusal& refuse_;
};

struct Directory {
  std::uint64_t place, count;
};

Directory find_directory(const Bytes& bytes) {
  const std::uint64_t least =
      bytes.size() > kEndBytes + kLongestComment ? bytes.size() - kEndBytes - kLongestComment : 0;
  for (std::uint64_t place = bytes.size() < kEndBytes ? 0 : bytes.size() - kEndBytes + 1; place-- > least;) {
    if (bytes.number(place, 4) != kDirectoryEnd) continue;
    Directory directory{bytes.number(place + 16, 4), bytes.number(place + 10, 2)};
    // Archives of more than 4 GiB or 65,535 members have a second, wider description before this one.
    if (place >= 20 && bytes.number(place - 20, 4) == kLargeDirectoryPlace) {
      const std::uint64_t wide = bytes.number(place - 12, 8);
      if (bytes.number(wide, 4) != kLargeDirectoryEnd) bytes.refuse("the zip64 directory is damaged");
      directory = {bytes.number(wide + 48, 8), bytes.number(wide + 32, 8)};
    }
    return directory;
  }
  bytes.refuse("this is not a zip archive, or its end is missing");
}

// Sizes and places that do not fit 32 bits stand in an extra field, in this order.
void read_wide_fields(const Bytes& bytes, std::uint64_t extra, std::uint64_t length, ZipMember& member) {
  constexpr std::uint64_t kElsewhere = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t end = extra + length;
  while (extra + 4 <= end) {
    const std::uint64_t kind = bytes.number(extra, 2);
    const std::uint64_t field_end = std::min(end, extra + 4 + bytes.number(extra + 2, 2));
    std::uint64_t place = extra + 4;
    for (std::uint64_t* field : {&member.unpacked, &member.packed, &member.offset}) {
      if (kind != 1 || *field != kElsewhere || place + 8 > field_end) continue;
      *field = bytes.number(place, 8);
      place += 8;
    }
    extra = field_end;
  }
}

// The entry of the directory at `place`, which moves on to the next.
ZipMember read_entry(const Bytes& bytes, std::uint64_t& place) {
  if (bytes.number(place, 4) != kDirectoryEntry) {
    bytes.refuse("the directory is damaged at byte " + std::to_string(place));
  }
  const std::uint64_t name_length = bytes.number(place + 28, 2);
  const std::uint64_t extra_length = bytes.number(place + 30, 2);
  const std::uint64_t comment_length = bytes.number(place + 32, 2);
  ZipMember member{bytes.text(place + 46, name_length),
                   false,
                   static_cast<std::uint32_t>(bytes.number(place + 16, 4)),
                   bytes.number(place + 20, 4),
                   bytes.number(place + 24, 4),
                   bytes.number(place + 42, 4)};
  const std::string quoted = "\"" + member.name + "\"";
  if ((bytes.number(place + 8, 2) & 1U) != 0) bytes.refuse(quoted + " is encrypted");
  const std::uint64_t method = bytes.number(place + 10, 2);
  if (method != 0 && method != 8)
    bytes.refuse(quoted + " is packed by method " + std::to_string(method) + ", which is not supported");
  member.deflated = method == 8;
  read_wide_fields(bytes, place + 46 + name_length, extra_length, member);
  place += 46 + name_length + extra_length + comment_length;

  if (bytes.number(member.offset, 4) != kLocalHeader)
    bytes.refuse(quoted + " is not where the directory says");
  member.offset += 30 + bytes.number(member.offset + 26, 2) + bytes.number(member.offset + 28, 2);
  bytes.check(member.offset, member.packed);
  const bool possible = member.deflated ? member.unpacked / kLargestDeflateRatio <= member.packed
                                        : member.unpacked == member.packed;
  if (!possible) {
    bytes.refuse(quoted + " is said to unpack " + std::to_string(member.packed) + " bytes to " +
                 std::to_string(member.unpacked) + ", which cannot be");
  }
  return member;
}

// One stream of raw deflate data. Whether it gave exactly what was wanted.
bool inflate_all(std::span<const std::byte> packed, std::span<std::byte> unpacked) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  constexpr std::size_t kMost = std::size_t{1} << 30;
  int status = Z_OK;
  while (status == Z_OK) {
    const std::size_t in = std::min(packed.size(), kMost);
    const std::size_t out = std::min(unpacked.size(), kMost);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(unpacked.data());
    stream.avail_out = static_cast<uInt>(out);
    status = inflate(&stream, Z_NO_FLUSH);
    const std::size_t taken = in - stream.avail_in;
    const std::size_t made = out - stream.avail_out;
    packed = packed.subspan(taken);
    unpacked = unpacked.subspan(made);
    if (status == Z_OK && taken == 0 && made == 0) break;
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && unpacked.empty();
}

}  // namespace

std::vector<ZipMember> list_zip(std::span<const std::byte> archive, const Refusal& refuse) {
  const Bytes bytes(archive, refuse);
  const Directory directory = find_directory(bytes);
  std::vector<ZipMember> members;
  std::set<std::string> names;
  std::uint64_t place = directory.place;
  std::uint64_t packed = 0;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    members.push_back(read_entry(bytes, place));
    if (!names.insert(members.back().name).second) refuse("\"" + members.back().name + "\" comes twice");
    packed += members.back().packed;
    // Members that share their bytes can make a small file unpack to any size.
    if (packed > archive.size()) refuse("\"" + members.back().name + "\" overlaps another member");
  }
  return members;
}

std::vector<std::byte> unpack(std::span<const std::byte> archive, const ZipMember& member,
                              const Refusal& refuse) {
  const std::span packed = archive.subspan(member.offset, member.packed);
  std::vector<std::byte> result;
  if (member.deflated) {
    result.resize(member.unpacked);
    if (!inflate_all(packed, result)) refuse("the packed data of \"" + member.name + "\" are damaged");
  } else {
    result.assign(packed.begin(), packed.end());
  }
  const auto* bytes = reinterpret_cast<const Bytef*>(result.data());
  if (crc32_z(crc32_z(0, nullptr, 0), bytes, result.size()) != member.checksum) {
    refuse("the checksum of \"" + member.name + "\" is wrong: the data are damaged");
  }
  return result;
}

}  // namespace likely::io
