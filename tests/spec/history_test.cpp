#include "spec/history.h"

#include <gtest/gtest.h>

#include "fake_catalog.h"

namespace compeer::spec {
namespace {

Spec run_of(const std::string& more = "steps = 8\n") {
  return resolve(parse_toml(smallest(more), "x.toml"), FakeCatalog());
}
Spec longer(const Spec& spec, int64_t steps, uint64_t done = 8) {
  return with_more_steps(spec, {{"grpo.steps", steps, "--set"}}, done);
}
std::string refused(const Spec& spec, const std::string& path, const json& value, uint64_t done = 8) {
  return complaint([&] { with_more_steps(spec, {{path, value, "--set"}}, done); });
}

TEST(Extended, IsTheSpecOfALongerRunWithItsHistory) {
  const auto before = run_of(), after = longer(before, 16);
  EXPECT_EQ(after.sha256(), run_of("steps = 16\n").sha256());
  EXPECT_EQ(after.origins.at("grpo.steps"), "--set");
  ASSERT_EQ(after.history.size(), 1u);
  EXPECT_EQ(after.history[0], (json{{"step", 8},
                                    {"what", "grpo.steps"},
                                    {"before", 8},
                                    {"after", 16},
                                    {"spec_before", before.sha256()},
                                    {"spec_after", after.sha256()}}));
  EXPECT_EQ(change_text(after.history[0]), "after step 8 grpo.steps was changed from 8 to 16 (spec " +
                                               before.sha256().substr(0, 16) + "... before, " +
                                               after.sha256().substr(0, 16) + "... after)");
}

TEST(Extended, KeepsItsHistoryInSpecJson) {
  const auto twice = longer(longer(run_of(), 16), 20, 16);
  ASSERT_EQ(twice.history.size(), 2u);
  EXPECT_EQ(Spec::from_file_text(twice.file_text()).history, twice.history);
  EXPECT_EQ(run_of().file_text().find("history"), std::string::npos);
  auto file = json::parse(twice.file_text());
  file["history"] = json::array({1});
  EXPECT_TRUE(complaint([&] { Spec::from_file_text(file.dump()); }).starts_with("spec.json|is not a resolved spec: "));
}

TEST(Extended, HasNoHistoryWhereNothingWasDone) {
  EXPECT_TRUE(longer(run_of(), 16, 0).history.empty());
  EXPECT_TRUE(longer(run_of(), 8).history.empty()) << "the number it has";
}

TEST(Extended, BringsTheDefaultBackIfUnset) {
  EXPECT_EQ(with_more_steps(run_of(), {{"grpo.steps", nullptr, "--set"}}, 8).values.at("grpo").at("steps"), 100);
}

TEST(Extended, RefusesAllOtherChanges) {
  const auto other =
      "|increase 'grpo.steps'; for other changes start a new run: compeer run RUN_DIR --set KEY=VALUE --set "
      "name=NAME|3";
  EXPECT_EQ(refused(run_of(), "grpo.lr", 1),
            "--set|'grpo.lr' can't be changed in a run that has started" + std::string(other));
  EXPECT_TRUE(
      refused(run_of(), "grpo.setps", 9).starts_with("--set|unknown key 'grpo.setps'|did you mean 'grpo.steps'?"));
  EXPECT_EQ(refused(run_of(), "sft.steps", 9),
            "--set|'sft.steps' can't be changed in a run that has started" + std::string(other));
  EXPECT_EQ(refused(run_of(), "grpo.steps", 7),
            "--set|'grpo.steps' is 8 in this run and can't be lowered to 7|give a larger number of steps|3");
  EXPECT_EQ(refused(run_of(), "grpo.steps", "many"),
            "--set|'grpo.steps' must be an integer of at least 1, not the string \"many\"||3");
  const auto evaluation =
      resolve(parse_toml("name = \"x\"\ntask = \"evaluate\"\n[dataset]\nplugin = \"esc_world\"\n[[rewards]]\nplugin = "
                         "\"length\"\n",
                         "x.toml"),
              FakeCatalog());
  EXPECT_EQ(refused(evaluation, "evaluate.prompts", 7),
            "--set|'evaluate.prompts' can't be changed in a run that has started|for other changes start a new run: "
            "compeer run RUN_DIR --set KEY=VALUE --set name=NAME|3");
}

TEST(Extended, RefusesWhatWouldHaveOtherBits) {
  const std::string help = "|start a new run of that length: compeer run RUN_DIR --set grpo.steps=N --set name=NAME|3";
  EXPECT_EQ(refused(run_of("steps = 8\n[optimizer]\nschedule = \"cosine\"\n"), "grpo.steps", 16),
            "grpo.steps|can't be changed in a run that has started, because 'optimizer.schedule' is \"cosine\": its "
            "learning rates depend on the number of steps" +
                help);
  const auto validated = run_of("steps = 8\n[validation]\nevery = 3\n");
  EXPECT_EQ(refused(validated, "grpo.steps", 16),
            "grpo.steps|can't be changed, because step 8 was validated only as the last one: 'validation.every' is 3, "
            "so a longer run does not validate it" +
                help);
  EXPECT_EQ(refused(validated, "grpo.steps", 16, 6), "") << "step 8 is yet to come";
  EXPECT_EQ(refused(run_of("steps = 9\n[validation]\nevery = 3\n"), "grpo.steps", 16, 9), "");
}

TEST(IsSpecOfRun, KnowsEarlierSpecs) {
  const auto before = run_of(), after = longer(before, 16);
  const auto file = json::parse(after.file_text());
  EXPECT_TRUE(is_spec_of_run(file, after.sha256()));
  EXPECT_TRUE(is_spec_of_run(file, before.sha256()));
  EXPECT_FALSE(is_spec_of_run(file, run_of("steps = 9\n").sha256()));
  for (const char* strange : {"null", R"({"history": 1})", R"({"history": [1, "x"]})"})
    EXPECT_FALSE(is_spec_of_run(json::parse(strange), before.sha256())) << strange;
}

TEST(NewChanges, AreThoseThatAnEarlierFileLacks) {
  const auto first = run_of(), second = longer(first, 16), third = longer(second, 20, 16);
  EXPECT_EQ(new_changes(first.file_text(), third.file_text()),
            (std::vector{change_text(third.history[0]), change_text(third.history[1])}));
  EXPECT_EQ(new_changes(second.file_text(), third.file_text()), std::vector{change_text(third.history[1])});
  EXPECT_TRUE(new_changes(third.file_text(), third.file_text()).empty());
  EXPECT_TRUE(new_changes("", "{}").empty());
}

}  // namespace
}  // namespace compeer::spec
