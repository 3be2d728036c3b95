// Which tapes record right now. Tensors only carry the number of a tape; this tells what the number still
// means.
#pragma once

#include <cstdint>

namespace likely::detail {

// A number that no other tape of this process has had; it counts as recording until ended.
std::uint64_t begin_recording();
void end_recording(std::uint64_t tape);

// Whether a tape of any thread records under this number.
bool is_recording(std::uint64_t tape);

}  // namespace likely::detail
