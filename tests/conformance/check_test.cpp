// `compeer plugins check` on plugins that violate the plugin interface, each in one way.
#include "checked.h"

#include "places.h"

namespace compeer::conformance {
namespace {

using nlohmann::json;

const std::string fixtures = COMPEER_FIXTURES;
const std::string unruly = fixtures + "/broken/rewards/unruly.so";

class PluginsCheck : public Checked {
 protected:
  json act(const std::string& what, const std::string& more = "", const std::string& library = unruly) {
    return checked(library + " --set 'act=\"" + what + "\"' " + more);
  }
  json faulty(const std::string& kind, const std::string& what) {
    return act(what, "", fixtures + "/broken/" + kind + "/faulty.so");
  }
};

TEST_F(PluginsCheck, PassesAPluginThatBehaves) {
  const auto report = act("well");
  EXPECT_EQ(failing(report), "");
  EXPECT_EQ(report.at("exit"), 0);
  EXPECT_EQ(report.at("holds"), true);
  EXPECT_EQ(report.at("plugin"), "rewards/unruly 1.0.0");
  EXPECT_EQ(all(report, "not checked"), "");
  EXPECT_NE(all(report, "holds").find("ranges: can be created with settings at the ends of their ranges, 2 of them\n"),
            std::string::npos);
}

TEST_F(PluginsCheck, PrintsATable) {
  const auto text = told("plugins check " + unruly + " --set 'act=throw int'");
  EXPECT_TRUE(text.starts_with("rewards/unruly 1.0.0  " + unruly +
                               "\n\n  descriptor  holds        valid; kind and name match the file's\n"))
      << text;
  EXPECT_NE(text.find("  inputs      FAILS        in score() with ordinary completions: threw a value of type int\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("\nexit 5")) << text;
}

TEST_F(PluginsCheck, FindsCrashes) {
  for (const auto& [what, place] :
       {std::pair{"crash in the constructor", "making: crashed (segmentation fault) in its constructor\n"},
        {"crash in the method", "inputs: crashed (segmentation fault) in score() with ordinary completions\n"},
        {"crash when it is empty", "inputs: crashed (segmentation fault) in score() with empty completions\n"},
        {"crash in the destructor", "ranges: crashed (segmentation fault) in its destructor\n"},
        {"overflow the stack", "inputs: crashed (segmentation fault) in score() with ordinary completions\n"}}) {
    const auto report = act(what);
    EXPECT_EQ(failing(report), place);
    EXPECT_EQ(report.at("exit"), 5);
    EXPECT_NE(all(report, "not checked").find("the rest: the check could not continue after that\n"),
              std::string::npos);
  }
}

TEST_F(PluginsCheck, ShowsTheStackOfACrash) {
  const auto report = act("crash in the method");
  const auto& stack = report.at("findings").at(report.at("findings").size() - 2).at("stack");
  ASSERT_GE(stack.size(), 2u) << report;
  const auto first = stack[0].get<std::string>();
  EXPECT_TRUE(first.starts_with(unruly + "+0x")) << first;
}

TEST_F(PluginsCheck, FindsACrashWhileItIsLoaded) {
  const auto report = checked(fixtures + "/broken/rewards/static_crash.so");
  EXPECT_EQ(failing(report), "loading: crashed (segmentation fault) while being loaded\n");
}

TEST_F(PluginsCheck, FindsWhatEndsTheProcess) {
  EXPECT_EQ(failing(act("exit")), "inputs: called exit(0) in score() with ordinary completions\n");
  EXPECT_EQ(failing(act("_exit")),
            "inputs: ended the process with code 0 and no message in score() with ordinary completions\n");
  EXPECT_EQ(failing(act("kill")),
            "inputs: was killed by signal 9 (Killed) in score() with ordinary completions: out of memory?\n");
  const auto text = failing(act("throw where none may"));
  EXPECT_TRUE(
      text.starts_with("inputs: crashed (abort) in score() with ordinary completions; standard error ends "
                       "with: terminate called after throwing an instance of 'int'"))
      << text;
}

TEST_F(PluginsCheck, FindsCallsThatDoNotComeBack) {
  const auto report = act("spin", "--patience 3");
  EXPECT_EQ(failing(report), "inputs: did not return within 3 seconds in score() with ordinary completions\n");
  EXPECT_GE(report.at("findings").at(report.at("findings").size() - 2).at("stack").size(), 1u);
}

TEST_F(PluginsCheck, FindsExceptionsAndWrongResults) {
  const auto thrown = failing(act("throw int"));
  for (const auto* input : {"a single completion", "example made-up-3"})
    EXPECT_NE(thrown.find(std::string("inputs: in score() with ") + input + ": threw a value of type int\n"),
              std::string::npos)
        << thrown;
  EXPECT_NE(failing(act("nan")).find("returned NaN in column 'quality' of completion 0 (the first is 0)"),
            std::string::npos);
  EXPECT_NE(
      failing(act("wrong count"))
          .find(": returned 3 numbers in column 'quality' for 4 completions (return one number for each completion"),
      std::string::npos);
}

TEST_F(PluginsCheck, FindsConstructorsThatRefuseWhatTheirDescriptorsAllow) {
  EXPECT_EQ(failing(act("refuse")), "making: not today\n");
  EXPECT_EQ(failing(act("refuse 9")), "ranges: n = 9 is in range, but rejected: one less, please\n");
}

TEST_F(PluginsCheck, FindsResultsThatChange) {
  auto text = failing(act("count calls"));
  EXPECT_EQ(text, "same twice: in score() with an example without text: returned other results when called again\n");
  text = failing(act("look at the clock"));
  EXPECT_TRUE(text.starts_with("same twice: in score() with ")) << text;
  text = failing(act("count threads"));
  EXPECT_TRUE(text.starts_with("threads: in score() with ")) << text;
  EXPECT_NE(text.find(": returned other results with 2 threads\n"), std::string::npos) << text;
}

TEST_F(PluginsCheck, FindsWhatGrowsWithEveryCall) {
  for (const auto& [what, left] :
       {std::pair{"leak descriptors", " files open\n"}, {"start threads", " threads running\n"}}) {
    const auto text = failing(act(what));
    EXPECT_NE(text.find("process: it leaves "), std::string::npos) << text;  // threads also take memory
    EXPECT_NE(text.find(left), std::string::npos) << text;
  }
}

#ifndef __SANITIZE_ADDRESS__  // which retains freed memory
TEST_F(PluginsCheck, FindsMemoryThatIsNotFreed) {
  const auto text = failing(act("leak memory"));
  EXPECT_TRUE(text.starts_with("memory: in score() with ordinary completions: ")) << text;
  EXPECT_NE(text.find(" calls leaked "), std::string::npos) << text;
  EXPECT_NE(text.find(" bytes\n"), std::string::npos) << text;
}
#endif

TEST_F(PluginsCheck, FindsWhatIsDoneToTheStreams) {
  auto text = failing(act("print"));
  EXPECT_TRUE(text.starts_with("process: it wrote ")) << text;
  EXPECT_NE(text.find(" bytes to standard output: hello"), std::string::npos) << text;
  EXPECT_EQ(failing(act("close")), "process: it leaves standard output (descriptor 1) changed\n");
}

// The plugin writes to all open descriptors with small numbers; the check's report would be among them.
TEST_F(PluginsCheck, FindsWhatIsWrittenIntoAnyOpenFile) {
  const auto text = failing(act("write half a line"));
  EXPECT_TRUE(text.starts_with("process: it wrote ")) << text;
  EXPECT_NE(text.find(" bytes to standard output: half a line"), std::string::npos) << text;
}

TEST_F(PluginsCheck, FindsDescriptorsThatDoNotFit) {
  auto report = checked(fixtures + "/interface/rewards/plain.so");
  EXPECT_NE(
      failing(report).find("loading: plugin rewards/plain was built for plugin interface " COMPEER_PREVIOUS_INTERFACE
                           ", this program has "),
      std::string::npos)
      << failing(report);
  EXPECT_EQ(report.at("exit"), 5);
  report = checked(fixtures + "/renamed/rewards/plain.so");
  EXPECT_TRUE(failing(report).starts_with(
      "descriptor: is the plugin rewards/plane, but its path is that of rewards/plain; move it to rewards/plane.so"))
      << failing(report);
  write("text.so", "hello");
  report = checked("text.so");
  EXPECT_EQ(failing(report), "descriptor: is not a shared library (no ELF header); build or copy the library again\n");
  EXPECT_EQ(report.at("exit"), 5);
  fs::resize_file(folder() / "text.so", uint64_t{1} << 40);  // sparse: would take hours to hash
  report = checked("text.so");
  EXPECT_EQ(failing(report), "descriptor: is larger than 4294967296 bytes\n");
  EXPECT_EQ(report.at("sha256"), nullptr);
}

TEST_F(PluginsCheck, KnowsWhatEachKindPromises) {
  for (const auto& [kind, what, finding] :
       {std::tuple{"datasets", "one id", "? train 1 repeats the id of an earlier example: the same"},
        {"datasets", "odd role", "? train 0 has a turn with the role 'robot'"},
        {"datasets", "bytes", "? train 0 contains text that is not UTF-8"},
        {"datasets", "any split", "? 'no such split' has 3 examples"},
        {"similarity", "one way", "? text 1 with text 0: 0.000000 instead of 0.500000"},
        {"similarity", "half itself", "? text 0 with text 0: 0.500000 instead of 1"},
        {"similarity", "like nothing", "? text 0 with the empty text: 0.250000 instead of 0"},
        {"stages", "company", "? record made-up-1 has a different outcome when it is processed alone"},
        {"stages", "count", "? 'records' is 9.000000, but 3.000000 when records are processed one at a time"},
        {"stages", "lose one", "returned 2 outcomes for 3 records"},
        {"stages", "list", "? findings() returned no object"},
        {"reweighting", "write into rewards", "changed its arguments"},
        {"reweighting", "divide by the sum", "in reweight() with rewards of zero: returned NaN"}}) {
    const auto report = faulty(kind, what);
    EXPECT_NE(failing(report).find(finding), std::string::npos) << kind << ", " << what << "\n" << failing(report);
    EXPECT_EQ(report.at("exit"), 5);
  }
  EXPECT_TRUE(failing(act("divide by the question"))
                  .starts_with("inputs: in score() with an example without text: returned NaN"))
      << failing(act("divide by the question"));
  EXPECT_NE(failing(act("company"))
                .find("a group gets the same scores alone and with others? column 'style' of group 0 depends on"),
            std::string::npos)
      << failing(act("company"));
  EXPECT_NE(failing(faulty("datasets", "next")).find("returned other results when called again"), std::string::npos);
  for (const auto* kind : {"datasets", "similarity", "stages", "reweighting"})
    EXPECT_EQ(failing(faulty(kind, "well")), "") << kind;
}

TEST_F(PluginsCheck, SaysWhatItCouldNotCheck) {
  const auto report = faulty("stages", "other records");
  EXPECT_EQ(failing(report), "");
  EXPECT_NE(all(report, "not checked")
                .find("record 'made-up-1': has no pulse; perhaps --dataset NAME or --set KEY=VALUE "
                      "provides it"),
            std::string::npos)
      << all(report, "not checked");
  EXPECT_EQ(report.at("exit"), 0);
}

// A check that could not create the plugin must not look like a passed check.
TEST_F(PluginsCheck, EndsWith4IfNothingCouldBeMade) {
  const std::string needy = COMPEER_BINARY_DIR "/plugins/rewards/overlong.so";
  const auto report = checked(needy);
  EXPECT_EQ(failing(report), "");
  EXPECT_EQ(report.at("made"), false);
  EXPECT_NE(all(report, "not checked").find("set them with --set KEY=VALUE"), std::string::npos);
  EXPECT_EQ(report.at("exit"), 4);
  EXPECT_NE(told("plugins check " + needy)
                .find("; the plugin could not be created, so its functions were not checked\nexit 4"),
            std::string::npos);
  EXPECT_EQ(checked(needy + " --set max_tokens=400 --set cache=100").at("exit"), 0);
}

TEST_F(PluginsCheck, RefusesMistakesOnTheCommandLine) {
  EXPECT_EQ(told("plugins check nowhere.so"),
            "compeer: error: nowhere.so: does not exist\n  help: run 'compeer plugins list -v' to see the paths of "
            "libraries\nexit 2");
  const auto text = told("plugins check " + unruly + " --set akt=1");
  EXPECT_TRUE(text.starts_with("compeer: error: --set: unknown key 'akt'\n  help: did you mean 'act'?")) << text;
  EXPECT_TRUE(text.ends_with("exit 3")) << text;
  EXPECT_TRUE(told("plugins check " + unruly + " --dataset nowhere").ends_with("exit 3"));
}

// Plugins that change state of the whole process. The check finds each change; for state that a run compares after
// every call, the run also names the plugin.

class Surroundings : public Checked {
 protected:
  std::string found(const std::string& act) {
    return failing(checked(fixtures + "/broken/rewards/intruder.so --set 'act=\"" + act + "\"'"));
  }
};

TEST_F(Surroundings, AreLeftAsTheyWere) { EXPECT_EQ(found("well"), ""); }

TEST_F(Surroundings, AreFoundChanged) {
  for (const auto& [act, what] : {std::pair{"mask", "the umask"},
                                  {"clear", "the environment"},
                                  {"write nothing", "the process limits"},
                                  {"hear nothing", "signal handlers"}})
    EXPECT_EQ(found(act), std::string("process: it leaves ") + what + " changed\n") << act;
}

TEST_F(Surroundings, AreFoundChangedByACall) {
  for (const auto& [act, what] : {std::pair{"move", "the current folder"},
                                  {"comma", "the locale"},
                                  {"round up", "the rounding mode"},
                                  {"flush", "the treatment of denormal numbers"}})
    EXPECT_EQ(found(act),
              std::string("making: left ") + what +
                  " changed (other code relies on it: restore it before the call returns, also after an exception)\n")
        << act;
}

TEST_F(Surroundings, HaveNoMoreProcessesThanBefore) {
  EXPECT_EQ(found("fork"), "process: it forked and returned in both processes, so that two continued the same work\n");
  EXPECT_EQ(found("leave a process"), "process: it left 1 process running\n");
}

TEST_F(Surroundings, AreNotFilledWithOutput) {
  EXPECT_EQ(found("flood"),
            "inputs: wrote more than 64 MiB into a file, most recently in score() with ordinary completions\n");
}

TEST_F(Surroundings, IncludeWhatARewardIsGiven) {
  for (const auto& [act, what] :
       {std::pair{"write into texts", "modified the completions"}, {"write into the example", "changed its arguments"}})
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
}  // namespace compeer::conformance
