#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../lua/run_script.h"
#include "../spec/fake_catalog.h"
#include "script/actions.h"
#include "script/module.h"

namespace compeer::script {

using lua::Outcome;

/// Actions of the script module for tests: no run is launched. Every run succeeds with fixed metrics unless `answer_`
/// changes its result; the calls are recorded.
class FakeActions : public Actions {
 public:
  const spec::Catalog& catalog() const override { return catalog_; }
  const std::vector<spec::Change>& changes() const override { return changes_; }
  bool dry_run() const override { return dry_; }
  std::string folder() const override { return folder_; }
  bool is_planned_path(const std::string& path) const override {
    const auto made = [&](const spec::Spec& spec) {
      return path.starts_with("results/" + spec.values.at("name").get<std::string>() + "/");
    };
    return std::any_of(launched_.begin(), launched_.end(), made);
  }

  std::vector<RunResult> launch(const std::vector<spec::Spec>& specs, int jobs) override {
    jobs_ = jobs;
    std::vector<RunResult> results;
    for (const auto& spec : specs) {
      launched_.push_back(spec);
      RunResult result;
      result.name = spec.values.at("name");
      result.path = "results/" + result.name;
      result.spec = spec.values;
      result.state = dry_ ? RunResult::State::planned : RunResult::State::finished;
      if (!dry_) result.metrics = {{"reward", {1.5, 1.25, 1.75, 8}}, {"rewards/format/score", {.mean = 0.5, .n = 1}}};
      if (answer_) answer_(result);
      results.push_back(result);
    }
    return results;
  }

  void record_failures(const std::vector<RunResult>& runs) override {
    failed_.insert(failed_.end(), runs.begin(), runs.end());
  }
  void report(const ReportRequest& report) override { reports_.push_back(report); }
  std::optional<spec::json> read_figures(const std::string& file) const override {
    return kept_.contains(file) ? std::optional(kept_.at(file)) : std::nullopt;
  }
  void store_figures(const std::string& file, const spec::json& figures) override { kept_[file] = figures; }
  bool quick() const override { return quick_; }
  void note(const std::string& text) override { notes_ += text + "\n"; }

  // Set by tests: the results of the functions above.
  spec::FakeCatalog catalog_;
  std::vector<spec::Change> changes_;
  bool dry_ = false, quick_ = false;
  std::map<std::string, spec::json> kept_;  // stored figures, by file
  std::string folder_ = "results";
  std::function<void(RunResult&)> answer_;  // changes the result of a run; may be null
  // Recorded calls.
  int jobs_ = 0;                        // of the last launch
  std::vector<spec::Spec> launched_;    // all launched runs
  std::vector<RunResult> failed_;       // recorded failures
  std::vector<ReportRequest> reports_;  // requested reports
  std::string notes_;                   // notes, a line each
};

/// Beginning of a script, on one line: the smallest experiment that resolves, as `base`.
inline const std::string base =
    "local compeer = require 'compeer' "
    "local base = compeer.experiment { name = 'x', task = 'grpo', dataset = { plugin = 'esc_world' }, "
    "rewards = { { plugin = 'format' } } }\n";

/// Runs the text of a script with these actions.
inline Outcome run_with(const std::shared_ptr<FakeActions>& fake, const std::string& text,
                        const std::string& folder = ".", const Limits& limits = {}) {
  Outcome outcome;
  Sandbox sandbox({limits, [&](std::string_view line) { outcome.printed += line; }});
  add_compeer(sandbox, fake);
  try {
    sandbox.run_text(text, "script.lua", folder);
  } catch (const Error& error) {
    outcome.where = error.where();
    outcome.problem = error.problem();
    outcome.help = error.help();
    outcome.exit = static_cast<int>(error.exit());
  }
  return outcome;
}

/// Returns what the script prints, or the error that ends it as "where: problem|help".
inline std::string said(const std::string& text, std::shared_ptr<FakeActions> fake = std::make_shared<FakeActions>()) {
  const auto outcome = run_with(fake, text);
  if (outcome.exit == 0) return outcome.printed;
  return outcome.where + ": " + outcome.problem.substr(0, outcome.problem.find('\n')) + "|" + outcome.help;
}

/// The same for a script that has the results of runs in the list `runs`; `text` is its line 3.
inline std::string said_of(const std::vector<RunResult>& results, const std::string& text) {
  const auto fake = std::make_shared<FakeActions>();
  fake->answer_ = [&](RunResult& result) { result = results.at(std::stoul(result.name.substr(1))); };
  std::string runs = base + "local runs = compeer.results { ";
  for (size_t i = 0; i < results.size(); ++i)
    runs += "base:with { name = 'r" + std::to_string(i) + "' }:launch { check = false }, ";
  return said(runs + "}\n" + text, fake);
}

/// Expects that the text begins like this.
#define EXPECT_START(text, expected) EXPECT_EQ(std::string(text).substr(0, std::string(expected).size()), expected)

}  // namespace compeer::script
