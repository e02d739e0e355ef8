// Runs a plugin for `compeer plugins check` in a separate process, and reads that process's report from a pipe.
#include "conformance/worker_check.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sstream>
#include <thread>

#include "base/disk.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/processes.h"
#include "base/signals.h"
#include "launch/process.h"
#include "launch/worker_program.h"
#include "plugin/guard.h"
#include "spec/text.h"

namespace compeer::conformance {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr double grace = 30;  // seconds beyond the longest patience, for the worker itself
constexpr size_t max_report = 64 << 20, max_log = 128 << 20;
constexpr size_t log_end = 500;  // characters of standard error that are quoted
constexpr size_t most_frames = 12;

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) throw Error("", "can't make a pipe", std::strerror(errno), Exit::failure);
    ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  ~Pipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int write_end() const { return ends_[1]; }

  /// Appends the available data to `text`. Returns false if there is none.
  bool read_into(std::string& text) const {
    char block[1 << 14];
    const auto before = text.size();
    for (ssize_t n = 0; (n = ::read(ends_[0], block, sizeof block)) > 0;) text.append(block, static_cast<size_t>(n));
    return text.size() > before;
  }

 private:
  int ends_[2] = {-1, -1};
};

// Reads the report until the worker ends. Returns false if nothing was written for too long and the worker must be
// killed.
bool read_until_end(const Pipe& pipe, launch::Process& worker, double patience, std::string& report) {
  const auto limit = std::chrono::duration<double>(patience * rule_patience + grace);
  for (auto last = Clock::now(); Clock::now() - last < limit && report.size() < max_report;) {
    const bool running = worker.running();  // checked first: the last lines may still be unread
    if (pipe.read_into(report)) last = Clock::now();
    if (!running) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

std::string ending_text(const WorkerReport& report, bool by_itself, const launch::ProcessEnd& end) {
  const auto place = place_text(report.call.at("method"), report.call.at("input"));
  const auto& crash = report.crash;
  if (crash.contains("exit")) return fmt::format("called exit({}) {}", crash.at("exit").get<int>(), place);
  if (crash.contains("seconds"))
    return fmt::format("did not return within {} seconds {}", crash.at("seconds").get<int>(), place);
  if (!crash.is_null()) return fmt::format("crashed ({}) {}", signal_name(crash.at("signal").get<int>()), place);
  if (!by_itself) return fmt::format("did not return and was killed {}", place);
  if (end.signal == SIGXCPU) return fmt::format("used an hour of processor time, most recently {}", place);
  if (end.signal == SIGXFSZ) return fmt::format("wrote more than 64 MiB into a file, most recently {}", place);
  if (end.signal == 0) return fmt::format("ended the process with code {} and no message {}", end.exit, place);
  return fmt::format("was killed by signal {} ({}) {}{}", end.signal, ::strsignal(end.signal), place,
                     end.signal == SIGKILL ? ": out of memory?" : "");
}

std::vector<std::string> environment(const fs::path& folder) {
  auto variables = launch::arithmetic_environment(2);
  // A per-thread cache of malloc would look like growth.
  variables.emplace_back("GLIBC_TUNABLES=glibc.malloc.tcache_count=0");
  const char* others = std::getenv("COMPEER_PLUGIN_PATH");
  variables.push_back("COMPEER_PLUGIN_PATH=" + folder.string() + (others && *others ? std::string(":") + others : ""));
  return variables;
}

}  // namespace

WorkerReport read_report(const std::string& text) {
  WorkerReport report;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!report.crash.is_null()) {
      report.stack.push_back(line.substr(std::min(line.find_first_not_of(' '), line.size())));
      continue;
    }
    try {
      const json read = parse_json(line);
      if (read.contains("call")) report.call = read.at("call");
      if (read.contains("crash")) report.crash = read.at("crash");
      if (read.contains("made")) report.made = read.at("made").get<bool>();
      if (read.contains("error")) report.error = read.at("error").get<std::string>();
      if (read.contains("finding")) report.findings.push_back(read.at("finding").get<CheckFinding>());
    } catch (const json::exception&) {  // not written by the worker
    }
  }
  return report;
}

std::vector<std::string> own_part(const std::vector<std::string>& stack, const fs::path& library) {
  const auto own = [&](const std::string& frame) { return frame.starts_with(library.string() + "+"); };
  const auto found = std::find_if(stack.begin(), stack.end(), own);
  const auto first = found == stack.end() ? stack.begin() : found;
  const auto last = found == stack.end() ? stack.end() : std::find_if(stack.rbegin(), stack.rend(), own).base();
  std::vector<std::string> part(first, last);
  if (part.size() > most_frames) {
    part[most_frames] = fmt::format("... {} more", part.size() - most_frames);
    part.resize(most_frames + 1);
  }
  return part;
}

WorkerFindings check_in_worker(json options, const fs::path& folder, double patience) {
  const Scratch scratch;
  const Orphans orphans;
  const auto log = scratch.folder() / "log.txt";
  const fs::path library = options.at("path").get<std::string>();
  const Pipe pipe;
  options["report"] = pipe.write_end();
  options["patience"] = patience;
  const auto program = launch::find_worker();
  const auto text = options.dump(-1, ' ', false, json::error_handler_t::replace);
  launch::Process worker({{program, "model", "check_plugin", text}, environment(folder), log, pipe.write_end()});
  std::string written;
  const bool by_itself = read_until_end(pipe, worker, patience, written);
  const auto left = by_itself ? orphans.living() : std::vector<pid_t>();
  worker.kill_all();
  auto report = read_report(written);
  const auto output = read_file(log, max_log);
  auto words = output.substr(output.size() - std::min(output.size(), log_end));
  while (words.ends_with('\n')) words.pop_back();
  if (!report.error.empty()) throw Error("", report.error, "", Exit::plugin);
  if (report.call.is_null() && !report.made)
    throw Error(program, "ended before it had started: " + words, "run 'compeer doctor'", Exit::failure);

  WorkerFindings found{std::move(report.findings), report.made.value_or(false)};
  const auto fails = [&](const std::string& check, const std::string& what) -> CheckFinding& {
    return found.findings.emplace_back(CheckFinding{check, CheckVerdict::fails, what});
  };
  if (output.find(plugin::forked_in_call) != std::string::npos)
    fails("process", "it forked and returned in both processes, so that two continued the same work");
  if (!left.empty())
    fails("process", fmt::format("it left {} process{} running", left.size(), left.size() == 1 ? "" : "es"));
  if (report.made && by_itself) return found;
  auto& ending = fails(report.call.at("check"), ending_text(report, by_itself, worker.end()));
  ending.stack = own_part(report.stack, library);
  if (!words.empty()) ending.what += "; standard error ends with: " + spec::printable(words, log_end);
  found.findings.push_back({"the rest", CheckVerdict::not_checked, "the check could not continue after that"});
  return found;
}

}  // namespace compeer::conformance
