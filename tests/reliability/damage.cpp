// Flips a bit at, and truncates at, every offset of every file of a finished or killed run, and checks what readers and
// a resume do with it. Each trial runs in a child, because HDF5 may crash on damaged files. Prints figures: a name, a
// tab, a number. The first, `tried`, has the number of damaged files, and what it would be with ALL instead of MOST.
//   usage: damage RUN SEED MOST ALL      MOST: trials per kind and file; larger files are sampled
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/random.h"
#include "contents.h"
#include "record/checkpoint.h"
#include "record/rollout_file.h"
#include "record/run_file.h"
#include "record/status.h"
#include "spec/spec.h"

namespace compeer::test {
namespace {

using Path = std::filesystem::path;

enum Outcome : int { found, harmless, shown, wrong, crashed, hung, outcomes };
constexpr std::array<const char*, outcomes> names{"named", "without effect", "shown otherwise, not computed with",
                                                  "WRONG", "CRASHED",        "HUNG"};
constexpr unsigned patience = 30;  // seconds
constexpr int together = 6;        // concurrent children

/// The original run and its expected contents. `copy` is the copy with a damaged file, for the child.
struct Scene {
  Path run, copy;
  uint64_t steps;  ///< step of the newest checkpoint, where a resume continues
  Contents whole, upto;
  record::RunReader reader;
  std::vector<std::string> values;
};

template <class T>
bool same_json(const Path& a, const Path& b, std::optional<T> (*read)(const Path&)) {
  return to_json(*read(a)) == to_json(*read(b));
}

Outcome spec_outcome(const Scene& scene) {
  const auto read = [](const Path& folder) {
    return spec::Spec::from_file_text(read_file(folder / "spec.json"), "spec.json");
  };
  const auto now = read(scene.copy), before = read(scene.run);
  if (now.canonical() != before.canonical()) return wrong;
  return now.file_text() == before.file_text() ? harmless : shown;
}

Outcome status_outcome(const Scene& scene, const std::string& file) {
  const bool same = file == "status.json" ? same_json<record::Status>(scene.copy, scene.run, record::read_status)
                                          : same_json<record::Summary>(scene.copy, scene.run, record::read_summary);
  return same ? harmless : shown;
}

// True if the data besides the rows is equal: events, times, ...
bool same_remarks(const record::RunReader& a, const record::RunReader& b) {
  const auto same_event = [](const record::Event& x, const record::Event& y) {
    return std::tie(x.step, x.time, x.level, x.text) == std::tie(y.step, y.time, y.level, y.text);
  };
  const auto x = a.events(), y = b.events();
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), same_event) && a.times() == b.times() &&
         a.status() == b.status() && a.spec_text() == b.spec_text() && a.software() == b.software();
}

bool same(const Contents& a, const Contents& b) {
  return std::tie(a.rows, a.steps, a.row_hash, a.rollout_hash) == std::tie(b.rows, b.steps, b.row_hash, b.rollout_hash);
}

// Compares what a reader sees, also after a resume.
Outcome record_outcome(const Scene& scene) {
  if (!same(contents_of(scene.copy), scene.whole)) return wrong;
  const bool remarks = same_remarks(record::RunReader(scene.copy / "run.h5"), scene.reader);
  record::RolloutWriter(scene.copy / "rollouts", 0, scene.values).resume(scene.steps, 1);
  { const auto writer = record::RunWriter::resume(scene.copy / "run.h5", scene.steps, scene.reader.columns()); }
  if (!same(contents_of(scene.copy), scene.upto)) return wrong;
  return remarks ? harmless : shown;
}

Outcome outcome_of(const Scene& scene, const Path& file) {
  const std::string name = file.string();
  try {
    if (name == "spec.json") return spec_outcome(scene);
    if (name == "status.json" || name == "summary.json") return status_outcome(scene, name);
    if (!name.starts_with("checkpoints/")) return record_outcome(scene);
    const Path folder = scene.copy / *file.begin() / *std::next(file.begin());
    if (!record::damage(folder).empty()) return found;
    return file.filename() == "manifest.json" ? harmless : wrong;  // it lists all other files
  } catch (const Error& error) {
    return error.what()[0] ? found : wrong;
  }
}

pid_t in_child(const std::function<Outcome()>& work) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::alarm(patience);
  int code = crashed;
  try {
    code = work();
  } catch (const std::exception& error) {
    fmt::print(stderr, "an error without a name: {}\n", error.what());
  }
  std::fflush(nullptr);
  ::_exit(code);
}

Outcome outcome_of_child(int status) {
  if (WIFEXITED(status)) return static_cast<Outcome>(WEXITSTATUS(status));
  return WTERMSIG(status) == SIGALRM ? hung : crashed;
}

void copy_all(const Path& run, const Path& copy) {
  constexpr auto all = std::filesystem::copy_options::recursive | std::filesystem::copy_options::copy_symlinks;
  std::filesystem::remove_all(copy);
  std::filesystem::copy(run, copy, all);
}

// Restores only the files that a trial may have changed.
void restore(const Path& run, const Path& copy, const Path& file) {
  constexpr auto over = std::filesystem::copy_options::overwrite_existing;
  std::filesystem::copy_file(run / file, copy / file, over);
  if (file != "run.h5" && *file.begin() != "rollouts") return;
  if (file != "run.h5") std::filesystem::copy_file(run / "run.h5", copy / "run.h5", over);
  std::filesystem::remove_all(copy / "rollouts");
  std::filesystem::copy(run / "rollouts", copy / "rollouts");
}

