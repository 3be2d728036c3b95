// The standard streams: what cannot be written there is not passed over in silence.
#pragma once

#include <system_error>

namespace likely::command {

// To be called before anything else. A stream that the command was started without is put on the null device,
// so that no file takes its place, the standard output in such a way that writing fails; and a reader that
// goes away ends nothing but the output.
void prepare_standard_streams();

// Passes on what was printed so far; a failure is noted.
void flush_output();

// The exit code of a command that ended with this one. Where something that was printed did not arrive, it
// says so, and the code is not 0; a reader that went away has had enough, and nothing is said.
int exit_code(int code);

// Whether an error came from printing, which is then noted.
bool note_failed_output(const std::system_error& error);

}  // namespace likely::command
