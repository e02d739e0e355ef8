#include "app/launch/progress.h"

#include <gtest/gtest.h>

namespace compeer::app {
namespace {

class Told : public testing::Test {
 protected:
  Progress make(bool terminal, bool colour = false, bool quiet = false) {
    Progress::Setup setup;
    setup.terminal = terminal;
    setup.colour = colour;
    setup.quiet = quiet;
    setup.width = [this] { return width_; };
    setup.now = [this] { return now_; };
    setup.write = [this](std::string_view text) { told_ += text; };
    return Progress(setup);
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
  EXPECT_EQ(told(), "x: step 3 of 8, rollout, reward 1.235, 0:30 passed, 0:50 left\n");
  now_ += 29;
  progress.update("x", at(4));
  EXPECT_EQ(told(), "");
  progress.end("x", "finished after 0:59");
  EXPECT_EQ(told(), "x: finished after 0:59\n");
}

TEST_F(Told, DrawsABarOnATerminal) {
  auto progress = make(true);
  progress.start("x", "starts");
  EXPECT_EQ(told(), "\rx [                        ] 0/0 0:00  starting\x1b[K");
  progress.update("x", at(2));
  now_ += 10;
  progress.update("x", at(4, "train"));
  EXPECT_NE(told().find("\rx [============            ] 4/8 0:10 (0:20 left)  reward 1.235  train\x1b[K"),
            std::string::npos);
  progress.note("a remark");
  EXPECT_EQ(told().substr(0, 15), "\r\x1b[Ka remark\n\rx");
  progress.end("x", "finished after 0:10");
  EXPECT_EQ(told(), "\r\x1b[Kx: finished after 0:10\n");
}

TEST_F(Told, FitsTheTerminal) {
  width_ = 30;
  auto progress = make(true);
  progress.start("x", "starts");
  EXPECT_EQ(told().size(), 1 + 29 + 3u);
}

TEST_F(Told, CountsTheOthers) {
  auto progress = make(true);
  progress.start("x", "starts");
  told();
  progress.start("y", "starts");
  EXPECT_EQ(told(), "\rx [                        ] 0/0 0:00  starting  and 1 more\x1b[K");
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
  progress.end("x", "finished");
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
}  // namespace compeer::app
