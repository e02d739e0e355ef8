// Finds out why a run ended: from error.json, from its process and from its log.
#include "launch/ending.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <regex>
#include <string_view>
#include <vector>

#include "base/machine.h"
#include "record/status.h"
#include "spec/text.h"

namespace compeer::launch {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t most_of_log = 64 << 10;
constexpr size_t shown_lines = 12, longest_line = 400, shown_warnings = 5;

// Returns the text written to the log since offset `start`; at most its last 64 KiB.
std::string log_since(const fs::path& log, uint64_t start) {
  std::error_code code;
  const uint64_t size = fs::file_size(log, code);
  if (code || size <= start) return "";
  std::ifstream file(log, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(std::max(start, size > most_of_log ? size - most_of_log : 0)));
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the last lines of the log, indented.
std::string tail(const std::string& log) {
  std::vector<std::string> lines;
  size_t at = 0;
  while (at < log.size()) {
    const size_t end = std::min(log.find('\n', at), log.size());
    if (const auto line = log.substr(at, end - at); line.find_first_not_of(" \t\r-") != std::string::npos) {
      lines.push_back("\n    " + spec::printable(line, longest_line));
    }
    at = end + 1;
  }
  std::string text;
  for (size_t i = lines.size() > shown_lines ? lines.size() - shown_lines : 0; i < lines.size(); ++i) text += lines[i];
  return text.empty() ? "" : "\n  the last lines of its log:" + text;
}

// Returns the log's line about a chat model whose budget is spent, with ": " in front; "" if there is none. This is the
// only reason to stop other than a signal.
std::string budget_in(const std::string& log) {
  const size_t at = log.rfind(": its budget is spent: ");
  if (at == std::string::npos) return "";
  const size_t begin = log.rfind('\n', at) + 1;  // 0 if it is the first line
  return ": " + spec::printable(log.substr(begin, log.find('\n', at) - begin), longest_line);
}

Exit to_exit(int code) {
  for (const Exit known :
       {Exit::usage, Exit::spec, Exit::data, Exit::plugin, Exit::spent, Exit::preempted, Exit::watchdog}) {
    if (static_cast<int>(known) == code) return known;
  }
  return Exit::failure;
}

std::string signal_text(int number) { return fmt::format("signal {} ({})", number, ::strsignal(number)); }

// Matches rank, host and signal in mpirun's message about a rank that was killed; no match if there is no such message.
std::smatch killed_rank_in(const std::string& log) {
  static const std::regex remark(R"(process rank (\d+) with PID \d+ on node (\S+) exited on signal (\d+))");
  std::smatch match;
  std::regex_search(log, match, remark);
  return match;
}

// Returns "rank 1 on n07 was killed by signal 9 (Killed)" if mpirun has reported it, otherwise "".
std::string killed_rank(const std::string& log) {
  const auto match = killed_rank_in(log);
  if (match.empty()) return "";
  return fmt::format("rank {} on {} was killed by {}", match[1].str(), match[2].str(),
                     signal_text(std::stoi(match[3])));
}

// Returns a reference to the log after a crash or a hang, which leave a stack trace there; otherwise "".
std::string stack_in(const fs::path& folder, const record::ErrorRecord& failure) {
  const bool hung = failure.exit == static_cast<int>(Exit::watchdog);
  return hung || failure.what.starts_with("signal ") ? "; see the log, " + (folder / "log.txt").string() : "";
}

Error from_failure(const fs::path& folder, const record::ErrorRecord& failure, const std::string& log) {
  const std::string run = folder.filename().string();
  std::string where = fmt::format("run {}, rank {}", run, failure.rank), what = failure.what;
  if (!failure.host.empty()) where += " on " + failure.host;
  const auto place = record::place_of_failure(failure.phase, failure.plugin.value_or(""), failure.where);
  if (!place.empty()) where += ", " + place;
  // Another rank has written error.json for the killed one; only mpirun knows which signal killed it.
  if (const auto killed = killed_rank(log); failure.exit > 128 && !killed.empty()) what += "; " + killed;
  return Error(where, what, failure.help + stack_in(folder, failure), to_exit(failure.exit));
}

// True if a signal to stop ended the process. Workers handle these signals from their start on; mpirun dies of them in
// its first and last moments.
bool asked_to_stop(const ProcessEnd& end) {
  const int signal = end.signal ? end.signal : end.exit - 128;
  return signal == SIGUSR1 || signal == SIGUSR2;
}

bool has_finished(const fs::path& folder) {
  const auto status = record::read_status(folder);
  return status && status->state == "finished" && record::read_summary(folder);
}

std::string what_happened(const ProcessEnd& end, const std::string& log) {
  if (const auto killed = killed_rank(log); !killed.empty()) return killed;
  if (end.signal) return fmt::format("was killed by {}", signal_text(end.signal));
  // A launcher whose rank was killed exits with 128 + signal.
  if (end.exit > 128 && end.exit < 160) return fmt::format("one rank was killed by {}", signal_text(end.exit - 128));
  return end.exit == 0 ? "ended without writing a result" : fmt::format("ended with exit code {}", end.exit);
}

}  // namespace

std::optional<Error> why_it_ended(const fs::path& folder, const ProcessEnd& end, uint64_t log_start) {
  const std::string run = folder.filename().string(), log = log_since(folder / "log.txt", log_start);
  try {
    if (end.exit == 0 && end.signal == 0 && record::read_summary(folder)) return {};
    if (asked_to_stop(end) && has_finished(folder)) return {};
    if (const auto failure = record::read_failure(folder)) return from_failure(folder, *failure, log);
  } catch (const Error&) {  // incomplete files of a process that died: use the log
  }
  if (const Exit exit = to_exit(end.exit); is_stop(exit)) {
    return Error("run " + run, "stopped with a checkpoint" + budget_in(log),
                 fmt::format("compeer resume {}", folder.string()), exit);
  }
  if (asked_to_stop(end)) return stopped_before(folder);
  std::error_code unknown;
  if (log.empty() && fs::space(folder, unknown).available < 4096 && !unknown) {
    return Error(
        "run " + run, what_happened(end, log) + ", and its disk is too full to record why",
        fmt::format("free space on the disk of {}, and run the same command again to continue", folder.string()),
        to_exit(end.exit));
  }
  const bool killed = what_happened(end, log).find("signal 9 ") != std::string::npos;
  return Error(
      "run " + run, what_happened(end, log) + tail(log),
      killed ? "check dmesg: the kernel kills processes when memory runs out, a batch system at a limit; run the same "
               "command again to continue"
             : fmt::format("see {}", (folder / "log.txt").string()),
      to_exit(end.exit));
}

void record_failure(const fs::path& folder, const Error& error, const ProcessEnd& end, uint64_t log_start) {
  record::ErrorRecord failure;
  failure.exit = end.signal ? 128 + end.signal : end.exit ? end.exit : static_cast<int>(error.exit());
  failure.what = error.problem().substr(0, error.problem().find('\n'));  // without the last lines of the log
  failure.help = error.help();
  const auto log = log_since(folder / "log.txt", log_start);
  if (const auto match = killed_rank_in(log); !match.empty()) {
    failure.rank = std::stoi(match[1]);
    failure.host = match[2];
  } else {
    failure.host = host_name();
  }
  try {
    if (const auto status = record::read_status(folder)) failure.phase = status->phase;
  } catch (const Error&) {  // status.json is incomplete: the phase is unknown
  }
  record::write_failure(folder, failure);
}

std::vector<std::string> Warnings::fresh() {
  constexpr std::string_view mark = "compeer: warning: ";
  std::ifstream log(log_, std::ios::binary);
  log.seekg(static_cast<std::streamoff>(next_));
  std::vector<std::string> some;
  for (std::string line; std::getline(log, line) && !log.eof();) {  // complete lines only
    next_ += line.size() + 1;
    if (!line.starts_with(mark)) continue;
    const auto text = spec::printable(line.substr(mark.size()), longest_line);
    if (std::find(reported_.begin(), reported_.end(), text) != reported_.end()) continue;
    if (reported_.size() == shown_warnings) {
      ++unreported_;
      continue;
    }
    some.push_back(text);
    reported_.push_back(text);
  }
  return some;
}

std::string Warnings::others() const {
  return unreported_ == 0 ? "" : fmt::format("{} more warnings are in {}", unreported_, log_.string());
}

Error no_rank_began(const fs::path& folder, double seconds, uint64_t log_start) {
  return Error("run " + folder.filename().string(),
               fmt::format("mpirun started no rank within {:g} seconds", seconds) +
                   tail(log_since(folder / "log.txt", log_start)),
               "run compeer doctor, which tests mpirun and limits; watchdog.seconds sets the time to wait",
               Exit::watchdog);
}

Error stopped_before(const fs::path& folder) {
  return Error("run " + folder.filename().string(), "stopped before it had begun",
               fmt::format("compeer resume {}", folder.string()), Exit::preempted);
}

}  // namespace compeer::launch
