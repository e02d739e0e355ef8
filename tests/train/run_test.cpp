#include "train/run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "../record/temporary_folder.h"
#include "base/error.h"
#include "base/files.h"
#include "record/checkpoint.h"
#include "record/run_file.h"
#include "small_run.h"
#include "train/run_plugins.h"
#include "train/validation.h"

namespace compeer::train {
namespace {

namespace fs = std::filesystem;

// Steps that only set their loss.
class TrainLoop : public testing::Test {
 protected:
  void with(SmallRun::Sets sets) {
    small.emplace(five_dialogues(), sets);
    auto& run = small->run;
    training.emplace(run, 0.1, 4);
    const auto measure = [](uint64_t step) { return Validation::Metrics{{"loss", static_cast<double>(step)}}; };
    validation.emplace(run, *training, 4, std::vector<std::string>{"loss"}, "loss", measure);
    std::vector<std::string> columns{"loss"};
    for (const auto& name : validation->columns()) columns.push_back(name);
    open_journal(run, "grpo", columns, {}, 4, {});
  }
  void loop(const std::function<void(uint64_t)>& also = nullptr) {
    testing::internal::CaptureStderr();
    const auto step = [&](uint64_t t, MetricRow& row) {
      steps.push_back(t);
      row.set("loss", 10.0 * static_cast<double>(t));
      if (also) also(t);
    };
    error = complaint([&] { train_loop(small->run, *training, *validation, 4, step); });
    log = testing::internal::GetCapturedStderr();
  }
  std::vector<std::string> checkpoints() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(small->folder / "checkpoints"))
      if (!entry.is_symlink() && entry.is_directory()) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string state() const {
    return nlohmann::json::parse(read_file(small->folder / "status.json")).at("state").get<std::string>();
  }
  std::optional<SmallRun> small;
  std::optional<Training> training;
  std::optional<Validation> validation;
  std::vector<uint64_t> steps;
  std::string error, log;
};

TEST_F(TrainLoop, TakesEveryStepAndKeepsTheNewestCheckpoints) {
  with({{"checkpoint.every", 1}, {"checkpoint.keep", 2}});
  loop();
  EXPECT_EQ(error, "nothing");
  EXPECT_EQ(steps, (std::vector<uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(checkpoints(), (std::vector<std::string>{"step-000003", "step-000004"}));
  EXPECT_EQ(state(), "finished");
  EXPECT_EQ(record::RunReader(small->folder / "run.h5").column("loss"), (std::vector<double>{10, 20, 30, 40}));
}

TEST_F(TrainLoop, StopsPolitelyAfterTheStepAndItsCheckpoint) {
  with({{"checkpoint.every", 4}});
  loop([&](uint64_t t) {
    if (t == 2) small->stop.raise(15);
  });
  EXPECT_EQ(steps, (std::vector<uint64_t>{1, 2}));
  EXPECT_NE(error.find("stopped at step 2 as requested; its checkpoint is saved"), std::string::npos) << error;
  EXPECT_NE(error.find("help: compeer resume "), std::string::npos) << error;
  EXPECT_EQ(checkpoints(), std::vector<std::string>{"step-000002"});
  EXPECT_EQ(state(), "preempted");
}

// The validation loss rises, so that the first step stays the best.
TEST_F(TrainLoop, EndsEarlyAndKeepsTheBestCheckpoint) {
  with({{"checkpoint.every", 1}, {"checkpoint.keep", 1}, {"validation.every", 1}, {"validation.patience", 2}});
  loop();
  EXPECT_EQ(steps, (std::vector<uint64_t>{1, 2, 3}));
  EXPECT_EQ(fs::read_symlink(small->folder / "checkpoints/best"), "step-000001");
  EXPECT_EQ(checkpoints(), (std::vector<std::string>{"step-000001", "step-000003"}));
  EXPECT_NE(log.find("ended after step 3 of 4: no better validation/loss since step 1"), std::string::npos) << log;
}

// A run's folder with rows and checkpoints, and a spec with the hash "mine".
class FindStart : public testing::Test {
 protected:
  void rows(uint64_t count) const {
    auto log = record::RunWriter::create(run_ / "run.h5", R"({"sha256":"mine"})", {"step"});
    for (uint64_t i = 1; i <= count; ++i) log.append(std::vector<double>{static_cast<double>(i)});
  }
  void checkpoint(uint64_t step) const { record::CheckpointWriter(run_.path(), step).commit({{"step", step}}); }
  // Returns the step to start from and the messages on standard error; or "where|problem|help|exit code".
  std::string found(bool resume = true, const std::string& spec = "mine", const std::string& before = "mine") const {
    comm::World world;
    testing::internal::CaptureStderr();
    std::string text;
    try {
      const nlohmann::json earlier = {{"spec_before", before}};
      const nlohmann::json file = {{"sha256", spec}, {"history", nlohmann::json::array({earlier})}};
      text = std::to_string(find_start(world, run_.path(), resume, file).step) + " ";
    } catch (const Error& error) {
      text = error.where() + "|" + error.problem() + "|" + error.help() + "|" +
             std::to_string(static_cast<int>(error.exit()));
    }
    return text + testing::internal::GetCapturedStderr();
  }
  const record::TemporaryFolder run_;
};

TEST_F(FindStart, IsTheNewestCheckpointAndElseTheBeginning) {
  EXPECT_EQ(found(), "0 ");
  rows(8);
  EXPECT_EQ(found(), "0 ");
  checkpoint(7);
  checkpoint(8);
  EXPECT_EQ(found(), "8 ");
  EXPECT_EQ(found(false), "0 ");
}

TEST_F(FindStart, PassesOverCheckpointsThatAreDamagedOrBeyondTheRows) {
  rows(21);
  for (const uint64_t step : {10, 20, 30}) checkpoint(step);
  EXPECT_EQ(found(), "20 compeer: warning: skipped checkpoints/step-000030: run.h5 has rows for only 21 steps\n");
  EXPECT_EQ(std::filesystem::read_symlink(run_ / "checkpoints/last"), "step-000020");
  write_file(run_ / "checkpoints/step-000020/state.json", "{}");
  EXPECT_EQ(found(),
            "10 compeer: warning: skipped checkpoints/step-000030: run.h5 has rows for only 21 steps\n"
            "compeer: warning: skipped checkpoints/step-000020: state.json has 2 bytes, should have 15\n");
}

// Completions are synced before a checkpoint is written, but a disk may lose data that it has confirmed.
TEST_F(FindStart, SetsTornRolloutsAsideAndGoesBackBehindThem) {
  rows(20);
  checkpoint(10);
  checkpoint(20);
  std::filesystem::create_directories(run_ / "rollouts");
  write_file(run_ / "rollouts/r0001-000011.h5.part", std::string(8192, '\0'));
  write_file(run_ / "rollouts/r0000-000021.h5.part", "");
  EXPECT_EQ(found(),
            "10 compeer: warning: skipped checkpoints/step-000020: its rollout files are incomplete; renamed to "
            "checkpoints/step-000020.torn\n"
            "compeer: warning: skipped rollouts/r0001-000011.h5.part: can't be opened: file signature not found; "
            "renamed to r0001-000011.h5.torn, and its steps are repeated\n");
  EXPECT_TRUE(std::filesystem::exists(run_ / "rollouts/r0001-000011.h5.torn"));
  EXPECT_TRUE(std::filesystem::exists(run_ / "rollouts/r0000-000021.h5.part"));  // from steps that are repeated anyway
  EXPECT_EQ(found(), "10 ");  // a run killed before its rows were cut does not continue from step 20
  write_file(run_ / "rollouts/r0000-000001.h5.part", "");
  EXPECT_EQ(found().substr(0, 2), "0 ");
  EXPECT_FALSE(std::filesystem::is_symlink(run_ / "checkpoints/last"));
  rows(5);
  EXPECT_EQ(found(), "0 ");  // a run killed before its first checkpoint starts over
}

TEST_F(FindStart, BeginsNothingWhereNoCheckpointFits) {
  checkpoint(30);
  const auto wrong =
      run_.path().string() + "|has no usable checkpoint:\n  checkpoints/step-000030: run.h5 has rows for only ";
  EXPECT_EQ(found(), wrong + "0 steps|--fresh starts over and renames the existing folder|4");
  rows(3);
  EXPECT_EQ(found(), wrong + "3 steps|--fresh starts over and renames the existing folder|4");
}

TEST_F(FindStart, RefusesTheRowsOfAnotherSpec) {
  rows(8);
  checkpoint(8);
  EXPECT_EQ(found(true, "longer", "mine"), "8 ");
  EXPECT_EQ(found(true, "other", "older"),
            (run_ / "spec.json").string() +
                "|is not the spec that run.h5 was started with|restore the original spec.json and resume, or start "
                "over with this one: --fresh renames the existing folder|4");
}

// The names in a manifest are untrusted, and log.txt is read on terminals.
TEST_F(FindStart, NamesDamageWithoutControlCharacters) {
  rows(8);
  checkpoint(7);
  checkpoint(8);
  const auto file = run_ / "checkpoints/step-000008/manifest.json";
  auto manifest = nlohmann::json::parse(read_file(file));
  manifest["files"]["\x1b[2Jgone"] = {{"size", 0}, {"sha256", ""}};
  write_file(file, manifest.dump());
  EXPECT_EQ(found(), "7 compeer: warning: skipped checkpoints/step-000008: \\x1b[2Jgone is missing\n");
}

std::vector<uint64_t> due_steps(const nlohmann::json& settings, uint64_t steps) {
  comm::World world;
  const CheckpointSchedule times(Settings(settings), steps);
  std::vector<uint64_t> due;
  for (uint64_t step = 1; step <= steps; ++step)
    if (times.due(world, step)) due.push_back(step);
  return due;
}

TEST(CheckpointSchedule, AreATenthOfTheRunUnlessTheSpecSaysOtherwise) {
  EXPECT_EQ(due_steps({{"every", nullptr}, {"minutes", 10.0}}, 25),
            (std::vector<uint64_t>{3, 6, 9, 12, 15, 18, 21, 24, 25}));
  EXPECT_EQ(due_steps({{"every", nullptr}, {"minutes", 10.0}}, 3), (std::vector<uint64_t>{1, 2, 3}));
  EXPECT_EQ(due_steps({{"every", 4}, {"minutes", 10.0}}, 9), (std::vector<uint64_t>{4, 8, 9}));
  EXPECT_EQ(due_steps({{"every", 0}, {"minutes", 0.0}}, 9), std::vector<uint64_t>{9});
}

TEST(CheckpointSchedule, DontWaitForTheStepsWhenTheMinutesHavePassed) {
  EXPECT_EQ(due_steps({{"every", 4}, {"minutes", 1e-9}}, 5), (std::vector<uint64_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(due_steps({{"every", 0}, {"minutes", 1e-9}}, 2), (std::vector<uint64_t>{1, 2}));
}

TEST(RunPlugins, KnowRewardsByTheirLabels) {
  const nlohmann::json rewards{
      {{"plugin", "length"},
       {"target", 4},
       {"weight", 0.5},
       {"floor", -1.0},
       {"ceiling", 2.0},
       {"truncated_factor", 0.25}},
      {{"plugin", "length"}, {"target", 8}, {"label", "longer"}, {"cosine_length", 50}, {"right_above", 0.75}}};
  SmallRun small(five_dialogues(), {{"rewards", rewards}});
  auto& terms = small.run.plugins->rewards();
  ASSERT_EQ(terms.size(), 2u);
  EXPECT_EQ(terms[0].label, "length");
  EXPECT_EQ(terms[0].weight, 0.5);
  EXPECT_EQ(terms[0].shaping.floor, -1);
  EXPECT_EQ(terms[0].shaping.ceiling, 2);
  EXPECT_EQ(terms[0].shaping.truncated_factor, 0.25);
  EXPECT_FALSE(terms[0].shaping.cosine);
  EXPECT_EQ(terms[1].label, "longer");
  EXPECT_EQ(terms[1].weight, 1);
  ASSERT_TRUE(terms[1].shaping.cosine);
  EXPECT_EQ(terms[1].shaping.cosine->max_length, 50);
  EXPECT_EQ(terms[1].shaping.cosine->right_above, 0.75);
}

TEST(RunPlugins, NameTheFactorsOfTheReweighting) {
  SmallRun none(five_dialogues());
  EXPECT_TRUE(none.run.plugins->factors().empty());
  SmallRun redundancy(five_dialogues(), {{"reweighting", {{"plugin", "redundancy"}}}});
  ASSERT_FALSE(redundancy.run.plugins->factors().empty());
  for (const auto& name : redundancy.run.plugins->factors()) EXPECT_EQ(name.find("redundancy/"), 0u) << name;
}

TEST(RunPlugins, ReadTheRecordsOfASplit) {
  SmallRun small(five_dialogues());
  EXPECT_EQ(small.run.plugins->records("train"), 5);
  EXPECT_EQ(small.run.plugins->record("valid", 0).id, "v");
  EXPECT_EQ(small.run.plugins->positions(), 80);
}

TEST(RunPlugins, NeedATokenizer) {
  EXPECT_EQ(complaint([] {
              SmallRun(five_dialogues(), {{"model.tokenizer", nullptr}});
            }),
            "model: sets neither 'tokenizer' nor 'path'\n  help: set model.tokenizer to a tokenizer folder");
}

// Validation with a given loss at each step.
class ValidationOfARun : public testing::Test {
 protected:
  Validation& with(SmallRun::Sets sets, std::map<uint64_t, double> losses) {
    small.emplace(five_dialogues(), sets);
    training.emplace(small->run, 0.1, 10);
    const auto measure = [losses](uint64_t step) {
      return Validation::Metrics{{"length", 1}, {"loss", losses.at(step)}};
    };
    validation.emplace(small->run, *training, 10, std::vector<std::string>{"loss", "length"}, "loss", measure);
    return *validation;
  }
  bool better(uint64_t step) {
    MetricRow row(columns);
    const bool is_better = validation->run_if_due(step, row);
    loss = row.get("validation/loss");
    return is_better;
  }
  const std::vector<std::string> columns{"validation/loss", "validation/length", "seconds/validation"};
  std::optional<SmallRun> small;
  std::optional<Training> training;
  std::optional<Validation> validation;
  double loss = 0;
};

TEST_F(ValidationOfARun, IsOffUnlessTheSpecWantsIt) {
  auto& off = with({}, {});
  EXPECT_TRUE(off.columns().empty());
  EXPECT_EQ(off.plan(), "");
  EXPECT_FALSE(better(10));
  EXPECT_FALSE(held_out_records(small->run, {"train"}));
}

TEST_F(ValidationOfARun, ReadsTheRecordsOfItsOwnSplit) {
  with({{"validation.every", 2}}, {});
  const auto records = held_out_records(small->run, {"train", Records::Reserve::completion, 8});
  ASSERT_TRUE(records);
  EXPECT_EQ(records->read(0, 1, [](int64_t i) { return i; })[0].example.id, "v");
}

TEST_F(ValidationOfARun, RunsEveryFewStepsAndAfterTheLast) {
  auto& v = with({{"validation.every", 4}}, {{4, 1}, {8, 2}, {10, 3}});
  EXPECT_EQ(v.columns(), (std::vector<std::string>{"validation/loss", "seconds/validation"}));
  EXPECT_EQ(v.plan(), "validation: at most 64 records of split 'valid' every 4 steps; lower loss is better");
  for (const uint64_t step : {1, 2, 3, 5, 9}) {
    better(step);
    EXPECT_TRUE(std::isnan(loss)) << step;
  }
  better(10);
  EXPECT_EQ(loss, 3);
}

TEST_F(ValidationOfARun, KnowsTheBestStepAndWhenToStop) {
  auto& v = with({{"validation.every", 1}, {"validation.patience", 2}},
                 {{1, 3.0}, {2, std::nan("")}, {3, 2.0}, {4, 2.0}, {5, 2.5}});
  EXPECT_TRUE(better(1));
  EXPECT_FALSE(better(2));
  EXPECT_TRUE(better(3));
  EXPECT_EQ(v.best(), 3u);
  EXPECT_FALSE(better(4));  // an equal loss is not better
  EXPECT_FALSE(v.is_over(4));
  EXPECT_FALSE(better(5));
  EXPECT_TRUE(v.is_over(5));
  EXPECT_EQ(v.why_over(), "no better validation/loss since step 3");
  EXPECT_EQ(v.estimates().at("validation/loss").mean, 2.0);
  EXPECT_EQ(v.estimates().at("validation/best_step").mean, 3);
  EXPECT_EQ(training->numbers.at("validation/best_step"), 3);  // stored in checkpoints
}

TEST_F(ValidationOfARun, NamesMetricsThatDoNotExist) {
  EXPECT_EQ(complaint([&] {
              with({{"validation.every", 1}, {"validation.metrics", {"los"}}}, {});
            }),
            "validation.metrics: no metric 'los'\n  help: did you mean 'loss'? known: loss, length");
  EXPECT_EQ(complaint([&] {
              with({{"validation.every", 1}, {"validation.metrics", {"length"}}}, {});
            }),
            "validation.better: must be set: whether a higher 'length' is better is not known\n  help: set it to "
            "\"higher\" or \"lower\"");
}

}  // namespace
}  // namespace compeer::train
