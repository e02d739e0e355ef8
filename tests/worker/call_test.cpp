// The worker's command line, and its messages about runs that it can't start.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>

#include "job.h"

namespace compeer::test {
namespace {

nlohmann::json honest() { return {{"format", 1}, {"spec", {{"ranks", 1}}}, {"stub", {{"fault", "none"}}}}; }

// Runs the worker without a launcher, with `more` arguments after the run folder; returns its exit code and output.
std::pair<int, std::string> call(const std::vector<std::string>& more, const nlohmann::json& spec_file = honest()) {
  Job job(WORKER_STUB, spec_file, 0, more);
  const int exit = job.wait();
  return {exit, job.output()};
}

// Runs the worker in an arbitrary folder.
std::pair<int, std::string> call_in(const std::string& folder) {
  FILE* said = ::popen((WORKER_STUB " " + folder + " 2>&1").c_str(), "r");
  std::string text(1 << 12, ' ');
  text.resize(std::fread(text.data(), 1, text.size(), said));
  const int status = ::pclose(said);
  return {WEXITSTATUS(status), text};
}

TEST(WorkerCall, SaysWhatItIs) {
  const auto [exit, text] = call({"--version"});
  EXPECT_EQ(exit, 0);
  EXPECT_EQ(text.rfind("compeer-worker ", 0), 0u) << text;
  EXPECT_NE(call({"--help"}).second.find("Exit codes: 0 done"), std::string::npos);
}

TEST(WorkerCall, RefusesUnknownOptionsWithTheNearestOne) {
  const auto [exit, text] = call({"--resum"});
  EXPECT_EQ(exit, 2);
  EXPECT_EQ(text,
            "compeer-worker: unknown option '--resum'\n"
            "  help: did you mean '--resume'? known: --resume, --fresh, --version, --help\n");
}

TEST(WorkerCall, RefusesTwoRunFolders) {
  const auto [exit, text] = call({"another"});
  EXPECT_EQ(exit, 2);
  EXPECT_NE(text.find("more than one run folder"), std::string::npos) << text;
}

TEST(WorkerCall, RefusesToGoOnAndToBeginAnewAtOnce) {
  const auto [exit, text] = call({"--resume", "--fresh"});
  EXPECT_EQ(exit, 2);
  EXPECT_NE(text.find("both --resume and --fresh are given"), std::string::npos) << text;
}

TEST(WorkerCall, NamesAMissingSpec) {
  const auto [exit, text] = call({}, nullptr);
  EXPECT_EQ(exit, 4);
  EXPECT_NE(text.find(": is not a run: it has no spec.json\n  help: create the folder and start its workers with: "
                      "compeer run FILE"),
            std::string::npos)
      << text;
}

TEST(WorkerCall, NamesAFolderThatIsNoRun) {
  for (const std::string folder : {"/nowhere/at/all", WORKER_STUB}) {
    const auto [exit, text] = call_in(folder);
    EXPECT_EQ(exit, 4);
    EXPECT_NE(text.find(folder + ": is not a run: it has no spec.json\n  help: "), std::string::npos) << text;
  }
}

TEST(WorkerCall, RefusesAFileThatIsNoSpec) {
  const auto [exit, text] = call({}, nlohmann::json::array());
  EXPECT_EQ(exit, 3);
  EXPECT_NE(text.find("spec.json: is not the spec.json of a run\n  help: create one with: compeer run FILE"),
            std::string::npos)
      << text;
}

TEST(WorkerCall, RefusesAFileThatNestsTooDeeply) {
  auto spec = honest();
  for (int i = 0; i < 300; ++i) spec["format"] = nlohmann::json::array({spec["format"]});
  const auto [exit, text] = call({}, spec);
  EXPECT_EQ(exit, 3);
  EXPECT_NE(text.find("spec.json: is not the spec.json of a run"), std::string::npos) << text;
}

TEST(WorkerCall, RefusesTheSpecOfAnotherVersion) {
  auto spec = honest();
  spec["format"] = 2;
  const auto [exit, text] = call({}, spec);
  EXPECT_EQ(exit, 3);
  EXPECT_NE(text.find("was written by another version of compeer"), std::string::npos) << text;
}

TEST(WorkerCall, RefusesASpecThatIsNotWhatWasWritten) {
  auto spec = honest();
  spec["sha256"] = std::string(64, '0');
  const auto [exit, text] = call({}, spec);
  EXPECT_EQ(exit, 3);
  EXPECT_NE(text.find("spec.json: its spec has the hash "), std::string::npos) << text;
  EXPECT_NE(text.find("it was changed after it was written"), std::string::npos) << text;
}

TEST(WorkerCall, NotesAPluginThatHasChangedAndOtherRanks) {
  auto spec = honest();
  spec["spec"]["ranks"] = 2;
  spec["plugins"] = {
      {{"kind", "rewards"}, {"name", "length"}, {"version", "1.0.0"}, {"path", WORKER_STUB}, {"sha256", "0"}}};
  const auto [exit, text] = call({}, spec);
  EXPECT_EQ(exit, 0);
  EXPECT_EQ(text,
            "compeer: note: plugin rewards/length has changed since the run was resolved\n"
            "compeer: note: the spec sets 2 ranks, but this run has 1\n");
}

TEST(WorkerCall, NamesAPluginThatIsGone) {
  auto spec = honest();
  spec["plugins"] = {
      {{"kind", "rewards"}, {"name", "length"}, {"version", "1.0.0"}, {"path", "/no/such/length.so"}, {"sha256", "0"}}};
  const auto [exit, text] = call({}, spec);
  EXPECT_EQ(exit, 5);
  EXPECT_NE(text.find("/no/such/length.so"), std::string::npos) << text;
}

}  // namespace
}  // namespace compeer::test
