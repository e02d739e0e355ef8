#include "launch/plan_script.h"

#include <iostream>

#include "launch/opening.h"
#include "lua/sandbox.h"
#include "plugin/search.h"
#include "script/lookup.h"
#include "script/module.h"
#include "spec/paths.h"

namespace compeer::launch {

namespace {

// Writes down what a script asks for, and does nothing of it.
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
      result.promised = columns[i];
      result.name = spec.values.at("name");
      result.path = "results/" + result.name;
      result.state = script::RunResult::State::planned;
      result.spec = script::visible(spec);
    }
    return planned;
  }

  void failed(const std::vector<script::RunResult>&) override {}
  void report(const script::ReportRequest&) override {}
  void note(const std::string& text) override { std::cerr << text << '\n'; }

  const std::vector<spec::Spec>& heard() const { return heard_; }

 private:
  plugin::Finder catalog_;
  std::vector<spec::Change> changes_;
  std::vector<spec::Spec> heard_;
  Opening opening_;
};

}  // namespace

std::vector<spec::Spec> plan_script(const std::string& file, const std::vector<std::string>& sets) {
  const auto listener = std::make_shared<PlanRecorder>(sets);
  lua::Sandbox sandbox({{}, [](std::string_view text) { std::cerr << text; }});
  script::add_compeer(sandbox, listener);
  sandbox.run_file(spec::locate(file).value_or(file));
  return listener->heard();
}

}  // namespace compeer::launch
