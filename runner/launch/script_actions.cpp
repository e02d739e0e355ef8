// Actions of Lua scripts: launches runs, writes reports, and plans both in dry runs.
#include "launch/script_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <set>

#include "base/files.h"
#include "base/inside.h"
#include "base/json.h"
#include "launch/preflight.h"
#include "lua/sandbox.h"
#include "plugin/search.h"
#include "record/in_child.h"
#include "record/summary_text.h"
#include "report/report.h"
#include "script/lookup.h"
#include "script/module.h"
#include "spec/paths.h"
#include "spec/text.h"

namespace compeer::launch {

namespace fs = std::filesystem;

namespace {

constexpr double seconds_for_report = 300;

// Caches descriptors: reading one hashes the plugin's file, and scripts need the same ones many times.
class RememberingCatalog : public spec::Catalog {
 public:
  std::vector<std::string> names(const std::string& kind) const override {
    const auto known = names_.find(kind);
    return known != names_.end() ? known->second : names_[kind] = finder_.names(kind);
  }
  spec::PluginInfo find(const std::string& kind, const std::string& name) const override {
    const auto known = plugins_.find({kind, name});
    return known != plugins_.end() ? known->second : plugins_[{kind, name}] = finder_.find(kind, name);
  }
  std::string searched(const std::string& kind) const override { return finder_.searched(kind); }

 private:
  plugin::Finder finder_;
  mutable std::map<std::string, std::vector<std::string>> names_;
  mutable std::map<std::pair<std::string, std::string>, spec::PluginInfo> plugins_;
};

script::RunResult to_result(const Launched& done, const spec::Spec& spec) {
  script::RunResult result;
  result.name = done.name;
  result.path = done.folder.string();
  result.state = done.error ? script::RunResult::State::failed : script::RunResult::State::finished;
  result.reused = done.reused;
  result.error = done.error;
  for (const auto& [name, value] : done.summary.metrics) result.metrics[name] = value;
  result.stages = record::stages_text(done.summary.details);
  result.spec = script::visible(spec);
  return result;
}

report::Sweep::Row to_row(const std::vector<spec::json>& settings, const std::vector<script::Estimate>& estimates) {
  report::Sweep::Row row;
  for (const auto& value : settings)
    row.settings.push_back({script::show(value), value.is_number() ? value.get<double>() : report::missing});
  for (const auto& estimate : estimates) {
    row.metrics.push_back(estimate);
    row.finished = std::max(row.finished, static_cast<size_t>(estimate.n));
  }
  return row;
}

std::optional<report::Sweep> to_sweep(const script::ReportRequest& asked) {
  if (!asked.table) return {};
  report::Sweep sweep;
  sweep.metrics = asked.table->metrics;
  sweep.notes = asked.table->notes;
  sweep.means.settings = asked.table->settings;
  for (const auto& row : asked.table->rows) {
    sweep.means.rows.push_back(to_row(row.settings, row.metrics));
    sweep.means.rows.back().finished = row.finished;
    sweep.means.rows.back().failed = row.failed;
  }
  if (!asked.comparison) return sweep;
  sweep.base = asked.comparison->base;
  sweep.paired_by = asked.comparison->paired_by;
  sweep.notes = asked.comparison->notes;
  sweep.differences.settings = asked.comparison->settings;
  for (const auto& row : asked.comparison->rows) sweep.differences.rows.push_back(to_row(row.settings, row.metrics));
  return sweep;
}

class ScriptActions : public script::Actions {
 public:
  explicit ScriptActions(ScriptOptions options) : options_(std::move(options)) {}

  const spec::Catalog& catalog() const override { return catalog_; }
  const std::vector<spec::Change>& changes() const override { return options_.changes; }
  bool dry_run() const override { return options_.dry_run || options_.rehearsal; }

  bool quick() const override { return options_.quick; }
  std::string folder() const override { return options_.launch.results.string(); }

  bool is_planned_path(const std::string& path) const override {
    return std::any_of(planned_.begin(), planned_.end(), [&](const auto& folder) { return lies_in(folder, path); });
  }

