// What a call says when it refuses.
#pragma once

#include <functional>
#include <string>

namespace likely::testing {

// The message of the Error that the call throws, or "nothing was refused".
std::string refusal_of(const std::function<void()>& call);

// Expects an Error whose message is exactly this.
void expect_refusal(const std::function<void()>& call, const std::string& message);

}  // namespace likely::testing
