// `compeer rescore`: an evaluation stage applied to a file of records, in one process.
#include "data/rescore.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/error.h"
#include "data/source.h"
#include "inference/services.h"
#include "plugin/calls.h"
#include "record/summary_text.h"
#include "spec/text.h"

namespace compeer::data {

namespace {

using nlohmann::json;

constexpr size_t named = 20;  // maximum number of records or counts to list in text output

// Passes the records of a file through a stage, one at a time.
class Rescoring {
 public:
  Rescoring(const json& options, const plugin::Services& services)
      : file_(options.at("file")),
        dataset_(inference::open_plugin<Dataset>(options.at("dataset"), services)),
        stage_(inference::open_plugin<Stage>(options.at("stage"), services)),
        source_(dataset_, {}) {
    for (const auto& one : dataset_.call("unreadable", [](Dataset& d) { return d.unreadable(); }))
      unreadable_.push_back({{"record", one.record}, {"reason", one.reason}});
    records_ = static_cast<size_t>(source_.size()) + unreadable_.size();
  }

  // Throws if the stage has no findings: it is then one that makes records, some of which ask models.
  void refuse_what_is_no_evaluation() {
    if (!stage_.call("findings", [](Stage& s) { return s.findings({}); }).empty()) return;
    throw Error("compeer rescore",
                fmt::format("stage '{}' is not an evaluation: it reports no findings", stage_.identity().name),
                "use an evaluation stage, such as sage, esc_eval or pairwise (docs/evaluations.md)", Exit::usage);
  }

  void run() {
    const bool needs_summaries = stage_.call("needs_summaries", [](Stage& s) { return s.needs_summaries(); });
    for (int64_t i = 0; needs_summaries && i < source_.size(); ++i) {
      const json record = source_.record(i);
      stage_.call("add_summary", [&](Stage& s) { s.add_summary(s.summary(record)); });
    }
    for (int64_t i = 0; i < source_.size(); ++i) take(source_.record(i));
  }

  json result() {
    json all = stage_.call("findings", [&](Stage& s) { return s.findings(tally_.counts); });
    json shown = json::object();
    for (const auto& [name, count] : tally_.counts) {
      if (!name.starts_with('.')) shown[name] = count;
    }
    all["rescored"] = {{"stage", stage_.identity().name}, {"file", file_},       {"records", records_},
                       {"counts", std::move(shown)},      {"dropped", dropped_}, {"unreadable", unreadable_}};
    return all;
  }

  void refuse_too_many(double allowed) const {
    const size_t bad = unreadable_.size();
    if (bad == 0 || static_cast<double>(bad) <= allowed * static_cast<double>(records_)) return;
    std::string first;
    for (size_t i = 0; i < std::min<size_t>(bad, 3); ++i)
      first += fmt::format("\n  {}, record {}: {}", file_, unreadable_[i].at("record").get<int64_t>(),
                           unreadable_[i].at("reason").get<std::string>());
    throw Error(file_, fmt::format("{} of {} records can't be read{}", bad, records_, first),
                fmt::format("fix the records, or raise --max-unreadable (the allowed share, now {})", allowed),
                Exit::data);
  }

  // Throws if no record was scored. Evaluations that keep records they can't score report the number of scored ones in
  // "n".
  void refuse_nothing(const json& result) const {
    if (tally_.out == 0 || (result.contains("n") && result.at("n") == 0))
      throw Error(file_, fmt::format("none of its {} records could be scored", records_), "see the reasons above",
                  Exit::data);
  }

 private:
  void take(json record) {
    const json number = record.at("number");
    record.erase("number");
    try {
      const auto outcome = plugin::make(stage_, {record}).at(0);
      for (const auto& [name, value] : outcome.counts) tally_.counts[name] += value;
      tally_.out += outcome.dropped.empty();
      if (!outcome.dropped.empty())
        dropped_.push_back({{"id", record.at("id")}, {"record", number}, {"reason", outcome.dropped}});
    } catch (const Error& error) {
      if (error.exit() != Exit::data) throw;
      unreadable_.push_back({{"record", number}, {"reason", error.problem()}});
    }
  }

  const std::string file_;
  plugin::Plugin<Dataset> dataset_;
  plugin::Plugin<Stage> stage_;
  data::RecordSource source_;
  size_t records_ = 0;
  data::Tally tally_;
  json dropped_ = json::array(), unreadable_ = json::array();
};

void print_more(size_t all) {
  if (all > named) fmt::print("  ... and {} more (--json)\n", all - named);
}

void print_counts(const json& counts) {
  if (!counts.empty()) fmt::print("\ncounted\n");
  size_t printed = 0;
  for (const auto& [name, count] : counts.items()) {
    if (++printed <= named) fmt::print("  {}: {}\n", spec::printable(name, 100), count.get<double>());
  }
  print_more(counts.size());
}

void print_named(const char* title, const std::string& file, const json& records) {
  if (records.empty()) return;
  fmt::print("\n{}: {}\n", title, records.size());
  for (size_t i = 0; i < std::min(records.size(), named); ++i) {
    const auto id = records[i].contains("id") ? fmt::format(" ({})", records[i]["id"].get<std::string>()) : "";
    fmt::print("  {}, record {}{}: {}\n", spec::printable(file, 200), records[i]["record"].get<int64_t>(),
               spec::printable(id, 100), spec::printable(records[i]["reason"].get<std::string>(), 200));
  }
  print_more(records.size());
}

void print_result(const json& result) {
  const json& rescored = result.at("rescored");
  const std::string file = rescored.at("file");
  fmt::print("{}: {} records, {}\n\n{}", spec::printable(file, 200), rescored.at("records").get<int64_t>(),
             rescored.at("stage").get<std::string>(), record::findings_text(result));
  print_counts(rescored.at("counts"));
  print_named("records that can't be scored", file, rescored.at("dropped"));
  print_named("records that can't be read", file, rescored.at("unreadable"));
}

}  // namespace

int rescore(const json& options) {
  const auto services = inference::command_services();
  Rescoring rescoring(options, services);
  rescoring.refuse_what_is_no_evaluation();
  rescoring.run();
  rescoring.refuse_too_many(options.at("max_unreadable"));
  const json result = rescoring.result();
  if (options.at("json")) {
    fmt::print("{}\n", result.dump(-1, ' ', false, json::error_handler_t::replace));
  } else {
    print_result(result);
  }
  std::fflush(stdout);  // so that the reasons precede the error if both go to a file
  rescoring.refuse_nothing(result);
  return 0;
}

}  // namespace compeer::data
