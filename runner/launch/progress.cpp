// Progress lines of runs on standard error.
#include "launch/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "spec/text.h"

namespace compeer::launch {

namespace {

constexpr size_t bar_cells = 24, narrowest = 20;

double steady_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// Returns the most informative metric of a run, "reward 0.512" or "loss 1.23"; "" if it has neither.
std::string headline(const record::Status& status) {
  for (const char* name : {"reward", "loss"}) {
    const auto found = status.metrics.find(name);
    if (found != status.metrics.end() && std::isfinite(found->second))
      return fmt::format("{} {:.4g}", name, found->second);
  }
  return "";
}

double steps_done(const record::Status& status) { return static_cast<double>(status.step) + status.part.value_or(0); }

}  // namespace

std::string duration_text(double seconds) {
  constexpr double longest = 1e15;
  const auto whole = static_cast<uint64_t>(std::min(std::max(0.0, seconds), longest));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

Progress::Setup Progress::standard_error(bool quiet) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* kind = std::getenv("TERM");
  Setup setup;
  setup.quiet = quiet;
  setup.terminal = ::isatty(STDERR_FILENO) && kind && std::string_view(kind) != "dumb";
  setup.colour = setup.terminal && !(no_color && *no_color);
  setup.width = terminal_width;
  setup.now = steady_seconds;
  setup.write = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); };
  return setup;
}

Progress::Progress(Setup setup, size_t runs) : setup_(std::move(setup)), total_(runs) {
  began_ = written_at_ = setup_.now();
}
Progress::~Progress() { wipe(); }

void Progress::start(const std::string& run, const std::string& sentence) {
  Run one;
  one.name = run;
  one.started = one.written_at = setup_.now();
  runs_.push_back(one);
  if (!setup_.quiet && !setup_.terminal && !has_several_runs()) setup_.write(fmt::format("{}: {}\n", run, sentence));
  draw();
}

void Progress::update(const std::string& run, const record::Status& status) {
  Run& one = find(run);
  const bool begins = !one.seen || (status.part && status.step != one.status.step);
  const double now = setup_.now();
  if (steps_done(status) != steps_done(one.status)) one.last_at = now;
  one.status = status;
  if (begins && status.state == "running") one.seen = true, one.first = steps_done(status), one.first_at = now;
  double& written_at = has_several_runs() ? written_at_ : one.written_at;
  if (!setup_.quiet && !setup_.terminal && now - written_at >= between_lines) {
    written_at = now;
    setup_.write((has_several_runs() ? "compeer: " + line_of_all() : line(one)) + "\n");
  }
  draw();
}

void Progress::end(const std::string& run, Outcome outcome, const std::string& sentence) {
  const auto found = std::find_if(runs_.begin(), runs_.end(), [&](const Run& one) { return one.name == run; });
  if (found != runs_.end()) runs_.erase(found);
  ++outcomes_[outcome];
  wipe();
  if (has_several_runs()) return draw();
  if (!setup_.quiet && !sentence.empty()) setup_.write(fmt::format("{}: {}\n", run, sentence));
  draw();
}

void Progress::close() {
  wipe();
  if (!has_several_runs() || setup_.quiet) return;
  const auto found = outcomes_.find(Outcome::read_back);
  const bool nothing_ran = found != outcomes_.end() && found->second == total_;
  setup_.write(fmt::format("compeer: {} runs: {}{}\n", total_, counts(),
                           nothing_ran ? "" : " after " + duration_text(setup_.now() - began_)));
}

size_t Progress::ended() const {
  size_t sum = 0;
  for (const auto& [outcome, count] : outcomes_) sum += count;
  return sum;
}

// Returns the number of runs for each outcome that occurred: "20 finished, 2 failed".
std::string Progress::counts() const {
  constexpr std::pair<Outcome, const char*> names[] = {{Outcome::read_back, "finished before"},
                                                       {Outcome::finished, "finished"},
                                                       {Outcome::failed, "failed"},
                                                       {Outcome::stopped, "stopped"}};
  std::string text;
  for (const auto& [outcome, name] : names) {
    const auto found = outcomes_.find(outcome);
    if (found != outcomes_.end()) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", found->second, name);
  }
  return text.empty() ? "none started" : text;
}

