// Signals that stop a run, and reports of crashes, uncaught exceptions and hangs.
#include "worker/faults.h"

#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <fstream>

#include "base/crash.h"
#include "base/signals.h"
#include "comm/phase.h"
#include "record/mapped_file.h"
#include "spec/text.h"

namespace compeer::worker {

namespace {

// Data of the signal handlers, which have no arguments. Set once, before the handlers are installed.
struct Known {
  comm::World* world = nullptr;
  comm::StopFlag* stop = nullptr;
  std::string file, who, json_head;
  pthread_t main_thread{};
  sem_t stack_shown{};
};
Known known;
StopRequests interrupts;  // counts SIGINT
std::atomic<bool> task_runs{false};
constexpr int longest_stack = 6;  // seconds to wait for the main thread to print its stack

void write_error_file(const SignalText& text) {
  const int out = ::open(known.file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (out < 0) return;
  text.write_to(out);
  ::close(out);
}

// Ends the process because a mapped file could not be read: not a fault of the code that accessed it.
[[noreturn]] void end_at_mapped_file(const record::MappedFault& fault, const char* phase) {
  record::write_mapped_fault(fault, known.who.c_str());
  const int code = static_cast<int>(fault.exit);
  SignalText json;
  json.add(known.json_head.c_str()).add("\"phase\":\"").quote(phase).add("\",\"plugin\":null,\"where\":\"");
  json.quote(fault.file).add("\",\"what\":\"").quote(fault.what).add("\",\"help\":\"").quote(fault.help);
  write_error_file(json.add("\",\"exit\":").add(code).add("}\n"));
  ::_exit(code);
}

void report_crash(int signal) {
  char phase[comm::longest_phase], plugin[comm::longest_plugin];
  comm::copy_activity(phase, plugin);
  const auto mapped = signal == SIGBUS ? record::find_mapped_fault(crash_address()) : record::MappedFault{};
  if (mapped.file) end_at_mapped_file(mapped, phase);
  const int code = plugin[0] ? static_cast<int>(Exit::plugin) : 128 + signal;

  SignalText line;
  line.add("compeer: ").add(known.who.c_str()).add("signal ").add(signal).add(" (").add(signal_name(signal)).add(")");
  if (phase[0]) line.add(" in phase '").add(phase).add("'");
  if (plugin[0]) line.add(", plugin ").add(plugin);
  line.add("\n").write_to(STDERR_FILENO);

  SignalText json;
  json.add(known.json_head.c_str()).add("\"phase\":\"").quote(phase).add("\",\"plugin\":");
  if (plugin[0]) {
    json.add("\"").quote(plugin).add("\"");
  } else {
    json.add("null");
  }
  json.add(",\"where\":\"\",\"what\":\"signal ").add(signal).add(" (").add(signal_name(signal));
  json.add(")\",\"help\":\"see the stack trace in the log\",\"exit\":").add(code).add("}\n");
  write_error_file(json);
  show_named_stack(STDERR_FILENO);
  if (plugin[0]) ::_exit(code);
}

void on_stop(int signal) {
  if (signal == SIGINT && interrupts.add() > 1) exit_by_signal(signal);
  known.stop->raise(signal);
}

void on_show_stack(int) {
  constexpr char title[] = "compeer: the main thread is at\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, title, sizeof title - 1);
  show_named_stack(STDERR_FILENO);
  ::sem_post(&known.stack_shown);
}

[[noreturn]] void on_terminate() {
  task_runs = false;
  comm::Fault fault;
  if (const auto error = std::current_exception()) {
    fault = comm::fault_of(error, known.world->rank(), known.world->host());
    fault.what = "uncaught exception: " + fault.what;
  } else {
    fault = comm::fault_of(std::make_exception_ptr(std::runtime_error("std::terminate was called")),
                           known.world->rank(), known.world->host());
  }
  report(fault);
  known.world->abort(fault.exit);
}

void on_exit_called(int code, void*) {
  if (!task_runs.exchange(false)) return;
  comm::Fault fault = comm::fault_of(
      std::make_exception_ptr(std::runtime_error("exit(" + std::to_string(code) + ") was called during the run")),
      known.world->rank(), known.world->host());
  fault.help = "a plugin must throw to report an error and must not end the process";
  report(fault);
  known.world->abort(fault.exit);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

// Blocks (SIG_BLOCK) or unblocks (SIG_UNBLOCK) the signals that ask for a stop.
void mask_stops(int how) {
  sigset_t stops;
  ::sigemptyset(&stops);
  for (const int signal : {SIGUSR1, SIGUSR2, SIGTERM}) ::sigaddset(&stops, signal);
  ::sigprocmask(how, &stops, nullptr);
}

// Blocks stop signals before the initialization of shared libraries, which takes most of the start-up time (libtorch).
void hold_stops() { mask_stops(SIG_BLOCK); }
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)() = hold_stops;

}  // namespace

void install_stop_handlers(comm::StopFlag& stop) {
  known.stop = &stop;
  for (const int signal : {SIGUSR1, SIGUSR2, SIGTERM, SIGINT}) handle(signal, on_stop);
  handle(SIGPIPE, SIG_IGN);  // a closed log must not end a run
  handle(SIGXFSZ, SIG_IGN);  // a write beyond `ulimit -f` fails with an error instead
  release_signals();
}

void release_signals() { mask_stops(SIG_UNBLOCK); }

void write_faults_into(const std::filesystem::path& error_file) { known.file = std::filesystem::absolute(error_file); }

void install_crash_handlers() { install_crash_handler(report_crash); }

void install_fault_handlers(comm::World& world) {
  known.world = &world;
  if (world.size() > 1) known.who = "rank " + std::to_string(world.rank()) + " (host " + world.host() + "): ";
  SignalText host;
  host.quote(world.host().c_str());
  known.json_head = "{\"rank\":" + std::to_string(world.rank()) + ",\"host\":\"" + host.text() + "\",";
  known.main_thread = ::pthread_self();
  ::sem_init(&known.stack_shown, 0, 0);

  handle(SIGRTMIN, on_show_stack);
  install_crash_handlers();
  std::set_terminate(on_terminate);
  ::on_exit(on_exit_called, nullptr);
  task_runs = true;
}

void task_is_over() { task_runs = false; }

bool report(const comm::Fault& fault) {
  if (!known.file.empty() && !comm::write_first(known.file, fault) && std::filesystem::exists(known.file)) return false;
  const comm::RankError text(fault, known.world->size());
  std::fprintf(stderr, "compeer: %s\n", spec::error_text(text.what()).c_str());
  return true;
}

void report_hang(const comm::Fault& fault) {
  const bool hangs_here = fault.exit == static_cast<int>(Exit::watchdog) && fault.rank == known.world->rank();
  if (hangs_here) task_is_over();
  if (!report(fault) || !hangs_here || ::pthread_kill(known.main_thread, SIGRTMIN) != 0) return;
  timespec until;
  ::clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += longest_stack;
  ::sem_clockwait(&known.stack_shown, CLOCK_MONOTONIC, &until);
}

void die_with_launcher() {
  const auto parent = ::getppid();
  std::ifstream file("/proc/" + std::to_string(parent) + "/comm");
  std::string name;
  std::getline(file, name);
  for (const char* launcher : {"mpirun", "mpiexec", "orterun", "orted", "prterun", "prted", "slurmstepd", "compeer"}) {
    if (name != launcher) continue;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(static_cast<int>(Exit::failure));  // the parent died before prctl
  }
}

}  // namespace compeer::worker