  std::vector<script::RunResult> launch(const std::vector<spec::Spec>& specs, int jobs) override {
    std::vector<script::RunResult> results;
    if (options_.agenda) options_.agenda->largest_batch = std::max(options_.agenda->largest_batch, specs.size());
    if (dry_run()) {
      open_plugins(specs);
      for (const auto& spec : specs) results.push_back(options_.agenda ? looked_up(spec) : planned(spec));
      return results;
    }
    for (const auto& spec : specs) std::erase(*options_.waiting, spec.values.at("name").get<std::string>());
    auto how = options_.launch;
    how.jobs = jobs;
    const auto done = launch::launch(specs, how);
    for (size_t i = 0; i < specs.size(); ++i) results.push_back(to_result(done[i], specs[i]));
    return results;
  }

  void record_failures(const std::vector<script::RunResult>& runs) override {
    options_.failed_runs->insert(options_.failed_runs->end(), runs.begin(), runs.end());
  }

  void report(const script::ReportRequest& report) override {
    if (dry_run()) return note(fmt::format("a report would be written to {}", report.output));
    std::vector<fs::path> folders;
    for (const auto& run : report.runs) {
      if (fs::exists(run.path)) folders.push_back(run.path);
    }
    prepare_place(report.output, "report");
    const auto result = record::in_child(
        [&] {
          report::Options options{report.title, to_sweep(report)};
          for (const auto& [x, y] : report.frontiers) options.frontiers.push_back({x, y});
          report::write_report(folders, report.output, options);
          return std::string();
        },
        seconds_for_report);
    if (!result.problem.empty())
      throw Error(report.output, "the report could not be written: " + result.problem, "", result.exit);
    if (!options_.launch.quiet) note(fmt::format("report: {}", report.output));
  }

  std::optional<spec::json> read_figures(const std::string& file) const override {
    if (!fs::exists(file)) return {};
    return read_json_object<spec::json>(file);
  }

  void store_figures(const std::string& file, const spec::json& figures) override {
    prepare_place(file, "kept figures");
    write_file(file, figures.dump(1) + "\n");
  }

  void note(const std::string& text) override {
    if (!noted_.insert(text).second) return;
    if (options_.agenda) options_.agenda->notes.push_back(text);
    if (!options_.rehearsal && !options_.agenda) fmt::print(stderr, "{}\n", spec::printable_lines(text));
  }

  // Not in the agenda, which lists work that is left to the script.
  void remark(const std::string& text) override {
    if (!options_.rehearsal && noted_.insert(text).second)
      fmt::print(stderr, "compeer: note: {}\n", spec::printable_lines(text));
  }

 private:
  // Creates the folder of an output file. Throws Error (exit 4) if a symbolic link in its path leads out of the current
  // folder and the folder of runs.
  void prepare_place(const fs::path& output, const char* what) const {
    const auto folder = fs::absolute(output).parent_path();
    if (!is_inside_resolved(fs::current_path(), folder) && !is_inside_resolved(options_.launch.results, folder)) {
      throw Error(
          output.string(),
          fmt::format("a script's {} can't be written there: a symbolic link leads out of the current folder", what),
          "", Exit::data);
    }
    fs::create_directories(folder);
  }

  bool has_finished(const spec::Spec& spec) const {
    return !options_.launch.fresh &&
           RunFolder::look(spec, options_.launch.results).second == RunFolder::State::finished;
  }

  // Constructs the plugins of all unfinished runs in one process, to find errors before the first run starts.
  void open_plugins(const std::vector<spec::Spec>& specs) {
    std::vector<spec::Spec> unfinished;
    for (const auto& spec : specs) {
      if (!has_finished(spec)) unfinished.push_back(spec);
    }
    opening_.columns(unfinished);
  }

  std::vector<std::string> promises(const spec::Spec& spec) {
    if (!has_finished(spec)) return opening_.columns({spec}).front();
    std::vector<std::string> names;
    const auto summary = record::read_summary(RunFolder::look(spec, options_.launch.results).first);
    if (summary) {
      for (const auto& [name, value] : summary->metrics) names.push_back(name);
    }
    return names;
  }

  static bool lies_in(const std::string& folder, const std::string& path) {
    return path == folder || path.starts_with(folder + "/");
  }

  // Returns the result of a finished run. Adds other runs to the agenda and returns planned results.
  script::RunResult looked_up(const spec::Spec& spec) {
    const auto [folder, state] = RunFolder::look(spec, options_.launch.results);
    if (state == RunFolder::State::finished) {
      const auto name = spec.values.at("name").get<std::string>();
      options_.agenda->finished.emplace_back(name, folder);
      return to_result({name, folder, true, {}, *record::read_summary(folder)}, spec);
    }
    auto& entries = options_.agenda->entries;
    const auto same = [&](const Agenda::PlannedRun& other) { return other.spec.sha256() == spec.sha256(); };
    if (std::none_of(entries.begin(), entries.end(), same)) entries.push_back({spec, maker_of_inputs(spec)});
    return planned(spec);
  }

