#include "launch/progress.h"

#include <gtest/gtest.h>

namespace compeer::launch {
namespace {

class Told : public testing::Test {
 protected:
  Progress make(bool terminal, bool colour = false, bool quiet = false, size_t runs = 1) {
    Progress::Setup setup;
    setup.terminal = terminal;
    setup.colour = colour;
    setup.quiet = quiet;
    setup.width = [this] { return width_; };
    setup.now = [this] { return now_; };
    setup.write = [this](std::string_view text) { told_ += text; };
    return Progress(setup, runs);
  }
  static record::Status at(uint64_t step, const std::string& phase = "rollout") {
    record::Status status;
    status.state = "running";
    status.step = step;
    status.steps = 8;
    status.phase = phase;
    status.metrics = {{"reward", 1.23456}, {"loss", 2}};
    return status;
  }
  std::string told() { return std::exchange(told_, ""); }

  double now_ = 1000;
  size_t width_ = 200;
  std::string told_;
};

TEST_F(Told, GivesALineEachHalfMinuteWithoutATerminal) {
  auto progress = make(false);
  progress.start("x", "starts on 2 ranks in results/x");
  EXPECT_EQ(told(), "x: starts on 2 ranks in results/x\n");
  now_ += 10;
  progress.update("x", at(1));
  EXPECT_EQ(told(), "");
  now_ += 20;
  progress.update("x", at(3));
  EXPECT_EQ(told(), "x: step 3 of 8, rollout, reward 1.235, 0:30 elapsed, 0:50 left\n");
  now_ += 29;
  progress.update("x", at(4));
  EXPECT_EQ(told(), "");
  progress.end("x", Progress::Outcome::finished, "finished after 0:59");
  EXPECT_EQ(told(), "x: finished after 0:59\n");
}

// Stages take different times, so the remaining time is estimated for the current stage only.
TEST_F(Told, SaysOfAStageWhatIsLeftOfItAlone) {
  auto progress = make(false);
  progress.start("x", "starts");
  const auto tell = [&](double seconds, uint64_t step, double part) {
    now_ += seconds;
    auto status = at(step, "judge");
    status.steps = 2, status.part = part, status.metrics = {};
    told();
    progress.update("x", status);
    return told();
  };
  tell(0, 0, 0);
  EXPECT_EQ(tell(30, 0, 0.25), "x: step 0 of 2, judge, 0:30 elapsed, 1:30 left of this step\n");
  EXPECT_EQ(tell(90, 1, 0.5), "x: step 1 of 2, judge, 2:00 elapsed\n") << "where the rate begins, after a kill perhaps";
  EXPECT_EQ(tell(40, 1, 0.75), "x: step 1 of 2, judge, 2:40 elapsed, 0:40 left\n");
  EXPECT_EQ(tell(30, 1, 0.75), "x: step 1 of 2, judge, 3:10 elapsed, 0:10 left\n") << "the same news, later";
}

TEST_F(Told, SaysWhatAStopWaitsFor) {
  for (const bool terminal : {false, true}) {
    auto progress = make(terminal);
    progress.start("x", "starts");
    progress.update("x", at(2));
    now_ += 30;
    progress.stop("stopping");
    told();
    progress.update("x", at(3, "train"));
    EXPECT_EQ(told(), terminal ? "\rx [=========               ] 3/8 0:30 (stopping)  reward 1.235  train\x1b[K"
                               : "x: step 3 of 8, train, reward 1.235, 0:30 elapsed, stopping after this step\n");
  }
}

TEST_F(Told, DrawsABarOnATerminal) {
  auto progress = make(true);
  progress.start("x", "starts");
  EXPECT_EQ(told(), "\rx 0:00  starting\x1b[K");
  progress.update("x", at(2));
  now_ += 10;
  progress.update("x", at(4, "train"));
  EXPECT_NE(told().find("\rx [============            ] 4/8 0:10 (0:20 left)  reward 1.235  train\x1b[K"),
            std::string::npos);
  progress.note("a remark");
  EXPECT_EQ(told().substr(0, 15), "\r\x1b[Ka remark\n\rx");
  progress.end("x", Progress::Outcome::finished, "finished after 0:10");
  EXPECT_EQ(told(), "\r\x1b[Kx: finished after 0:10\n");
}

TEST_F(Told, FitsTheTerminal) {
  width_ = 30;
  auto progress = make(true);
  progress.start("x", "starts");
  told();
  progress.update("x", at(4, "train"));
  EXPECT_EQ(told().size(), 1 + 29 + 3u);
}

TEST_F(Told, HasOneLineForAllRunsOfASweep) {
  auto progress = make(false, false, false, 24);
  progress.end("a", Progress::Outcome::read_back, "finished before, results read from results/a");
  for (const char* run : {"b", "c", "d", "e"}) {
    progress.start(run, "starts on 2 ranks in results/x");
    now_ += 5;
    progress.end(run, run[0] == 'c' ? Progress::Outcome::failed : Progress::Outcome::finished, "finished after 0:05");
  }
  progress.start("f", "starts");
  now_ += 2;
  progress.update("f", at(4));
  EXPECT_EQ(told(), "");
  now_ += 8;
  progress.update("f", at(4));
  // 4.5 of 23 runs in 30 seconds; the remaining 18.5 take 123 seconds.
  EXPECT_EQ(told(), "compeer: 5 of 24, 1 failed, 2:03 left\n");
  now_ += 20;
  progress.update("f", at(6));
  EXPECT_EQ(told(), "");
  progress.end("f", Progress::Outcome::stopped, "stopped after 0:30");
  EXPECT_EQ(told(), "");
  progress.close();
  EXPECT_EQ(told(), "compeer: 24 runs: 1 finished before, 3 finished, 1 failed, 1 stopped after 0:50\n");
}

TEST_F(Told, GivesNoTimeIfAllRunsHadFinishedBefore) {
  auto progress = make(false, false, false, 2);
  for (const char* run : {"a", "b"}) progress.end(run, Progress::Outcome::read_back, "finished before");
  progress.close();
  EXPECT_EQ(told(), "compeer: 2 runs: 2 finished before\n");
}

TEST_F(Told, DrawsOneLineForAllRunsOfASweep) {
  auto progress = make(true, false, false, 3);
  progress.start("x", "starts");
  now_ += 10;
  progress.end("x", Progress::Outcome::finished, "finished after 0:10");
  EXPECT_EQ(told(), "\r0 of 3  x 0:00  starting\x1b[K\r\x1b[K");
  progress.start("y", "starts");
  told();
  progress.start("z", "starts");
  EXPECT_EQ(told(), "\r1 of 3, 0:20 left  y 0:00  starting  and 1 more\x1b[K");
}

TEST_F(Told, UsesColourOnlyIfAllowed) {
  auto progress = make(true, true);
  progress.start("x", "starts");
  EXPECT_EQ(told().substr(0, 11), "\r\x1b[1mx\x1b[0m ");
}

TEST_F(Told, SaysNothingButRemarksIfQuiet) {
  auto progress = make(true, false, true);
  progress.start("x", "starts");
  progress.update("x", at(2));
  progress.end("x", Progress::Outcome::finished, "finished");
  EXPECT_EQ(told(), "");
  progress.note("a remark");
  EXPECT_EQ(told(), "a remark\n");
}

TEST_F(Told, LeavesAPhaseNoControlCharacters) {
  auto progress = make(true);
  progress.start("x", "starts");
  progress.update("x", at(2, "\x1b[2Jgone"));
  EXPECT_NE(told().find("  \\x1b[2Jgone\x1b[K"), std::string::npos);
}

TEST(DurationText, HasHoursOnlyIfNeeded) {
  EXPECT_EQ(duration_text(0), "0:00");
  EXPECT_EQ(duration_text(75.9), "1:15");
  EXPECT_EQ(duration_text(4000), "1:06:40");
  EXPECT_EQ(duration_text(-3), "0:00");
  EXPECT_EQ(duration_text(1e300), duration_text(1e15));
}

}  // namespace
}  // namespace compeer::launch
