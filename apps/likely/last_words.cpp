#include "apps/likely/last_words.hpp"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>

#include "likely/core/tell.hpp"

namespace likely::command {

namespace {

// Nothing here asks for memory.
[[noreturn]] void end() {
  try {
    const std::exception_ptr thrown = std::current_exception();
    if (thrown) std::rethrow_exception(thrown);
    tell("likely: a library gave up; perhaps there is not enough memory\n");
  } catch (const std::bad_alloc&) {
    tell(kNoMemory);
  } catch (const std::exception& error) {
    tell("likely: ");
    tell(error.what());
    tell("\n");
  } catch (...) {
    tell("likely: an error that it does not know\n");
  }
  _exit(EXIT_FAILURE);
}

}  // namespace

void end_with_a_word() { std::set_terminate(end); }

}  // namespace likely::command