// Returns the estimated time left for all runs, at the rate so far of the runs that were started.
std::string Progress::all_left() const {
  const auto found = outcomes_.find(Outcome::read_back);
  const size_t read_back = found == outcomes_.end() ? 0 : found->second;
  auto done = static_cast<double>(ended() - read_back);
  for (const Run& run : runs_) {
    if (run.status.steps > 0) done += std::min(1.0, steps_done(run.status) / static_cast<double>(run.status.steps));
  }
  const double rest = static_cast<double>(total_ - read_back) - done;
  return done > 0 ? duration_text((setup_.now() - began_) / done * rest) : "";
}

std::string Progress::line_of_all() const {
  std::string text = fmt::format("{} of {}", ended(), total_);
  if (const auto found = outcomes_.find(Outcome::failed); found != outcomes_.end())
    text += fmt::format(", {} failed", found->second);
  if (const auto left = all_left(); !left.empty()) text += ", " + left + " left";
  return text;
}

void Progress::stop(const std::string& sentence) {
  stopping_ = true;
  note(sentence);
}

void Progress::note(const std::string& text) {
  wipe();
  setup_.write(text + "\n");
  draw();
}

double Progress::elapsed(const std::string& run) const {
  for (const auto& one : runs_) {
    if (one.name == run) return setup_.now() - one.started;
  }
  return 0;
}

Progress::Run& Progress::find(const std::string& name) {
  for (auto& one : runs_) {
    if (one.name == name) return one;
  }
  return runs_.emplace_back(Run{name, setup_.now(), setup_.now(), 0, 0, 0, false, {}});
}

// Returns "1:20 left" at the rate so far. If the status has the completed part of a step, the estimate is for that step
// only, since other steps may take different times.
std::string Progress::left(const Run& run) const {
  const auto& status = run.status;
  const double done = steps_done(status), paced = done - run.first;
  if (stopping_ || !run.seen || paced <= 0 || status.steps < status.step) return "";
  const uint64_t end = status.part ? status.step + 1 : status.steps;
  const double rest = (run.last_at - run.first_at) / paced * (static_cast<double>(end) - done);
  const auto text = duration_text(rest - (setup_.now() - run.last_at)) + " left";
  return end == status.steps ? text : text + " of this step";
}

std::string Progress::bar(const Run& run) const {
  const auto& status = run.status;
  const double share = status.steps ? steps_done(status) / static_cast<double>(status.steps) : 0;
  const auto full = std::min(bar_cells, static_cast<size_t>(share * bar_cells));
  std::string text = run.name;
  if (status.steps > 0) {
    text += fmt::format(" [{}{}] {}/{}", std::string(full, '='), std::string(bar_cells - full, ' '), status.step,
                        status.steps);
  }
  text += " " + duration_text(setup_.now() - run.started);
  if (const auto time = left(run); !time.empty()) text += " (" + time + ")";
  if (stopping_) text += " (stopping)";
  if (const auto best = headline(status); !best.empty()) text += "  " + best;
  text += "  " + spec::printable(status.phase.empty() ? status.state : status.phase, 80);
  if (runs_.size() > 1) text += fmt::format("  and {} more", runs_.size() - 1);
  return text;
}

std::string Progress::line(const Run& run) const {
  const auto& status = run.status;
  std::string text = run.name + ": ";
  text += status.steps > 0 ? fmt::format("step {} of {}", status.step, status.steps) : status.state;
  if (!status.phase.empty()) text += ", " + spec::printable(status.phase, 80);
  if (const auto best = headline(status); !best.empty()) text += ", " + best;
  text += fmt::format(", {} elapsed", duration_text(setup_.now() - run.started));
  if (const auto time = left(run); !time.empty()) text += ", " + time;
  if (stopping_) text += ", stopping after this step";
  return text;
}

void Progress::wipe() {
  if (drawn_) setup_.write("\r\x1b[K");
  drawn_ = false;
}

void Progress::draw() {
  if (setup_.quiet || !setup_.terminal || runs_.empty()) return;
  const std::string head = has_several_runs() ? line_of_all() : runs_[0].name;
  std::string text = bar(runs_[0]);
  if (has_several_runs()) text = head + "  " + text;
  const size_t room = std::max(setup_.width(), narrowest) - 1;  // the last column would wrap
  if (text.size() > room) text.resize(room);
  if (setup_.colour) {
    const size_t bold = std::min(text.size(), head.size());
    text = "\x1b[1m" + text.substr(0, bold) + "\x1b[0m" + text.substr(bold);
  }
  setup_.write("\r" + text + "\x1b[K");
  drawn_ = true;
}

}  // namespace compeer::launch
