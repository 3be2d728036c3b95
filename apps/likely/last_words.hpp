// What is said where nothing else can be done any more.
#pragma once

namespace likely::command {

inline constexpr const char* kNoMemory = "likely: there is not enough memory\n";

// From now on the program ends with a message and exit code 1 where the C++ library ends it, rather than by a
// signal. That is so where memory runs out in a destructor, or in code of others that promises not to throw
// (a walk through a folder, taking JSON apart). Files are then as after a kill: the old or the new.
void end_with_a_word();

}  // namespace likely::command
