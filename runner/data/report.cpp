// Reports of a data run: metrics of its stages, status, summary, and the ledger of paid requests.
#include "data/report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json.h"
#include "plugin/answer_file.h"
#include "spec/text.h"

namespace compeer::data {

using nlohmann::json;

namespace fs = std::filesystem;

namespace {

constexpr std::array<const char*, 8> chat_names = {"asked",     "known", "failed", "prompt_tokens", "completion_tokens",
                                                   "malformed", "again", "cost"};
constexpr size_t cost = 7;  // the only count that is not an integer
constexpr auto between_looks = std::chrono::milliseconds(200);

const std::vector<std::string>& columns() {
  static const std::vector<std::string> all{"step", "in", "out", "dropped", "reused", "seconds"};
  return all;
}

// True for counts that only the stage's findings use.
bool hidden(const std::string& name) { return name.starts_with('.'); }

json stage_json(const std::string& stem, const StageOutput& made) {
  Tally shown = made.tally;
  std::erase_if(shown.counts, [](const auto& count) { return hidden(count.first); });
  json stage = shown;
  stage["stage"] = stem;
  stage["findings"] = made.findings;
  stage["chats"] = made.chats;
  stage["seconds"] = made.seconds;
  stage["sha256"] = made.sha256;
  stage["reused"] = made.reused;
  return stage;
}

// Calls `put` for each number of the findings, with its path: {"history": {"accuracy": 0.9}} as "history/accuracy".
// Lists are skipped. {"value": null}, a figure without data, is passed as NaN, so that scripts find the metric.
void each_number(const json& findings, const std::string& path,
                 const std::function<void(const std::string&, double)>& put) {
  for (const auto& [name, value] : findings.items()) {
    if (value.is_number()) put(path + name, value.get<double>());
    if (value.is_null() && name == "value") put(path + name, std::numeric_limits<double>::quiet_NaN());
    if (value.is_object()) each_number(value, path + name + "/", put);
  }
}

}  // namespace

StageLog::StageLog(comm::World& world, const json& spec_file, const std::filesystem::path& folder, size_t stages)
    : world_(world), folder_(folder), start_(Clock::now()), stage_start_(start_), published_(start_) {
  if (world.rank() != 0) return;
  run_ = record::RunWriter::create(folder / "run.h5", spec_file.dump(2), columns());
  status_ = record::starting_status(folder);
  start_ -= std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(status_.elapsed));
  status_.state = "running";
  status_.steps = stages;
  status_.ranks = world.size();
  summary_.task = "data";
  summary_.details["stages"] = json::array();
  publish(true);
}

std::string StageLog::stem() const { return fmt::format("{:02}-{}", number_, label_); }

void StageLog::note(const std::string& text) {
  if (!run_) return;
  fmt::print(stderr, "compeer: note: {}\n", spec::printable(text, 1000));
  run_->event(static_cast<double>(number_ + 1), "info", text);
}

void StageLog::begin(const std::string& label) {
  label_ = label;
  ++number_;
  stage_start_ = Clock::now();
  status_.phase = label;
  status_.part = 0;
  publish(true);
}

void StageLog::progress(int64_t done, int64_t total) {
  status_.phase = fmt::format("{} {}/{}", label_, done, total);
  status_.part = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  publish(false);
}

void StageLog::end(const StageOutput& made) {
  const Tally& tally = made.tally;
  const auto in = static_cast<double>(tally.in), out = static_cast<double>(tally.out);
  const auto dropped = static_cast<double>(tally.dropped_in_all());
  status_.step = static_cast<uint64_t>(number_ + 1);
  status_.part = 0;
  const std::vector<double> row{static_cast<double>(number_ + 1),
                                in,
                                out,
                                dropped,
                                made.reused ? 1.0 : 0.0,
                                std::chrono::duration<double>(Clock::now() - stage_start_).count()};
  run_->append(row);
  const auto put = [&](const std::string& name, double value) {
    summary_.metrics[stem() + "/" + name] = {.mean = value, .n = 1};
  };
  put("in", in);
  put("out", out);
  put("dropped", dropped);
  if (in > 0 && made.seconds > 0) {  // stages stored by older versions have no seconds
    put("seconds_a_record", made.seconds / in);
    put("cost_a_record", made.chats.value("cost", 0.0) / in);
  }
  for (const auto& [name, value] : tally.counts) {
    if (!hidden(name)) put("count/" + name, value);
  }
  each_number(made.findings, "", put);
  summary_.details["stages"].push_back(stage_json(stem(), made));
  publish(true);
}

