#include "contract/trial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "base/processes.h"
#include "base/scratch.h"
#include "base/signal_text.h"
#include "contract/listener.h"
#include "contract/stack.h"
#include "launch/process.h"
#include "launch/worker_program.h"
#include "spec/text.h"

namespace compeer::contract {

using nlohmann::json;

namespace {

using Clock = std::chrono::steady_clock;

constexpr double grace = 30;         // seconds beyond the patience for what is none of the plugin's calls
constexpr int64_t last_words = 500;  // characters of standard error

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) throw Error("", "can't make a pipe", std::strerror(errno), Exit::failure);
  }
  ~Pipe() {
    ::close(ends_[0]);
    close_write();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int write_end() const { return ends_[1]; }
  void close_write() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

  /// What is there within a moment: nothing if that is nothing, "" if there is nothing more to come.
  std::optional<std::string> read() const {
    pollfd waiting{ends_[0], POLLIN, 0};
    if (::poll(&waiting, 1, 50) <= 0) return {};
    char block[1 << 14];
    const ssize_t n = ::read(ends_[0], block, sizeof block);
    if (n < 0) return errno == EINTR ? std::nullopt : std::optional(std::string());
    return std::string(block, static_cast<size_t>(n));
  }

 private:
  int ends_[2] = {-1, -1};
};

// Until the worker has ended or is silent for so long that it must be ended. True if it ended by itself.
bool listen(const Pipe& pipe, launch::Process& worker, double patience, Listener& listener) {
  const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(patience + grace));
  for (auto heard = Clock::now(); Clock::now() - heard < limit;) {
    const bool running = worker.running();  // before reading: what it said last is still to be read
    const auto text = pipe.read();
    if (text && !text->empty()) {
      listener.take(*text);
      heard = Clock::now();
      continue;
    }
    if (!running) return true;
    if (text) std::this_thread::sleep_for(std::chrono::milliseconds(5));  // it has closed its end
  }
  return false;
}

std::string place(const json& calls) { return place_text(calls.at("method"), calls.at("input")); }

// In words, what the handlers of the worker told.
std::string told_ending(const json& crash) {
  if (crash.contains("exit")) return fmt::format("called exit({}) {}", crash.at("exit").get<int>(), place(crash));
  if (crash.contains("seconds"))
    return fmt::format("did not come back within {} seconds {}", crash.at("seconds").get<int>(), place(crash));
  return fmt::format("crashed ({}) {}", signal_name(crash.at("signal").get<int>()), place(crash));
}

// The same where nobody could tell.
std::string silent_ending(bool by_itself, const launch::ProcessEnd& end, const json& calls) {
  if (!by_itself) return fmt::format("did not come back, and was killed, {}", place(calls));
  if (end.signal == SIGXCPU) return fmt::format("used an hour of the processor, the last of it {}", place(calls));
  if (end.signal == SIGXFSZ) return fmt::format("wrote more than 64 MiB into a file, the last of it {}", place(calls));
  if (end.signal == 0) return fmt::format("ended the process with code {}, without a word, {}", end.exit, place(calls));
  return fmt::format("was ended by signal {} ({}) {}{}", end.signal, ::strsignal(end.signal), place(calls),
                     end.signal == SIGKILL ? ": out of memory?" : "");
}

// However much the plugin may have written.
std::string last_of(const std::filesystem::path& log) {
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  const auto size = static_cast<int64_t>(file.tellg());
  const auto from = std::max<int64_t>(0, size - last_words);
  file.seekg(from);
  std::string text(std::istreambuf_iterator<char>(file), {});
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return from > 0 ? "..." + text : text;
}

std::vector<std::string> environment(const std::filesystem::path& folder) {
  auto variables = launch::arithmetic_environment(2);
  variables.emplace_back("GLIBC_TUNABLES=glibc.malloc.tcache_count=0");  // what a thread keeps would pass for growth
  const char* others = std::getenv("COMPEER_PLUGIN_PATH");
  variables.push_back("COMPEER_PLUGIN_PATH=" + folder.string() + (others && *others ? std::string(":") + others : ""));
  return variables;
}

}  // namespace

Trial try_plugin(json options, const std::filesystem::path& folder, double patience) {
  const Scratch scratch;
  const Orphans orphans;
  const auto log = scratch.folder() / "log.txt", library = std::filesystem::path(options.at("path").get<std::string>());
  Pipe pipe;
  options["report"] = pipe.write_end();
  options["patience"] = patience;
  const auto program = launch::find_worker();
  const auto text = options.dump(-1, ' ', false, json::error_handler_t::replace);
  launch::Process worker({{program, "model", "check_plugin", text}, environment(folder), log, pipe.write_end()});
  pipe.close_write();
  Listener listener;
  const bool by_itself = listen(pipe, worker, patience, listener);
  const auto left = by_itself ? orphans.living() : std::vector<pid_t>();
  worker.kill_all();  // and what the plugin may have started
  if (!listener.gave_up.empty()) throw Error("", listener.gave_up, "", Exit::plugin);
  if (listener.calls.at("method") == "" && !listener.made)
    throw Error(program, "ended before it had begun: " + last_of(log), "compeer doctor", Exit::failure);

  Trial trial{std::move(listener.findings), listener.made.value_or(false), {}};
  const auto fails = [&](const std::string& what) {
    trial.findings.push_back({"process", CheckVerdict::fails, what, {}});
  };
  if (listener.disturbed) fails("it wrote into a file that is not its own: this check's report");
  if (listener.forked || read_file(log).find("forked, and returned in the child process") != std::string::npos)
    fails("it forked and came back twice, so that two processes went on with the same work");
  if (!left.empty()) fails(fmt::format("it left {} process{} behind", left.size(), left.size() == 1 ? "" : "es"));
  if (listener.made && by_itself) return trial;
  const json& where = listener.crash.is_null() ? listener.calls : listener.crash;
  trial.ending = listener.crash.is_null() ? silent_ending(by_itself, worker.end(), where) : told_ending(where);
  Remark finding{where.at("check"), CheckVerdict::fails, trial.ending, readable_stack(listener.stack, library)};
  if (const auto words = last_of(log); !words.empty())
    finding.what += "; standard error ends with: " + spec::printable(words, last_words);
  trial.findings.push_back(std::move(finding));
  trial.findings.push_back({"the rest", CheckVerdict::not_checked, "it could not go on after that"});
  return trial;
}

}  // namespace compeer::contract
