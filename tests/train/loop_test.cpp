#include <gtest/gtest.h>

#include "base/files.h"
#include "small_run.h"
#include "train/validation.h"

namespace compeer::train {
namespace {

namespace fs = std::filesystem;

// Steps that do nothing but set their loss.
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
  EXPECT_NE(error.find("stopped at step 2 as asked; its checkpoint is written"), std::string::npos) << error;
  EXPECT_NE(error.find("help: compeer resume "), std::string::npos) << error;
  EXPECT_EQ(checkpoints(), std::vector<std::string>{"step-000002"});
  EXPECT_EQ(state(), "preempted");
}

// The loss of validation rises, so that the first step stays the best.
TEST_F(TrainLoop, EndsEarlyAndKeepsTheBestCheckpoint) {
  with({{"checkpoint.every", 1}, {"checkpoint.keep", 1}, {"validation.every", 1}, {"validation.patience", 2}});
  loop();
  EXPECT_EQ(steps, (std::vector<uint64_t>{1, 2, 3}));
  EXPECT_EQ(fs::read_symlink(small->folder / "checkpoints/best"), "step-000001");
  EXPECT_EQ(checkpoints(), (std::vector<std::string>{"step-000001", "step-000003"}));
  EXPECT_NE(log.find("ended after step 3 of 4: no better validation/loss since step 1"), std::string::npos) << log;
}

}  // namespace
}  // namespace compeer::train
