#include "tests/faults/supervisor.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "tests/support/temporary_folder.hpp"

namespace likely::faults {

namespace {

namespace fs = std::filesystem;

// Of a call: which arguments say what it changes, and whether it needs room on the disk.
struct Kind {
  long number;
  const char* name;
  int descriptor;        // the argument that is an open file; -1: none
  int path, other_path;  // those that are paths; -1: none
  bool needs_room;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kAll{
      {SYS_write, "write", 0, -1, -1, true},
      {SYS_pwrite64, "pwrite", 0, -1, -1, true},
      {SYS_writev, "writev", 0, -1, -1, true},
      {SYS_fsync, "fsync", 0, -1, -1, true},
      {SYS_fdatasync, "fdatasync", 0, -1, -1, true},
      {SYS_ftruncate, "ftruncate", 0, -1, -1, false},
      {SYS_fallocate, "fallocate", 0, -1, -1, true},
      {SYS_copy_file_range, "copy_file_range", 2, -1, -1, true},
      {SYS_openat, "open", -1, 1, -1, true},
      {SYS_mkdirat, "mkdir", -1, 1, -1, true},
      {SYS_unlinkat, "unlink", -1, 1, -1, false},
      {SYS_renameat2, "rename", -1, 1, 3, true},
      {SYS_linkat, "link", -1, 1, 3, true},
#ifdef SYS_rename
      {SYS_rename, "rename", -1, 0, 1, true},
      {SYS_mkdir, "mkdir", -1, 0, -1, true},
      {SYS_unlink, "unlink", -1, 0, -1, false},
      {SYS_rmdir, "rmdir", -1, 0, -1, false},
#endif
#ifdef SYS_renameat
      {SYS_renameat, "rename", -1, 1, 3, true},
#endif
  };
  return kAll;
}

// Asks the supervisor about these calls; of openat only where it makes a file.
std::vector<sock_filter> filter() {
  const auto statement = [](unsigned code, std::uint32_t value) -> sock_filter {
    return {static_cast<std::uint16_t>(code), 0, 0, value};
  };
  const auto jump = [](unsigned code, std::uint32_t value, std::uint8_t yes, std::uint8_t no) -> sock_filter {
    return {static_cast<std::uint16_t>(code), yes, no, value};
  };
  std::vector<sock_filter> program{statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const Kind& kind : kinds()) {
    const auto number = static_cast<std::uint32_t>(kind.number);
    if (kind.number == SYS_openat) {
      program.push_back(jump(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4));
      program.push_back(
          statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t)));
      program.push_back(jump(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | O_TRUNC, 0, 1));
      program.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
      program.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    } else {
      program.push_back(jump(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
      program.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
    }
  }
  program.push_back(statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return program;
}

// The descriptor by which the supervisor is asked; -1 where that is not allowed.
int install_filter() {
  std::vector<sock_filter> instructions = filter();
  const sock_fprog program{static_cast<unsigned short>(instructions.size()), instructions.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

union DescriptorMessage {
  cmsghdr header;
  std::array<char, CMSG_SPACE(sizeof(int))> bytes;
};

void send_descriptor(int socket, int descriptor) {
  char byte = 0;
  iovec data{&byte, 1};
  DescriptorMessage control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control.bytes.data();
    message.msg_controllen = control.bytes.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  }
  sendmsg(socket, &message, 0);
}

int receive_descriptor(int socket) {
  char byte = 0;
  iovec data{&byte, 1};
  DescriptorMessage control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes.data();
  message.msg_controllen = control.bytes.size();
  if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) < 1) return -1;
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(header), sizeof(int));
  return descriptor;
}

// Text in the memory of another process.
std::string text_at(pid_t process, std::uint64_t address) {
  const int memory = open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  if (memory < 0) return "?";
  std::array<char, 4096> text{};
  // Up to the end of a page, behind which there may be nothing.
  const std::size_t room = 4096 - address % 4096;
  ssize_t count = pread(memory, text.data(), room, static_cast<off_t>(address));
  if (count == static_cast<ssize_t>(room) && std::memchr(text.data(), 0, room) == nullptr)
    count += std::max<ssize_t>(
        0, pread(memory, text.data() + room, text.size() - room - 1, static_cast<off_t>(address + room)));
  close(memory);
  text.back() = '\0';
  return count > 0 ? text.data() : "?";
}

std::string open_file(pid_t process, std::uint64_t descriptor) {
  std::error_code failed;
  return fs::read_symlink(
             "/proc/" + std::to_string(process) + "/fd/" + std::to_string(static_cast<int>(descriptor)),
             failed)
      .string();
}

class Supervisor {
 public:
  Supervisor(pid_t program, int listener, const fs::path& folder, const Fault& fault)
      : program_(program), listener_(listener), folder_(folder.string() + "/"), fault_(fault) {}

