#include "likely/plot/run_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <system_error>
#include <thread>

#include "likely/core/error.hpp"
#include "likely/plot/drawing_errors.hpp"

namespace likely::plot {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostSaid = 10'000;

// What people have set for gnuplot is meant for what they draw themselves; and texts are UTF-8.
std::vector<std::string> environment() {
  std::vector<std::string> kept{"LC_ALL=C.UTF-8"};
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!text.starts_with("GNUPLOT") && !text.starts_with("GNUTERM=") && !text.starts_with("LC_ALL="))
      kept.emplace_back(text);
  }
  return kept;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw GnuplotFailed("[Figure::save] cannot make a pipe: " + std::generic_category().message(errno));
  }
  ~Pipe() {
    close_in();
    close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int out() const { return ends_[0]; }
  int in() const { return ends_[1]; }
  void close_in() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

// The process, or the error with which it did not start.
struct Started {
  pid_t process = -1;
  int error = 0;
};

Started start(std::vector<std::string> words, const std::filesystem::path& folder, const Pipe& said) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, said.in(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, said.in(), STDERR_FILENO);
  // A group of its own, so that all of it can be ended.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<std::string> variables = environment();
  Started started;
  started.error = posix_spawnp(&started.process, words[0].c_str(), &actions, &attributes,
                               pointers(words).data(), pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return started;
}

// Ends a process, with all that it has started, and asks what it returned: also when this one gives up.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) {}
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // What waitpid says of its end.
  int end() {
    if (process_ < 0) return 0;
    kill(-process_, SIGKILL);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status;
  }

 private:
  pid_t process_;
};

// Whether it has ended. Its number stays taken until somebody asks what it returned.
bool has_ended(pid_t process) {
  siginfo_t info{};
  const int answer = waitid(P_PID, static_cast<id_t>(process), &info, WEXITED | WNOHANG | WNOWAIT);
  return answer == 0 ? info.si_pid == process : errno != EINTR;
}

// Adds what can be read within so many milliseconds. False at the end.
bool listen(const Pipe& pipe, int milliseconds, std::string& said) {
  std::array<char, 4096> piece{};
  pollfd watched{pipe.out(), POLLIN, 0};
  if (poll(&watched, 1, milliseconds) <= 0) return true;
  const ssize_t got = read(pipe.out(), piece.data(), piece.size());
  if (got <= 0) return got < 0 && errno == EINTR;
  said.append(piece.data(), std::min(static_cast<std::size_t>(got), kMostSaid - said.size()));
  return true;
}

// Listens until it has ended, whether or not others go on, or is to be ended.
void wait_for(pid_t process, const Pipe& pipe, Clock::time_point end, const std::function<bool()>& stop,
              Ended& ended) {
  bool open = true;
  while (!has_ended(process)) {
    ended.stopped = stop && stop();
    ended.too_long = !ended.stopped && Clock::now() >= end;
    if (ended.stopped || ended.too_long) return;
    if (open) {
      open = listen(pipe, 20, ended.said);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  std::size_t before = kMostSaid;
  while (open && ended.said.size() != before) {
    before = ended.said.size();
    open = listen(pipe, 0, ended.said);
  }
}

}  // namespace

Ended run_program(const std::vector<std::string>& words, const std::filesystem::path& folder,
                  double most_seconds, const std::function<bool()>& stop) {
  Pipe pipe;
  const Started started = start(words, folder, pipe);
  if (started.error != 0 && access(folder.c_str(), X_OK) != 0)
    refuse("Figure::save", fmt::format("cannot work in the folder {}: {}", folder.string(),
                                       std::generic_category().message(errno)));
  if (started.error == ENOENT || started.error == ENOTDIR || started.error == EACCES) return {.found = false};
  if (started.error != 0)
    throw GnuplotFailed(fmt::format("[Figure::save] cannot start {}: {}", words[0],
                                    std::generic_category().message(started.error)));
  Child child(started.process);
  pipe.close_in();
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(most_seconds));
  Ended ended;
  wait_for(started.process, pipe, end, stop, ended);
  const int status = child.end();
  ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + ended.signal;
  return ended;
}

}  // namespace likely::plot
