// Ctrl-C while training: the step is finished and saved, then the loop stops. Only for train/, runs/
// and models/.
#pragma once

namespace likely::train::detail {

// While one is alive, SIGINT and SIGTERM are noted instead of ending the program; each signal's second
// arrival ends it. What handled the signals before does so again afterwards. A signal that is ignored stays
// ignored.
class CatchInterrupt {
 public:
  explicit CatchInterrupt(bool wanted);
  ~CatchInterrupt();
  CatchInterrupt(const CatchInterrupt&) = delete;
  CatchInterrupt& operator=(const CatchInterrupt&) = delete;

  bool arrived() const;

 private:
  bool wanted_;
};

// Whether one has arrived while somebody catches them.
bool interrupt_arrived();

}  // namespace likely::train::detail
