// What an optimizer remembers of each tensor, checked. Internal to optim/.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "likely/optim/groups.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::optim::detail {

// One list of an optimizer: a state for each tensor of the model, or an empty one.
struct States {
  const char* name;
  const std::vector<Buffer>& each;
  Values values;  // what its numbers may be
};

// What is wrong with what an optimizer remembers, such as "mean.0 is (1,) f32, must be (64, 2) f32"; empty
// where nothing is. The numbers themselves are looked at only if asked for: each step asks for the shapes, so
// that no kernel is handed memory of another length.
std::string states_misfit(const std::vector<LeafSetting>& leaves, std::initializer_list<States> lists,
                          bool with_values);
// The first state that is empty though steps have changed its tensor, as "mean.0 is empty, must be (64, 2)
// f32"; empty where none is. `learned` says of each tensor whether they have. A step that finds no state
// begins anew, and nobody would know.
std::string missing_state(const std::vector<LeafSetting>& leaves, const std::vector<bool>& learned,
                          std::initializer_list<States> lists);
// Refuses it.
void check_states(const char* optimizer, const std::vector<LeafSetting>& leaves,
                  std::initializer_list<States> lists);

// A count of steps: a whole number, or one for each tensor.
void check_steps(const char* optimizer, const Buffer& steps, const Shape& shape);
// Those of the tensors that are learned.
std::vector<std::int64_t> steps_of(const Buffer& steps, const std::vector<bool>& learned);

}  // namespace likely::optim::detail
