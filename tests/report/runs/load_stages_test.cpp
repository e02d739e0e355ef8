#include "report/runs/load.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"
#include "base/files.h"
#include "record/run_file.h"
#include "record/status.h"
#include "report/report.h"
#include "report/runs/metrics.h"
#include "results_folder.h"

namespace compeer::report {
namespace {

/// The results of a data run: two stages, the second an evaluation with three dialogues.
class LoadStages : public ResultsFolder {
 protected:
  fs::path write_data_run(bool finished) {
    const fs::path folder = root_ / "d";
    fs::create_directories(folder / "stages");
    const auto sample = sample::tested("d", "x", 1, 50, 2, 0.1, 1);
    const nlohmann::json spec = file_of(sample.spec);
    write_file(folder / "spec.json", spec.dump());
    auto writer = record::RunWriter::create(folder / "run.h5", spec.dump(), {"step", "in", "out", "dropped"});
    writer.append(std::vector<double>{1, 5, 5, 0});
    writer.append(std::vector<double>{2, 5, 4, 1});
    write_file(folder / "stages/01-sage.dropped.jsonl", R"({"id":"esc_world/test/3","reason":"no answer"})"
                                                        "\n");
    write_file(folder / "stages/00-esc_world.jsonl", "{}\n{}\n{}\n{}\n{}\n");
    std::string records = R"({"id":"none","candidates":[],"judged":{}})"
                          "\n";
    for (int i = 0; i < 3; ++i) records += sample::played(i, 40, "Hm.").dump() + "\n";
    write_file(folder / "stages/01-sage.jsonl", records);
    record::write_status(folder, {finished ? "finished" : "running", 2, 2, "", {}, "", 1, 1});
    if (!finished) return folder;
    writer.finish("finished");
    record::Summary summary{"data", 2, {{"01-sage/mean_emotion/value", {50, 50, 50, 1}}}, {}};
    summary.details["stages"] = {{{"stage", "00-esc_world"},
                                  {"in", 5},
                                  {"out", 5},
                                  {"dropped", nlohmann::json::object()},
                                  {"counts", {{"a", 1.5}}}},
                                 {{"stage", "01-sage"},
                                  {"in", 5},
                                  {"out", 4},
                                  {"dropped", {{"no answer", 1}}},
                                  {"counts", nlohmann::json::object()},
                                  {"findings", {{"mean_emotion", sample::figure(50, 2)}}}}};
    record::write_summary(folder, summary);
    return folder;
  }
};

TEST_F(LoadStages, ReadsStagesAndDialogues) {
  const RunData run = load_run(write_data_run(true));
  EXPECT_EQ(run.problems, std::vector<std::string>());
  ASSERT_EQ(run.stages.size(), 2u);
  EXPECT_EQ(run.stages[0].counts.at("a"), 1.5);
  EXPECT_EQ(run.stages[1].name, "01-sage");
  EXPECT_EQ(run.stages[1].plugin, "sage");
  EXPECT_EQ(run.stages[1].left_out, 1);
  EXPECT_EQ(run.stages[1].settings["supporter"]["plugin"], "local");
  EXPECT_EQ(run.stages[1].findings["mean_emotion"]["value"], 50);
  ASSERT_EQ(run.stages[1].records.size(), 3u);  // the dialogues
  EXPECT_EQ(run.stages[1].records[2]["id"], "esc_world/test/2");
}

TEST_F(LoadStages, KeepsDialoguesOfEachStageThatJudgedThem) {
  const auto folder = write_data_run(true);
  auto summary = *record::read_summary(folder);
  auto second = summary.details["stages"][1];
  second["stage"] = "02-judge";
  summary.details["stages"].push_back(second);
  record::write_summary(folder, summary);
  const std::string said = R"({"id":"a","turns":[{"role":"user","text":"Hello"}],)";
  for (const char* file : {"stages/01-sage.jsonl", "stages/02-judge.jsonl"})
    write_file(folder / file, said + R"("judged":{"preference":"first"}})" + "\n");
  RunData run = load_run(folder);
  ASSERT_EQ(run.stages.size(), 3u);
  EXPECT_EQ(run.stages[1].records.size(), 1u);
  EXPECT_EQ(run.stages[2].records.size(), 1u);
  write_file(folder / "stages/01-sage.jsonl", said + R"("scores":{"fluency":3}})" + "\n");
  run = load_run(folder);
  EXPECT_TRUE(run.stages[1].records.empty());  // dropped, because the later stage has the same dialogue
  EXPECT_EQ(run.stages[2].records.size(), 1u);
}

TEST_F(LoadStages, KeepsOtherRecordsOfStagesThatMeasure) {
  const auto folder = write_data_run(true);
  const std::string judged = R"({"id":"a","history":[{"role":"user","text":"Hello"}],"judged":{"preference":"first"}})"
                             "\n";
  write_file(folder / "stages/01-sage.jsonl", judged + judged + judged + judged);
  const RunData run = load_run(folder);
  ASSERT_EQ(run.stages[1].records.size(), 4u);
  EXPECT_EQ(run.stages[1].records[0]["judged"]["preference"], "first");
  EXPECT_FALSE(run.stages[1].records[0].contains("turns"));
  EXPECT_TRUE(run.stages[0].records.empty());
}

TEST_F(LoadStages, TakesWhatWasSaidFromAHistoryOfMessages) {
  const auto folder = write_data_run(true);
  const std::string score = R"({"id":"score","turns":[],"scores":{"fluency":3}})";
  const std::string published =
      R"({"id":"p","turns":[],"history":[{"role":"user","content":"你好","emotion-point":40},)"
      R"({"role":"assistant","content":"Hello."}]})";
  write_file(folder / "stages/01-sage.jsonl", score + "\n" + score + "\n" + score + "\n" + published + "\n");
  const RunData run = load_run(folder);
  EXPECT_EQ(run.problems, std::vector<std::string>());
  ASSERT_EQ(run.stages[1].records.size(), 1u);  // the others contain no dialogue
  EXPECT_EQ(run.stages[1].records[0]["id"], "p");
  EXPECT_EQ(run.stages[1].records[0]["turns"],
            (nlohmann::json{{{"role", "user"}, {"text", "你好"}, {"emotion-point", 40}},
                            {{"role", "assistant"}, {"text", "Hello."}}}));
}

TEST_F(LoadStages, AddsNumbersThatOnlyTheHistoryHas) {
  const auto folder = write_data_run(true);
  const std::string both = R"({"id":"p","turns":[{"role":"user","text":"Hm."}],)"
                           R"("history":[{"role":"user","content":"Hm.","emotion-point":37}]})";
  write_file(folder / "stages/01-sage.jsonl", both + "\n" + both + "\n" + both + "\n" + both + "\n");
  EXPECT_EQ(load_run(folder).stages[1].records[0]["turns"][0]["emotion-point"], 37);
}

TEST_F(LoadStages, OfARunThatCrashedReadsWhatThereIs) {
  const RunData run = load_run(write_data_run(false));
  EXPECT_EQ(run.state, "stopped");
  ASSERT_EQ(run.stages.size(), 2u);
  EXPECT_EQ(run.stages[1].name, "01-sage");
  EXPECT_EQ(run.stages[1].out, 4);
  EXPECT_EQ(run.stages[1].dropped.at("no answer"), 1);
  EXPECT_EQ(run.stages[1].records.size(), 3u);
}

TEST_F(LoadStages, NamesAHalfWrittenFile) {
  const auto folder = write_data_run(false);
  const auto file = folder / "stages/01-sage.jsonl";
  auto text = read_file(file);
  write_file(file, text.substr(0, text.size() - 20));
  const RunData run = load_run(folder);
  EXPECT_EQ(run.stages[1].records.size(), 2u);
  EXPECT_EQ(run.problems, std::vector<std::string>{"stages/01-sage.jsonl: ends within line 4"});
  write_file(file, text.substr(0, text.rfind('\n', text.size() - 2) + 1));
  EXPECT_EQ(load_run(folder).problems, std::vector<std::string>{"stages/01-sage.jsonl: contains 3 of 4 records"});
  fs::remove(file);
  EXPECT_EQ(load_run(folder).problems, std::vector<std::string>{"stages/01-sage.jsonl: missing"});
  text.replace(0, text.find('\n'), "nonsense");
  write_file(file, text);
  EXPECT_EQ(load_run(folder).problems, std::vector<std::string>{"stages/01-sage.jsonl: line 1 is not JSON"});
}

TEST_F(LoadStages, NamesASummaryThatIsMissingOrBroken) {
  const auto folder = write_data_run(true);
  write_file(folder / "summary.json", R"({"task":"data","steps":2,"metrics":{},"details":{"stages":[{"stage":3}]}})");
  auto run = load_run(folder);
  EXPECT_EQ(run.problems, std::vector<std::string>{"summary.json: has an invalid 'details.stages'"});
  EXPECT_EQ(run.stages.size(), 2u);  // read from its rows
  fs::remove(folder / "summary.json");
  run = load_run(folder);
  EXPECT_EQ(run.problems, std::vector<std::string>{"summary.json: missing, though the run finished"});
  EXPECT_EQ(run.stages[1].out, 4);
}

TEST_F(LoadStages, BelievesNoNumberOfRecordsThatCantBe) {
  const auto folder = write_data_run(true);
  const std::string unclear = "has an invalid 'details.stages'";
  const std::map<std::string, std::string> problems = {
      {"1e300", unclear},
      {"1.5", unclear},
      {"-1", "contains an impossible number of records: -1"},
      {"9223372036854775807", "contains an impossible number of records: 9223372036854775807"}};
  for (const auto& [records, problem] : problems) {
    write_file(folder / "summary.json", R"({"task":"data","steps":1,"metrics":{},"details":{"stages":[{"in":1,"out":)" +
                                            records + R"(,"dropped":{},"counts":{}}]}})");
    const RunData run = load_run(folder);
    EXPECT_EQ(run.problems, std::vector<std::string>{"summary.json: " + problem});
    EXPECT_EQ(run.stages[1].out, 4);  // read from its rows
  }
}

TEST_F(LoadStages, ReadsNoFilesOutsideOfItsFolder) {
  const auto folder = write_data_run(true);
  fs::rename(folder / "stages/01-sage.jsonl", root_ / "mine.jsonl");
  auto summary = nlohmann::json::parse(read_file(folder / "summary.json"));
  summary["details"]["stages"][1]["stage"] = "../../mine";
  write_file(folder / "summary.json", summary.dump());
  const RunData run = load_run(folder);
  EXPECT_EQ(run.problems,
            (std::vector<std::string>{
                "summary.json: contains the name of a stage '../../mine', which can't be part of a file name",
                "stages/01-sage.jsonl: missing"}));
  EXPECT_EQ(run.stages[1].records.size(), 0u);
}

// One damaged folder must not affect the others.
TEST_F(LoadStages, OfAStrangersSpecIsShown) {
  const auto folder = write_data_run(true);
  const auto spec = nlohmann::json::parse(read_file(folder / "spec.json"))["spec"];
  for (const char* section : {"data", "dataset", "stages", "model"}) {
    for (const nlohmann::json& other : {nlohmann::json(7), nlohmann::json::array({7}), nlohmann::json("x")}) {
      auto changed = spec;
      changed[section] = other;
      write_file(folder / "spec.json", file_of(changed).dump());
      EXPECT_NE(page({load_run(folder)}), "") << section << " " << other;
    }
  }
}

TEST_F(LoadStages, OfABrokenSpecTakesTheOneInTheRunFile) {
  const auto folder = write_data_run(true);
  write_file(folder / "spec.json", "{\"spec\": {");
  const RunData run = load_run(folder);
  EXPECT_EQ(run.problems, std::vector<std::string>{"spec.json: is not JSON; the copy in run.h5 is shown"});
  EXPECT_EQ(run.task, "data");
  EXPECT_EQ(run.stages[1].plugin, "sage");
}

TEST(Metrics, KnowTheirTopicAndDirection) {
  EXPECT_EQ(describe("reward").better, Better::higher);
  EXPECT_EQ(describe("redundancy/s_in").topic, Topic::redundancy);
  EXPECT_EQ(describe("redundancy/s_in").better, Better::lower);
  EXPECT_EQ(describe("redundancy/s_in").title, "similarity in the group");
  EXPECT_EQ(describe("dra/gain").topic, Topic::redundancy);
  EXPECT_EQ(describe("dra/gain").title, "gain");
  EXPECT_EQ(describe("seconds/rollout").topic, Topic::timing);
  EXPECT_EQ(describe("length").better, Better::unknown);
  EXPECT_EQ(describe("never_heard_of").topic, Topic::other);
}

TEST(Metrics, OfRewardsAreNamedByPartAndLabel) {
  const Metric quality = describe("rewards/truth/quality");
  EXPECT_EQ(quality.title, "quality");
  EXPECT_EQ(quality.from, "truth");
  EXPECT_EQ(quality.better, Better::higher);
  EXPECT_EQ(describe("rewards/length").title, "length");
}

TEST(Metrics, OfValidationBelongToNoReweighting) {
  const Metric loss = describe("validation/loss");
  EXPECT_EQ(loss.topic, Topic::validation);
  EXPECT_EQ(heading(loss.topic), "Validation");
  EXPECT_EQ(loss.title, "loss");
  EXPECT_EQ(loss.from, "validation");
  EXPECT_EQ(loss.better, Better::lower);
  EXPECT_EQ(describe("validation/rewards/truth/quality").title, "truth quality");
  EXPECT_EQ(describe("validation/rewards/truth/quality").better, Better::higher);
  EXPECT_EQ(describe("seconds/validation").topic, Topic::timing);
}

TEST(Metrics, OfFaultsHaveNoDirection) { EXPECT_EQ(describe("rewards/truth/unparsable").better, Better::unknown); }

TEST(Metrics, AReward_sOwnPartIsNotTakenForTheRunner_sMetric) {
  // A reward may name a part s_in; it is still not a factor of the reweighting.
  EXPECT_EQ(describe("rewards/mine/s_in").topic, Topic::reward);
}

TEST(Metrics, OfValidationComeInTheOrderInWhichTheyWereRecorded) {
  RunData run;
  run.recorded = {"loss", "validation/redundancy/s_in", "validation/reward", "reward"};
  std::vector<std::string> names;
  for (const auto& metric : metrics_of({&run})) names.push_back(metric.name);
  EXPECT_EQ(names, (std::vector<std::string>{"reward", "validation/redundancy/s_in", "validation/reward", "loss"}));
}

TEST(Metrics, ComeInReadingOrderWithoutBookkeeping) {
  RunData run;
  run.recorded = {"step", "lr", "rewards/z/b", "rewards/z/a", "reward", "entropy", "seconds/x"};
  for (const auto& name : run.recorded) run.columns[name] = {1};
  std::vector<std::string> names;
  for (const auto& metric : metrics_of({&run})) names.push_back(metric.name);
  EXPECT_EQ(names, (std::vector<std::string>{"reward", "rewards/z/b", "rewards/z/a", "entropy", "lr", "seconds/x"}));
}

TEST(Figures, AreFoundWhereverFindingsHaveThem) {
  const auto all = figures_of({{"columns", {"x"}},
                               {"curves", {{"emotion", {sample::figure(1, 1)}}}},
                               {"n", 12},
                               {"x", {{"value", 2.5}, {"low", nullptr}, {"high", nullptr}}},
                               {"judges", {"a", "b"}},
                               {"reply", {{"confusion", {{1, 2}, {3, 4}}}, {"f1", sample::figure(0.5, 0.1, 7)}}}});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all.at("n").mean, 12);
  EXPECT_FALSE(all.at("x").has_interval());
  EXPECT_DOUBLE_EQ(all.at("reply/f1").low, 0.4);
  EXPECT_EQ(all.at("reply/f1").n, 7);
}

TEST(Figures, AreBetterTheWayTheirStageSays) {
  const auto directions = directions_of({{"better", {{"higher", {"f1", 3}}, {"lower", {"failure"}}}}});
  EXPECT_EQ(better_of(directions, "reply/f1"), Better::higher);
  EXPECT_EQ(better_of(directions, "failure"), Better::lower);
  EXPECT_EQ(better_of(directions, "f1/n"), Better::unknown);
  EXPECT_TRUE(directions_of({{"better", {{"higher", "f1"}}}}).empty());
  EXPECT_TRUE(directions_of({{"better", 3}}).empty());
  EXPECT_TRUE(directions_of(nullptr).empty());
}

}  // namespace
}  // namespace compeer::report