std::string kind_of(const Path& file) {
  const std::string first = file.begin()->string();
  if (first == "rollouts") return file.extension() == ".part" ? "rollouts, open" : "rollouts, sealed";
  return first == "checkpoints" ? "checkpoint/" + file.filename().string() : first;
}

using Counts = std::map<std::pair<std::string, bool>, std::array<uint64_t, outcomes>>;  // by kind, and if truncated
using Tried = std::map<std::string, std::pair<uint64_t, uint64_t>>;                     // tried offsets, of all offsets

// Small files are damaged at every offset, unless `most` is small.
uint64_t trials_of(uint64_t size, uint64_t most) {
  constexpr uint64_t small = 16384, little = 1000;
  return size <= small && most >= little ? size : std::min(size, most);
}

/// Trials of one file, each in its own copy of the run. Several run at a time, because a reader of a damaged file waits
/// for a writer to repair it.
class Trials {
 public:
  Trials(Scene& scene, Path file, const std::vector<Path>& copies, Counts& counts)
      : scene_(scene), file_(std::move(file)), counts_(counts) {
    for (const auto& copy : copies) free_.push_back(copy);
  }
  ~Trials() {
    while (!running_.empty()) finish_one();
  }
  void start(uint64_t at, bool torn, const std::string& damaged) {
    if (free_.empty()) finish_one();
    const Path copy = free_.back();
    free_.pop_back();
    std::ofstream(copy / file_, std::ios::binary | std::ios::trunc) << damaged;
    const pid_t child = in_child([&] {
      scene_.copy = copy;
      return outcome_of(scene_, file_);
    });
    running_[child] = {copy, at, torn};
  }

 private:
  struct Trial {
    Path copy;
    uint64_t at = 0;
    bool torn = false;
  };
  void finish_one() {
    int status = 0;
    const auto found = running_.find(::wait(&status));
    const auto [copy, at, torn] = found->second;
    running_.erase(found);
    const Outcome outcome = outcome_of_child(status);
    ++counts_[{kind_of(file_), torn}][outcome];
    if (outcome >= wrong)
      fmt::print(stderr, "{}: {} {}{}\n", names[outcome], file_.string(), torn ? "cut off at " : "bit flipped at ", at);
    restore(scene_.run, copy, file_);
    free_.push_back(copy);
  }

  Scene& scene_;
  Path file_;
  Counts& counts_;
  std::vector<Path> free_;
  std::map<pid_t, Trial> running_;
};

void damage(Scene& scene, const Path& file, const std::vector<Path>& copies, uint64_t seed, uint64_t most,
            Counts& counts, Tried& tried) {
  const std::string bytes = read_file(scene.run / file);
  const uint64_t trials = trials_of(bytes.size(), most);
  tried[kind_of(file)].first += trials;
  tried[kind_of(file)].second += bytes.size();
  Trials running(scene, file, copies, counts);
  for (uint64_t i = 0; i < trials; ++i) {
    const auto draw = static_cast<uint32_t>(i);
    const uint64_t begin = i * bytes.size() / trials, end = (i + 1) * bytes.size() / trials;
    const uint64_t at = begin + below(end - begin, seed, Stream::plugin, draw, 0);
    const auto bit = static_cast<int>(below(8, seed, Stream::plugin, draw, 1));
    auto flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
    running.start(at, false, flipped);
    running.start(at, true, bytes.substr(0, at));
  }
}

std::vector<Path> files_of(const Path& run) {
  std::vector<Path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(run)) {
    const auto name = std::filesystem::relative(entry.path(), run);
    // Files that are damaged: not texts for people, and not files that a resumed run does not read again.
    const bool looked_at = name != "log.txt" && name != "reference.safetensors" && name != "error.json";
    if (entry.is_regular_file() && !entry.is_symlink() && looked_at) files.push_back(name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

int run(const Path& folder, uint64_t seed, uint64_t most, uint64_t all) {
  const auto newest = record::newest_good(folder);
  const uint64_t steps = newest ? newest->step : 0;
  Scene scene{folder,
              {},
              steps,
              contents_of(folder),
              contents_of(folder, steps),
              record::RunReader(folder / "run.h5"),
              record::RolloutReader(folder).value_columns()};
  std::vector<Path> copies;
  for (int i = 0; i < together; ++i) copies.push_back(folder.string() + ".damaged" + std::to_string(i));
  for (const auto& copy : copies) copy_all(folder, copy);
  Counts counts;
  Tried tried;
  uint64_t trials = 0, wanted = 0, bad = 0;
  for (const auto& file : files_of(folder)) {
    damage(scene, file, copies, seed, most, counts, tried);
    const auto size = std::filesystem::file_size(folder / file);
    trials += 2 * trials_of(size, most);
    wanted += 2 * trials_of(size, all);
  }
  for (const auto& copy : copies) std::filesystem::remove_all(copy);
  fmt::print("tried\t{} {}\n", trials, wanted);
  for (const auto& [kind, count] : counts) {
    const auto& [name, torn] = kind;
    std::string text = fmt::format("{} of {} offsets:", tried.at(name).first, tried.at(name).second);
    for (int i = 0; i < outcomes; ++i) {
      if (count[i] > 0) text += fmt::format("{}{} {}", text.ends_with(':') ? " " : ", ", count[i], names[i]);
      if (i >= wrong) bad += count[i];
    }
    fmt::print("{}, {}\t{}\n", name, torn ? "cut off" : "a bit flipped", text);
  }
  return bad > 0;
}

}  // namespace
}  // namespace compeer::test

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  return compeer::test::run(argv[1], std::stoull(argv[2]), std::stoull(argv[3]), std::stoull(argv[4]));
}
