// Which tapes record right now. Tensors only carry the number of a tape; this tells what the number still
// means, and what a tape makes of the members of a tensor that it tracks.
#pragma once

#include <cstdint>

#include "likely/core/dtype.hpp"

namespace likely {

class Tensor;

namespace detail {

// A number that no other tape of this process has had; it counts as recording until ended.
std::uint64_t begin_recording();
void end_recording(std::uint64_t tape);

// Whether a tape of any thread records under this number.
bool is_recording(std::uint64_t tape);

// What the tapes of autodiff/ do for this layer, which does not know them. Every tape hands it in as it
// opens.
struct TapeServices {
  bool (*is_differentiated)(const Tensor& x);
  Tensor (*copy)(const Tensor& x);
  Tensor (*cast)(const Tensor& x, DType dtype);
  Tensor (*select)(const Tensor& x, std::int64_t index);
};
void set_tape_services(const TapeServices& services);

// Whether a tape that records tracks x, also by way of tapes that have ended.
bool is_differentiated(const Tensor& x);
// copy(), to() and [] of such a tensor: recorded.
Tensor copy_tracked(const Tensor& x);
Tensor cast_tracked(const Tensor& x, DType dtype);
Tensor select_tracked(const Tensor& x, std::int64_t index);

}  // namespace detail
}  // namespace likely
