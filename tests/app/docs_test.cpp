#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "app/log/log_export.h"
#include "base/files.h"
#include "launch/process.h"
#include "lua/sandbox.h"
#include "places.h"
#include "plugin/search.h"
#include "record/rollout_file.h"
#include "record/run_file.h"
#include "record/status.h"
#include "script/module.h"

namespace compeer::app {
namespace {

namespace fs = std::filesystem;

// Actions with which every run succeeds at once, with plausible results.
class Pretended : public script::Actions {
 public:
  const spec::Catalog& catalog() const override { return catalog_; }
  const std::vector<spec::Change>& changes() const override { return changes_; }
  bool dry_run() const override { return true; }  // checkpoints of runs that were not made can't be hashed
  bool is_planned_path(const std::string&) const override { return true; }
  std::vector<script::RunResult> launch(const std::vector<spec::Spec>& specs, int) override {
    std::vector<script::RunResult> results;
    for (const auto& spec : specs) {
      auto& result = results.emplace_back();
      result.name = spec.values.at("name");
      result.path = "results/" + result.name;
      result.state = script::RunResult::State::finished;
      result.spec = spec.values;
      result.metrics = {{"reward", {1, 0.5, 1.5, 8}}, {"distinct_2", {0.5, 0.5, 0.5, 1}}};
      ++launched;
    }
    return results;
  }
  void record_failures(const std::vector<script::RunResult>&) override {}
  void report(const script::ReportRequest&) override { ++reports; }
  void note(const std::string&) override {}

  int launched = 0, reports = 0;