  // Until the program and all that it started have ended. False if it had to be stopped.
  bool watch(std::vector<std::string>& calls) {
    constexpr int kPatience = 60'000;  // milliseconds
    while (true) {
      pollfd ready{listener_, POLLIN, 0};
      const int count = poll(&ready, 1, kPatience);
      if (count == 0) {
        kill(program_, SIGKILL);
        return false;
      }
      if (count < 0 && errno == EINTR) continue;
      if ((ready.revents & POLLIN) == 0) return true;
      seccomp_notif question{};
      if (ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0) continue;
      seccomp_notif_resp answer{};
      answer.id = question.id;
      answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
      // A program that is killed gets no answer, so that the call is never made.
      if (decide(question, answer, calls)) ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
  }

 private:
  bool is_below(const std::string& path) const {
    return !path.starts_with('/') || (path + "/").starts_with(folder_);
  }

  // False where the program is killed.
  bool decide(const seccomp_notif& question, seccomp_notif_resp& answer, std::vector<std::string>& calls) {
    for (const Kind& kind : kinds()) {
      if (kind.number != question.data.nr) continue;
      const auto process = static_cast<pid_t>(question.pid);
      const auto argument = [&](int place) { return question.data.args[place]; };
      const std::string path = kind.descriptor >= 0 ? open_file(process, argument(kind.descriptor))
                                                    : text_at(process, argument(kind.path));
      if (path.empty() || path == "?" || !is_below(path)) return true;
      const std::size_t place = calls.size();
      calls.push_back(std::string(kind.name) + " " + path);
      if (kind.other_path >= 0) calls.back() += " " + text_at(process, argument(kind.other_path));
      if (place == fault_.at || (place > fault_.at && fault_.how == How::no_room))
        fail(kind, question, answer);
      return fault_.how != How::kill || place != fault_.at;
    }
    return true;
  }

  void fail(const Kind& kind, const seccomp_notif& question, seccomp_notif_resp& answer) {
    switch (fault_.how) {
      case How::nothing: return;
      case How::kill:
        kill(program_, SIGKILL);
        kill(static_cast<pid_t>(question.pid), SIGKILL);  // which the program may have started
        return;
      case How::cut_short:
        if (kind.number == SYS_write && question.data.args[2] > 1) write_half(question, answer);
        return;
      case How::no_room:
        if (!kind.needs_room) return;
        answer.flags = 0;
        answer.error = -ENOSPC;
        return;
      case How::error:
        answer.flags = 0;
        answer.error = -EIO;
        return;
    }
  }

  // In the program's place.
  void write_half(const seccomp_notif& question, seccomp_notif_resp& answer) const {
    const std::uint64_t half = question.data.args[2] / 2;
    const int process = static_cast<int>(syscall(SYS_pidfd_open, program_, 0));
    const int file = static_cast<int>(syscall(SYS_pidfd_getfd, process, question.data.args[0], 0));
    const int memory = open(("/proc/" + std::to_string(program_) + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
    std::string bytes(half, '\0');
    if (file >= 0 &&
        pread(memory, bytes.data(), half, static_cast<off_t>(question.data.args[1])) ==
            static_cast<ssize_t>(half) &&
        write(file, bytes.data(), half) == static_cast<ssize_t>(half)) {
      answer.flags = 0;
      answer.val = static_cast<std::int64_t>(half);
    }
    for (const int descriptor : {process, file, memory}) {
      if (descriptor >= 0) close(descriptor);
    }
  }

  pid_t program_;
  int listener_;
  std::string folder_;
  Fault fault_;
};

[[noreturn]] void become(const std::vector<std::string>& command, const fs::path& folder,
                         const fs::path& errors, const std::map<std::string, std::string>& environment,
                         int socket) {
  if (chdir(folder.c_str()) != 0) _exit(126);
  dup2(open("/dev/null", O_RDWR), 0);
  dup2(open("/dev/null", O_RDWR), 1);
  dup2(open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const int listener = install_filter();
  send_descriptor(socket, listener);
  if (listener < 0) _exit(126);
  close(listener);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

const char* name_of(How how) {
  switch (how) {
    case How::nothing: return "nothing";
    case How::no_room: return "no room from";
    case How::error: return "an error in";
    case How::cut_short: return "half of";
    case How::kill: return "killed before";
  }
  return "?";
}

Outcome supervise(const std::vector<std::string>& command, const fs::path& folder,
                  const std::map<std::string, std::string>& environment, const Fault& fault) {
  const testing::TemporaryFolder notes;
  std::array<int, 2> sockets{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
    throw std::runtime_error("socketpair failed");
  const pid_t program = fork();
  if (program < 0) throw std::runtime_error("fork failed");
  if (program == 0) become(command, folder, notes / "errors", environment, sockets[1]);
  close(sockets[1]);
  const int listener = receive_descriptor(sockets[0]);
  close(sockets[0]);
  Outcome outcome;
  if (listener >= 0) {
    outcome.hung = !Supervisor(program, listener, fs::canonical(folder), fault).watch(outcome.calls);
    close(listener);
  }
  int status = 0;
  waitpid(program, &status, 0);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.errors = testing::read_bytes(notes / "errors");
  return outcome;
}

bool can_supervise() {
  const testing::TemporaryFolder folder;
  const std::string file = (folder / "file").string();
  const Outcome outcome =
      supervise({"/bin/sh", "-c", "echo text > '" + file + "'"}, folder.path(), {}, {How::error, 0});
  return outcome.code != 0 && outcome.calls.size() == 1;
}

}  // namespace likely::faults