void StageLog::finish(const json& paid) {
  run_->finish("finished");
  summary_.steps = status_.step;
  if (!paid.empty()) summary_.details["chats"] = paid;
  record::write_summary(folder_, summary_);
  status_.state = "finished";
  publish(true);
}

void StageLog::publish(bool now) {
  if (!run_) return;
  const auto time = Clock::now();
  if (!now && time - published_ < between_looks) return;
  published_ = time;
  status_.elapsed = std::chrono::duration<double>(time - start_).count();
  record::write_status(folder_, status_);
}

Chats StageLog::chats(const plugin::ChatCounts& counts) {
  const auto number = [](const std::atomic<int64_t>& count) { return static_cast<double>(count.load()); };
  return {number(counts.asked),
          number(counts.known),
          number(counts.failed),
          number(counts.prompt_tokens),
          number(counts.completion_tokens),
          number(counts.malformed),
          number(counts.retried),
          counts.cost.load()};
}

json StageLog::gather_chat_counts(const Chats& before, plugin::ChatCounts& counts) {
  Chats mine = chats(counts);
  for (size_t i = 0; i < mine.size(); ++i) mine[i] -= before[i];
  const json told = {mine, {{"unreadable", counts.unreadable.take()}, {"failures", counts.failures.take()}}};
  Chats sums{};
  json examples{{"unreadable", json::array()}, {"failures", json::array()}};
  for (const std::string& bytes : world_.gather(told.dump(-1, ' ', false, json::error_handler_t::replace))) {
    const json one = json::parse(bytes);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += one.at(0).at(i).get<double>();
    for (auto& [name, list] : examples.items()) {
      for (const json& text : one.at(1).at(name)) {
        const bool known = std::find(list.begin(), list.end(), text) != list.end();
        if (!known && list.size() < 3) list.push_back(text);
      }
    }
  }
  json all = json::object();
  for (size_t i = 0; i < sums.size(); ++i)
    all[chat_names[i]] = i == cost ? json(sums[i]) : json(static_cast<int64_t>(sums[i]));
  all.update(examples);
  return all;
}

Ledger::Ledger(fs::path run, int rank)
    : folder_(std::move(run) / "asked"), file_(folder_ / fmt::format("rank-{}.jsonl", rank)) {}

Ledger::~Ledger() {
  if (fd_ >= 0) ::close(fd_);
}

void Ledger::add(const std::string& model, const ChatReply& reply) {
  std::error_code ignored;
  if (fd_ < 0) fs::create_directories(folder_, ignored);
  if (fd_ < 0) fd_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  // Begins with a newline, because a kill may have truncated the last line.
  const auto line = "\n" + json{{"model", model},
                                {"failed", !reply.failure.empty()},
                                {"prompt_tokens", reply.prompt_tokens},
                                {"completion_tokens", reply.completion_tokens},
                                {"cost", reply.cost}}
                               .dump(-1, ' ', false, json::error_handler_t::replace);
  if (fd_ < 0 || ::write(fd_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw Error(file_.string(), fmt::format("can't be written: {}", std::strerror(errno)),
                "free disk space, then resume the run", Exit::failure);
}

json Ledger::sums() const {
  json all = json::object();
  for (const auto& file : plugin::answer_files(folder_)) {
    std::ifstream lines = open_to_read(file);
    for (std::string text; std::getline(lines, text);) {
      const json line = parse_json(text);
      if (!line.is_object() || !line.contains("model") || !line.contains("cost")) continue;  // truncated by a kill
      json& sum = all.emplace(line.at("model").get<std::string>(), json::object()).first.value();
      const auto add = [&](const char* name, auto value) { sum[name] = sum.value(name, decltype(value){}) + value; };
      add("requests", int64_t{1});
      add("failed", int64_t{line.value("failed", false)});
      add("prompt_tokens", line.value("prompt_tokens", int64_t{0}));
      add("completion_tokens", line.value("completion_tokens", int64_t{0}));
      add("cost", line.value("cost", 0.0));
    }
    check_read(lines, file);
  }
  return all;
}

}  // namespace compeer::data
