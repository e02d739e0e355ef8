#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

#include "lua/sandbox.h"
#include "places.h"
#include "plugin/search.h"
#include "script/module.h"

namespace compeer::app {
namespace {

namespace fs = std::filesystem;

// Every run succeeds at once, with plausible numbers.
class Pretended : public script::Actions {
 public:
  const spec::Catalog& catalog() const override { return catalog_; }
  const std::vector<spec::Change>& changes() const override { return changes_; }
  bool dry_run() const override { return true; }  // checkpoints of runs that were not made can't be pinned
  bool promised(const std::string&) const override { return true; }
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
  void failed(const std::vector<script::RunResult>&) override {}
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
  EXPECT_EQ(actions->launched, (2 + 3) + 1 + (1 + 3) + 9 + 6 + 6);  // with inputs that come first
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
            "!: the 95 % interval leaves zero out; !!: with Holm's correction for all 2 differences, too\n"
            // 4.303 standard errors of three values: .0252/sqrt(3), and of their differences, .01/sqrt(3)
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

}  // namespace
}  // namespace compeer::app