 private:
  plugin::Finder catalog_{{fs::path(COMPEER_BINARY_DIR) / "plugins"}};
  std::vector<spec::Change> changes_;
};

std::string read(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> examples(const std::string& page) {
  static const std::regex block("```lua\n([^`]*)```");
  std::vector<std::string> found;
  for (auto at = std::sregex_iterator(page.begin(), page.end(), block); at != std::sregex_iterator(); ++at) {
    found.push_back((*at)[1]);
  }
  return found;
}

TEST(LuaPage, ItsExamplesRun) {
  const auto all = examples(read(fs::path(COMPEER_SOURCE_DIR) / "docs/lua.md"));
  ASSERT_EQ(all.size(), 9u);
  std::string printed;
  const auto actions = std::make_shared<Pretended>();
  for (const auto& text : all) {
    lua::Sandbox sandbox({{}, [&](std::string_view line) { printed += line; }});
    script::add_compeer(sandbox, actions);
    EXPECT_NO_THROW(sandbox.run_text(text, "example.lua", fs::path(COMPEER_SOURCE_DIR) / "docs")) << text;
  }
  EXPECT_EQ(actions->launched, (2 + 3) + 1 + (1 + 3) + 9 + 6 + 6);  // including the runs made as inputs
  EXPECT_EQ(actions->reports, 4);
  EXPECT_EQ(printed,
            "clip-0.1\t1.0\nclip-0.2\t1.0\nclip-0.3\t1.0\n"
            "0.0001\t8\t8\n"
            "reweighting.plugin  runs  reward        distinct_2\n"
            "none                1     1 [0.5, 1.5]  0.5\n"
            "redundancy          1     1 [0.5, 1.5]  0.5\n"
            "[ ]: 95 % intervals over the prompts of each run\n"
            "reweighting.alpha  runs  reward    distinct_2\n"
            "0.25               3     1 [1, 1]  0.5 [0.5, 0.5]\n"
            "0.5                3     1 [1, 1]  0.5 [0.5, 0.5]\n"
            "1.0                3     1 [1, 1]  0.5 [0.5, 0.5]\n"
            "[ ]: 95 % intervals over runs (Student's t); a single run has none\n"
            "reweighting.plugin  runs  reward    distinct_2\n"
            "none                3     1 [1, 1]  0.5 [0.5, 0.5]\n"
            "redundancy          3     1 [1, 1]  0.5 [0.5, 0.5]\n"
            "[ ]: 95 % intervals over runs (Student's t); a single run has none\n"
            "differences from reweighting.plugin = none, paired by seed\n"
            "reweighting.plugin  pairs  reward       distinct_2\n"
            "redundancy          3      +0 [+0, +0]  +0 [+0, +0]\n"
            "rates  reward        variety\n"
            "slow   1.000 ±0.000  0.500 ±0.000\n"
            "fast   1.000 ±0.000  0.500 ±0.000\n"
            "\n"
            "minus slow  reward         variety\n"
            "fast        +0.000 ±0.000  +0.000 ±0.000\n"
            "\n"
            "±: half of the 95 % interval (Student's t) over 3 seeds\n"
            "!: the 95 % interval excludes zero; !!: also with Holm's correction for all 2 differences\n"
            // Half intervals: 4.303 standard errors of three values, .0252/sqrt(3), and of their differences,
            // .01/sqrt(3)
            "0.4133 ±0.063\t+0.06 ±0.025\tclear\n");
}

TEST(LuaPage, NamesTheLimitsAsTheyAre) {
  const auto page = read(fs::path(COMPEER_SOURCE_DIR) / "docs/lua.md");
  const lua::Limits limits;
  EXPECT_EQ(limits.memory, size_t{256} << 20);
  EXPECT_EQ(limits.block, size_t{64} << 20);
  EXPECT_EQ(limits.instructions, 100'000'000u);
  EXPECT_EQ(limits.seconds, 3);
  EXPECT_NE(page.find("Limits: 256 MiB of memory (64 MiB for one string), 100 million instructions, 3 seconds"),
            std::string::npos);
}

using nlohmann::json;

/// Makes small versions of the results that the pages read.
class ReadingPages : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::string name = (fs::temp_directory_path() / "compeer-reading-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    for (const std::string run : {"grpo-none", "grpo-redundancy"}) write_run(root_ / "results" / run);
    write_data_run(root_ / "results/sage-none");
    write_rollouts({{"grpo-none", root_ / "results/grpo-none"}}, true, root_ / "rollouts.jsonl");
  }
  static void TearDownTestSuite() { fs::remove_all(root_); }

  void SetUp() override {
    const auto asked = launch::run_program({"python3", "-c", "import h5py, pandas"});
    if (asked.exit != 0) GTEST_SKIP() << "python3 here has no h5py and pandas: " << asked.text;
  }

  static void write_run(const fs::path& folder) {
    fs::create_directories(folder);
    auto run =
        record::RunWriter::create(folder / "run.h5", "{}", {"step", "reward", "rewards/esc_world_truth/quality"});
    record::RolloutWriter rollouts(folder / "rollouts", 0, {"reward", "rewards/esc_world_truth/quality"});
    for (int step = 1; step <= 5; ++step) {
      run.append(std::vector<double>{double(step), 0.25 * step, 0.5});
      rollouts.append(completions(step));
    }
    run.finish("finished");
    rollouts.finish();
  }

  static std::vector<record::RolloutRow> completions(int step) {
    std::vector<record::RolloutRow> rows(4);
    for (uint64_t i = 0; i < 4; ++i) {
      rows[i].step = static_cast<uint64_t>(step);
      rows[i].prompt = i / 2;
      rows[i].completion = i % 2;
      rows[i].example_id = "example " + std::to_string(i / 2);
      rows[i].prompt_text = "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n";
      rows[i].text = "我听到了 " + std::to_string(step);
      rows[i].values = {static_cast<double>(i), 0.5};
      rows[i].finished = true;
    }
    return rows;
  }

  static void write_data_run(const fs::path& folder) {
    fs::create_directories(folder / "stages");
    record::Summary summary{"data", 2, {}, {}};
    const json findings = {{"mean_emotion", {{"value", 61.5}, {"low", 58.0}, {"high", 65.0}}}};
    summary.details["stages"] = {{{"stage", "00-dataset"}, {"findings", json::object()}},
                                 {{"stage", "01-sage"}, {"findings", findings}}};
    record::write_summary(folder, summary);
    const json turns = {{{"role", "user"}, {"text", "Hello"}}, {{"role", "assistant"}, {"text", "Hi."}}};
    write_file(folder / "stages/01-sage.jsonl",
               json{{"id", "a"}, {"turns", turns}}.dump() + "\n" + json{{"id", "b"}, {"turns", turns}}.dump() + "\n");
  }

  static std::vector<std::string> recipes(const std::string& page) {
    static const std::regex block("```python\n([^`]*)```");
    const auto text = read_file(fs::path(COMPEER_SOURCE_DIR) / page);
    std::vector<std::string> all;
    for (auto at = std::sregex_iterator(text.begin(), text.end(), block); at != std::sregex_iterator(); ++at)
      all.push_back((*at)[1]);
    return all;
  }

  /// Returns the output of a recipe, run in the folder that contains results/.
  static std::string printed(const std::string& recipe) {
    const auto program = "import os; os.chdir('" + root_.string() + "')\n" + recipe;
    const auto done = launch::run_program({"python3", "-c", program}, {"PYTHONIOENCODING=utf-8"}, 60);
    EXPECT_EQ(done.exit, 0) << done.text << program;
    return done.text;
  }

  static bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

  static inline fs::path root_;
};

TEST_F(ReadingPages, RecipesPrintWhatWasRecorded) {
  const auto all = recipes("docs/reading_results.md");
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(printed(all[0]), "['step', 'reward', 'rewards/esc_world_truth/quality'] 1.25\n");
  const auto metrics = printed(all[1]), rollouts = printed(all[2]), groups = printed(all[3]), lines = printed(all[4]),
             found = printed(all[5]);
  EXPECT_TRUE(has(metrics, "grpo-none          1.25\ngrpo-redundancy    1.25\n")) << metrics;
  EXPECT_TRUE(has(rollouts, "3.0 我听到了 5\n")) << rollouts;
  EXPECT_TRUE(has(groups, "1    0        0.5")) << groups;  // first step, first prompt: rewards 0 and 1
  EXPECT_TRUE(has(lines, "1    0       0.5")) << lines;
  EXPECT_TRUE(has(lines, "Hello -> 我听到了 1\n")) << lines;
  EXPECT_TRUE(has(found, "{'high': 65.0, 'low': 58.0, 'value': 61.5}")) << found;
  EXPECT_TRUE(has(found, "assistant    3.0\nuser         5.0\n")) << found;
}

TEST_F(ReadingPages, ThePageAboutRecordsReadsWhatItSays) {
  const auto all = recipes("docs/records.md");
  ASSERT_EQ(all.size(), 2u);  // the second recipe continues the first
  EXPECT_EQ(printed(all[0] + all[1] + "print(reward[-1], parts['quality'][0], len(texts), of_step_5[0])"),
            "1.25 0.5 20 我听到了 5\n");
}

}  // namespace
}  // namespace compeer::app
