// Plugins that change what all code of a process shares: the check finds them, and of what a run compares after each
// call it says which plugin it was.
#include "checked.h"

namespace compeer::contract {
namespace {

const std::string fixtures = COMPEER_FIXTURES;

class Surroundings : public Checked {
 protected:
  std::string found(const std::string& act) {
    return failing(checked(fixtures + "/broken/rewards/intruder.so --set 'act=\"" + act + "\"'"));
  }
};

TEST_F(Surroundings, AreLeftAsTheyWere) { EXPECT_EQ(found("well"), ""); }

TEST_F(Surroundings, AreFoundChanged) {
  for (const auto& [act, what] : {std::pair{"mask", "the mask of new files' modes (umask)"},
                                  {"clear", "the environment"},
                                  {"write nothing", "the limits of the process"},
                                  {"hear nothing", "what signals do"}})
    EXPECT_EQ(found(act), std::string("process: it leaves ") + what + " changed\n") << act;
}

TEST_F(Surroundings, AreFoundChangedByACall) {
  for (const auto& [act, what] : {std::pair{"move", "the current folder"},
                                  {"comma", "the locale"},
                                  {"round up", "the rounding mode"},
                                  {"flush", "the treatment of denormal numbers"}})
    EXPECT_EQ(found(act), std::string("making: left ") + what +
                              " changed (other code relies on it: put it back before the call ends, on every way out "
                              "of it)\n")
        << act;
}

TEST_F(Surroundings, HaveNoMoreProcessesThanBefore) {
  EXPECT_EQ(found("fork"),
            "process: it forked and came back twice, so that two processes went on with the same work\n");
  EXPECT_EQ(found("leave a process"), "process: it left 1 process behind\n");
}

TEST_F(Surroundings, AreNotFilledWithOutput) {
  EXPECT_EQ(found("flood"),
            "inputs: wrote more than 64 MiB into a file, the last of it in score() with ordinary completions\n");
}

TEST_F(Surroundings, IncludeWhatARewardIsGiven) {
  for (const auto& [act, what] : {std::pair{"write into texts", "wrote into the completions"},
                                  {"write into the example", "wrote into what it was given"}})
    EXPECT_NE(found(act).find(std::string("inputs: in score() with example made-up-3: ") + what), std::string::npos)
        << act;
}

TEST_F(Surroundings, ChangedByAPluginEndARun) {
  const auto text = told("--plugin-dir " + fixtures + "/broken run " + smoke +
                         " --ranks 1 --set grpo.steps=1 --set rewards.0.plugin=intruder --set rewards.0.act=move"
                         " --results here -q 2>&1");
  EXPECT_NE(text.find("intruder.so), in make(): left the current folder changed\n"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("exit 5")) << text;
  EXPECT_FALSE(fs::exists(folder() / "elsewhere/here"));
}

TEST_F(Surroundings, AreToldByNameWhoseLibraryCrashedWhenItWasLoaded) {
  const auto text = told("--plugin-dir " + fixtures + "/broken run " + smoke +
                         " --ranks 1 --set rewards.0.plugin=static_crash --results here -q 2>&1");
  EXPECT_NE(text.find("run 'smoke-grpo': rewards/static_crash: crashed (segmentation fault) when it was opened"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace compeer::contract