  // Returns the name of the planned run from whose folder the spec reads, or "".
  std::string maker_of_inputs(const spec::Spec& spec) const {
    for (const auto& path : spec.paths) {
      const auto* value = script::look(spec.values, path);
      if (!value || !value->is_string()) continue;
      for (const auto& folder : planned_) {
        if (lies_in(folder, *value)) return fs::path(folder).filename().string();
      }
    }
    return "";
  }

  script::RunResult planned(const spec::Spec& spec) {
    script::RunResult result;
    result.state = script::RunResult::State::planned;
    result.name = spec.values.at("name");
    result.path = RunFolder::look(spec, options_.launch.results).first.string();
    if (!options_.rehearsal && !options_.agenda) fmt::print("{}\n", plan(spec, options_.launch));
    if (options_.preview && !has_finished(spec)) options_.preview->add(spec, result.path);
    if (options_.rehearsal && !has_finished(spec)) options_.waiting->push_back(result.name);
    result.spec = script::visible(spec);
    result.expected_metrics = promises(spec);
    planned_.push_back(result.path);
    return result;
  }

  std::vector<std::string> planned_;  // folders of planned runs
  std::set<std::string> noted_;       // notes that have been printed
  ScriptOptions options_;
  RememberingCatalog catalog_;
  PluginTrial opening_;
};

// Records the specs that a script launches, without launching them.
class PlanRecorder : public script::Actions {
 public:
  explicit PlanRecorder(const std::vector<std::string>& sets) {
    for (const auto& set : sets) changes_.push_back(spec::parse_set(set));
  }

  const spec::Catalog& catalog() const override { return catalog_; }
  const std::vector<spec::Change>& changes() const override { return changes_; }
  bool dry_run() const override { return true; }

  std::vector<script::RunResult> launch(const std::vector<spec::Spec>& specs, int) override {
    std::vector<script::RunResult> planned;
    const auto columns = opening_.columns(specs);
    for (size_t i = 0; i < specs.size(); ++i) {
      const auto& spec = specs[i];
      heard_.push_back(spec);
      auto& result = planned.emplace_back();
      result.expected_metrics = columns[i];
      result.name = spec.values.at("name");
      result.path = "results/" + result.name;
      result.state = script::RunResult::State::planned;
      result.spec = script::visible(spec);
    }
    return planned;
  }

  void record_failures(const std::vector<script::RunResult>&) override {}
  void report(const script::ReportRequest&) override {}
  void note(const std::string& text) override {
    if (noted_.insert(text).second) std::cerr << text << '\n';
  }

  const std::vector<spec::Spec>& heard() const { return heard_; }

 private:
  plugin::Finder catalog_;
  std::vector<spec::Change> changes_;
  std::vector<spec::Spec> heard_;
  std::set<std::string> noted_;  // notes that have been printed
  PluginTrial opening_;
};

}  // namespace

std::shared_ptr<script::Actions> make_script_actions(ScriptOptions options) {
  return std::make_shared<ScriptActions>(std::move(options));
}

std::string plan(const spec::Spec& spec, const LaunchOptions& options) {
  const auto [folder, state] = RunFolder::look(spec, options.results);
  std::string what = options.fresh || state == RunFolder::State::fresh ? "starts"
                     : state == RunFolder::State::resumable            ? "resumes"
                                                                       : "finished before";
  for (const auto& path : spec.paths) {
    if (!spec.values.value("inputs", nlohmann::json::object()).contains(path))
      what += fmt::format("; the hash will change when '{}' exists", path);
  }
  return fmt::format("{}  {}  {}  {}", spec.values.at("name").get<std::string>(), spec.sha256(), folder.string(), what);
}

std::vector<spec::Spec> plan_script(const std::string& file, const std::vector<std::string>& sets) {
  const auto listener = std::make_shared<PlanRecorder>(sets);
  lua::Sandbox sandbox({{}, [](std::string_view text) { std::cerr << text; }});
  script::add_compeer(sandbox, listener);
  sandbox.run_file(spec::locate(file).value_or(file));
  return listener->heard();
}

}  // namespace compeer::launch
