#include "likely/train/interrupt.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <mutex>

namespace likely::train::detail {

namespace {

// Signals belong to the process, so this is, too: several trainings may run in threads of one program. The
// first installs the handlers, the last takes them away.
constexpr std::array kSignals = {SIGINT, SIGTERM};
std::mutex guard;
int alive = 0;
std::array<struct sigaction, kSignals.size()> handlers_before;
std::array<bool, kSignals.size()> installed;
std::atomic<bool> signalled{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

// All that is done in a signal. Neither errno nor memory is touched.
void note_signal(int) { signalled.store(true); }

}  // namespace

CatchInterrupt::CatchInterrupt(bool wanted) : wanted_(wanted) {
  if (!wanted_) return;
  const std::lock_guard lock(guard);
  if (alive++ > 0) return;
  signalled = false;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &handlers_before[i]);
    installed[i] = handlers_before[i].sa_handler != SIG_IGN;
    if (!installed[i]) continue;
    struct sigaction ours = {};
    ours.sa_handler = note_signal;
    sigemptyset(&ours.sa_mask);
    ours.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);  // the second one kills
    sigaction(kSignals[i], &ours, nullptr);
  }
}

CatchInterrupt::~CatchInterrupt() {
  if (!wanted_) return;
  const std::lock_guard lock(guard);
  if (--alive > 0) return;
  // First the handlers: what comes in between is noted for nobody.
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (installed[i]) sigaction(kSignals[i], &handlers_before[i], nullptr);
  }
  signalled = false;
}

bool interrupt_arrived() { return signalled.load(); }

bool CatchInterrupt::arrived() const { return wanted_ && signalled.load(); }

}  // namespace likely::train::detail
