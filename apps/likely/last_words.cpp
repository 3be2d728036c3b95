#include "apps/likely/last_words.hpp"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>

#include "likely/core/printable.hpp"
#include "likely/core/tell.hpp"

namespace likely::command {

namespace {

// The message may hold names of others.
void tell_of(const std::exception& error) {
  try {
    tell("likely: " + printable(error.what()) + "\n");
  } catch (const std::bad_alloc&) {
    tell(kNoMemory);
  }
}

// Nothing here needs memory.
[[noreturn]] void end() {
  try {
    const std::exception_ptr thrown = std::current_exception();
    if (thrown) std::rethrow_exception(thrown);
    tell("likely: a library gave up; perhaps there is not enough memory\n");
  } catch (const std::bad_alloc&) {
    tell(kNoMemory);
  } catch (const std::exception& error) {
    tell_of(error);
  } catch (...) {
    tell("likely: an error that it does not know\n");
  }
  _exit(EXIT_FAILURE);
}

}  // namespace

void end_with_a_word() { std::set_terminate(end); }

}  // namespace likely::command
