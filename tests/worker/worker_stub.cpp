// A worker with a task that fails as its spec says, linked with the real worker's main(), to test faults without a
// model.
// "stub": {"fault": "throw", "rank": 1, "plugin": "rewards/length 1.0.0"}
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "comm/phase.h"
#include "worker/commands.h"
#include "worker/task.h"

namespace compeer::worker {

namespace {

using comm::World;

[[gnu::noinline]] int overflow(int depth) {
  volatile char room[4096] = {};
  return depth < 0 ? 0 : overflow(depth + 1) + room[depth % 4096];
}

[[noreturn, gnu::noinline]] void loop() {
  for (std::atomic<int> i = 0;; ++i) {
  }
}

// Leaves an orphaned process in another session that keeps standard output open.
void leave_a_process() {
  if (const pid_t child = ::fork(); child > 0) {
    ::waitpid(child, nullptr, 0);
    return;
  }
  ::setsid();
  if (::fork() == 0) ::pause();
  ::_exit(0);
}

void work_on_for(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) comm::mark_progress();
}

// Faults of a single rank, in the phase and plugin named by the spec.
const std::map<std::string, std::function<void()>> faults = {
    {"none", [] {}},
    {"throw", [] { throw std::runtime_error("no such score"); }},
    {"throw error", [] { throw Error("data/x.jsonl:3", "no 'text'", "add one", Exit::data); }},
    {"throw alone", [] { throw std::runtime_error("out of luck"); }},
    {"exit 0", [] { std::exit(0); }},
    {"exit 3", [] { std::exit(3); }},
    {"quick exit", [] { ::_exit(0); }},
    {"segv", [] { ::raise(SIGSEGV); }},
    {"overflow", [] { overflow(0); }},
    {"abort", [] { std::abort(); }},
    {"terminate", [] { std::thread([] { throw std::runtime_error("in a thread"); }).join(); }},
    {"kill", [] { ::raise(SIGKILL); }},
    {"stop", [] { ::raise(SIGSTOP); }},
    {"loop", [] { loop(); }},
    {"slow", [] { work_on_for(1.5); }},
    {"leave a process", leave_a_process},
};

// Steps until a stop is requested. Writes the file `ready` once it reacts to such requests.
void step_until_stopped(World& world, const std::filesystem::path& run, comm::StopFlag& stop) {
  if (world.rank() == 0) std::ofstream(run / "ready") << ::getpid();
  while (!world.any(stop.raised())) {
  }
  throw Error("", "stopped by a signal after step 0", "", Exit::preempted);
}

}  // namespace

void run_task(World& world, const nlohmann::json& spec_file, const std::filesystem::path& run, bool resume,
              comm::StopFlag& stop) {
  const auto& stub = spec_file.at("stub");
  const std::string fault = stub.at("fault");
  const int culprit = stub.value("rank", 0);
  if (fault == "step") return step_until_stopped(world, run, stop);
  if (fault == "want resume" && !resume) throw std::runtime_error("not resumed");

  const auto misbehave = [&] {
    const comm::Phase phase("score", stub.value("plugin", ""));
    if (world.rank() == culprit && faults.contains(fault)) faults.at(fault)();
  };
  if (fault == "throw alone") {
    misbehave();
  } else if (fault == "return early") {
    if (world.rank() == culprit) return;
  } else if (fault == "wait for nothing") {
    std::byte one{};
    const comm::Phase phase("update");
    if (world.rank() == culprit) world.receive(std::span(&one, 1), (culprit + 1) % world.size());
  } else {
    world.run_on_all_ranks("work", misbehave);
  }
  const comm::Phase phase("update");
  std::string metrics(100, ' ');
  world.broadcast(metrics);
}

int model_command(const std::string& name, const std::string&) {
  throw Error("", "no model command '" + name + "' in a worker without models", "", Exit::usage);
}

}  // namespace compeer::worker
