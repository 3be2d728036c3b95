// The element types that files have, and how they become the types of tensors. Internal to io/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "likely/core/tensor.hpp"

namespace likely::io {

enum class Element : std::uint8_t { boolean, u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64 };

std::size_t size_of(Element element);
// What a tensor of such elements holds: bool, i64 for whole numbers, f64 for f64, f32 for other fractions.
DType dtype_of(Element element);

// The number of bytes of a shape of such elements; -1 if they are more than 2^59, which no tensor holds, also
// where a size of 0 leaves none of them.
std::int64_t bytes_of(const Shape& shape, Element element);

// Converts `count` elements that lie one after the other, at any address. Numbers of u64 from 2^63 on become
// negative in an i64; anything but 0 is true.
void convert(Element from_type, bool big_endian, const void* from, std::int64_t count, DType to_type,
             void* to);

}  // namespace likely::io
