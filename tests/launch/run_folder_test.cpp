#include "launch/run_folder.h"

#include <unistd.h>

#include <algorithm>

#include "base/hash.h"
#include "launching.h"
#include "record/checkpoint.h"
#include "spec/history.h"
#include "spec/paths.h"
#include "spec/text.h"

namespace compeer::launch {
namespace {

const plugin::Finder known({"/plugins"});  // the folder of the fake catalog's plugins

Launched resumed(const LaunchOptions& options, const std::vector<spec::Change>& changes = {}) {
  return resume("results/x", options, known, changes);
}

class RunFolders : public Launching {};

TEST_F(RunFolders, RunsTheWorkerInAFolderOfItsOwn) {
  worker("[ -f \"$run/spec.json\" ] && echo threads $OMP_NUM_THREADS && finish");
  const auto spec = make_spec("threads = 3");
  const auto done = one(spec);
  EXPECT_EQ(failure(done), "none");
  EXPECT_EQ(done.folder, "results/x");
  EXPECT_FALSE(done.reused);
  EXPECT_EQ(done.summary.metrics.at("reward").mean, 1.5);
  EXPECT_EQ(read("results/x/log.txt"), "called with results/x\nthreads 3\n");
  EXPECT_EQ(read("results/x/spec.json"), spec.file_text());
}

TEST_F(RunFolders, ReadsBackWhatHasFinished) {
  worker("finish");
  one(make_spec());
  worker("exit 1");
  const auto again = one(make_spec());
  EXPECT_TRUE(again.reused);
  EXPECT_EQ(again.summary.metrics.at("reward").n, 8u);
}

TEST_F(RunFolders, RepeatsIfToldToAndKeepsWhatWasThere) {
  worker("echo first; finish");
  one(make_spec());
  write("results/x/checkpoints/step-000008/state.json", "{}");
  worker("[ -e \"$run/checkpoints\" ] || finish");
  auto options = quiet();
  options.fresh = true;
  testing::internal::CaptureStderr();
  const auto again = one(make_spec(), options);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "compeer: note: results/x was renamed to results/x~1\n");
  EXPECT_FALSE(again.reused);
  EXPECT_EQ(again.folder, "results/x");
  EXPECT_EQ(read("results/x/log.txt"), "called with results/x\n");
  EXPECT_EQ(read("results/x~1/log.txt"), "called with results/x\nfirst\n");
  EXPECT_EQ(read("results/x~1/checkpoints/step-000008/state.json"), "{}");
  EXPECT_TRUE(fs::exists("results/x~1/summary.json"));
  one(make_spec(), options);
  EXPECT_TRUE(fs::exists("results/x~2/summary.json"));
  EXPECT_TRUE(one(make_spec()).reused);
}

TEST_F(RunFolders, SetsNothingAsideOfARunThatWasNotBegun) {
  worker("finish");
  auto options = quiet();
  options.fresh = true;
  one(make_spec(), options);
  EXPECT_FALSE(fs::exists("results/x~1"));
}

TEST_F(RunFolders, GoesOnFromACheckpointAndElseStartsAgain) {
  worker("mkdir -p \"$run/rollouts\"; touch \"$run/run.h5\"; exit 1");
  one(make_spec());
  worker(
      "[ -e \"$run/rollouts\" ] || [ -e \"$run/run.h5\" ] || mkdir -p \"$run/checkpoints/step-000004\"; touch "
      "\"$run/run.h5\"; status running 4; exit 1");
  one(make_spec());
  worker("cp \"$run/status.json\" earlier.json; [ -e \"$run/run.h5\" ] && finish");
  EXPECT_EQ(failure(one(make_spec())), "none");
  EXPECT_EQ(read("results/x/log.txt"),
            "called with results/x\ncalled with results/x\ncalled with results/x --resume\n");
  // When the worker is resumed, status.json has only the elapsed time of the earlier part.
  EXPECT_NE(read("earlier.json").find(R"("elapsed":1.0)"), std::string::npos) << read("earlier.json");
  EXPECT_NE(read("earlier.json").find(R"("state":"starting","step":0)"), std::string::npos) << read("earlier.json");
}

TEST_F(RunFolders, LeavesTheFolderOfAnotherSpecAlone) {
  worker("finish");
  one(make_spec());
  const auto other = make_spec("seed = 2");
  const auto done = one(other);
  EXPECT_EQ(done.folder, "results/x-" + other.sha256().substr(0, 8));
  EXPECT_FALSE(done.reused);
  EXPECT_TRUE(one(make_spec()).reused);
  EXPECT_TRUE(one(other).reused);
  write("results/mine/notes.txt", "important");
  EXPECT_EQ(one(make_spec("", "mine")).folder.string().substr(0, 13), "results/mine-");
  EXPECT_EQ(read("results/mine/notes.txt"), "important");
}

TEST_F(RunFolders, SaysWhyARunHasNotTheFolderOfItsName) {
  worker("finish");
  one(make_spec());
  write("results/mine/notes.txt", "important");
  const auto told = [&](const spec::Spec& spec) {
    testing::internal::CaptureStderr();
    one(spec);
    return testing::internal::GetCapturedStderr();
  };
  const auto other = make_spec("seed = 2\nthreads = 3"), mine = make_spec("", "mine");
  EXPECT_EQ(told(other),
            "compeer: note: results/x belongs to another run (with seed = 1, threads = 1); this one is results/x-" +
                other.sha256().substr(0, 8) + "\n");
  EXPECT_EQ(told(mine), "compeer: note: results/mine exists and is not this run; this one is results/mine-" +
                            mine.sha256().substr(0, 8) + "\n");
  EXPECT_EQ(told(mine), "") << "it is read back";
  const auto longer = make_spec("[grpo]\nsteps = 200");
  EXPECT_EQ(told(longer),
            "compeer: note: results/x is the same run with 100 steps; to continue it: compeer resume results/x --set "
            "grpo.steps=200; this one is results/x-" +
                longer.sha256().substr(0, 8) + "\n");
}

TEST_F(RunFolders, TakesTheNameOfARunThatFailedBeforeItDidAnything) {
  worker(R"(echo '{"what":"no split","exit":4}' > "$run/error.json"; exit 4)");
  EXPECT_TRUE(one(make_spec()).error);
  worker("finish");
  const auto corrected = make_spec("seed = 2");
  EXPECT_EQ(one(corrected).folder, "results/x");
  EXPECT_FALSE(std::filesystem::exists("results/x/error.json"));
  EXPECT_TRUE(one(corrected).reused);

  worker(R"(echo '{"what":"full","exit":4}' > "$run/error.json"; touch "$run/run.h5"; exit 4)");
  EXPECT_TRUE(one(make_spec("", "y")).error);
  EXPECT_EQ(one(make_spec("seed = 2", "y")).folder.string().substr(0, 10), "results/y-");
}

TEST_F(RunFolders, RefusesARunThatIsInProgress) {
  const auto held = RunFolder::claim(make_spec(), "results");
  EXPECT_EQ(failure(one(make_spec())), "results/x: this run is in progress in process " + std::to_string(::getpid()) +
                                           "|wait until it exits, or stop it|1");
}

TEST_F(RunFolders, ResumesAFolder) {
  worker("mkdir -p \"$run/checkpoints/step-000004\"; exit 1");
  one(make_spec());
  worker("[ \"$2\" = --resume ] && finish");
  EXPECT_FALSE(resumed(quiet()).reused);
  EXPECT_TRUE(resumed(quiet()).reused);
  EXPECT_EQ(
      ended([&] { resume("results/y", quiet(), known); }),
      "results/y: is not a run: it contains no spec.json|name the folder of a run: compeer resume results/NAME|2");
}

TEST_F(RunFolders, ResumesNoPluginFromWhereNoneAreLookedFor) {
  worker("mkdir -p \"$run/checkpoints/step-000004\"; exit 1");
  one(make_spec());
  worker("touch loaded; finish");
  const auto said = ended([&] { resume("results/x", quiet(), plugin::Finder({"/usr/lib/compeer/plugins"})); });
  EXPECT_EQ(said,
            "results/x: would load /plugins/models/qwen2.so, which is not in a folder of the plugin search path|"
            "plugins can run any code. If you trust this file, use compeer resume results/x --plugin-dir /plugins|5");
  EXPECT_FALSE(fs::exists("loaded"));
}

TEST_F(RunFolders, WritesThroughNoLinkOfARunsFolder) {
  worker("mkdir -p \"$run/checkpoints/step-000004\"; exit 1");
  one(make_spec());
  worker("echo evil; finish");
  std::ofstream("mine") << "dear to me";
  for (const char* name : {"log.txt", ".lock", "run.h5", "checkpoints/step-000004/state.json"}) {
    const auto place = fs::path("results/x") / name;
    fs::remove(place);
    fs::create_symlink(fs::absolute("mine"), place);
    for (const auto& failed : {failure(one(make_spec())), failure(resumed(quiet()))})
      EXPECT_EQ(failed.substr(0, failed.find(": ")), place.string()) << failed;
    EXPECT_EQ(read("mine"), "dear to me") << name;
    fs::remove(place);
  }
}

TEST_F(RunFolders, WritesIntoNoFileOfTwoNames) {
  worker("mkdir -p \"$run/checkpoints/step-000004\" \"$run/rollouts\" \"$run/asked\"; exit 1");
  one(make_spec());
  worker("echo evil; finish");
  std::ofstream("mine") << "dear to me";
  for (const char* name : {"log.txt", "run.h5", "rollouts/rank-0.h5.part", "asked/rank-0.jsonl"}) {
    const auto place = fs::path("results/x") / name;
    fs::remove(place);
    fs::create_hard_link("mine", place);
    for (const auto& failed : {failure(one(make_spec())), failure(resume("results/x", quiet(), known))}) {
      EXPECT_EQ(failed.substr(0, failed.find(", and")), place.string() + ": has a second hard link elsewhere");
    }
    EXPECT_EQ(read("mine"), "dear to me") << name;
    fs::remove(place);
  }
  fs::remove("results/x/.lock");
  fs::create_hard_link("mine", "results/x/.lock");
  EXPECT_EQ(failure(resume("results/x", quiet(), known)), "none");
  EXPECT_EQ(read("mine"), "dear to me");
}

TEST_F(RunFolders, RemarksOnPluginsThatHaveChanged) {
  worker("finish");
  one(make_spec());
  auto spec = make_spec();
  spec.plugins.at(0).sha256 = std::string(64, '1');
  testing::internal::CaptureStderr();
  EXPECT_TRUE(one(spec).reused);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "compeer: note: results/x: the finished run used another build of the plugin models/qwen2; "
            "use --fresh to start over\n");
}

TEST_F(RunFolders, GoesOnWithAnotherBuildOfAPluginOnlyIfToldTo) {
  worker("mkdir -p \"$run/checkpoints/step-000004\"; exit 1");
  auto spec = make_spec();
  one(spec);
  record::CheckpointWriter("results/x", 4).commit(nlohmann::json::object());
  const auto old = spec.plugins.at(0).sha256;
  spec.plugins.at(0).sha256 = std::string(64, '1');
  EXPECT_EQ(failure(one(spec)),
            "results/x: was started with another build of plugin models/qwen2 (SHA-256 0000000000000000... then, "
            "1111111111111111... now)|restore the old library, or add --changed to continue with the new one and "
            "record the change, or start over: compeer run FILE --fresh|5");
  EXPECT_EQ(read("results/x/spec.json"), make_spec().file_text()) << "nothing was touched";
  auto allowed = quiet();
  allowed.allow_changed = true;
  worker("exit 1");
  one(spec, allowed);
  worker("finish");
  EXPECT_EQ(failure(one(spec)), "none") << "it is recorded by now";
  const auto history = spec::Spec::from_file_text(read("results/x/spec.json")).history;
  ASSERT_EQ(history.size(), 1u);
  EXPECT_EQ(history[0], (spec::json{{"step", 4},
                                    {"what", "plugin models/qwen2"},
                                    {"before", old},
                                    {"after", std::string(64, '1')},
                                    {"spec_before", spec.sha256()},
                                    {"spec_after", spec.sha256()}}));
}

TEST_F(RunFolders, ResumesWithOtherInputsOnlyIfToldTo) {
  std::ofstream("base") << "old";
  auto spec = make_spec();
  spec.values["model"]["path"] = "base";
  spec.values["inputs"] = {{"model.path", spec::pin("base")}};
  const auto before = spec.values["inputs"]["model.path"].get<std::string>(), hash = spec.sha256();
  worker("mkdir -p \"$run/checkpoints/step-000004\"; exit 1");
  one(spec);
  record::CheckpointWriter("results/x", 4).commit(nlohmann::json::object());
  std::ofstream("base") << "new";
  worker("finish");
  EXPECT_EQ(failure(resumed(quiet())),
            "results/x: was started with different contents of model.path|restore the old contents, or add --changed "
            "to continue with the new ones and record the change, or start a new run: compeer run results/x --set "
            "name=NAME|4");
  fs::remove("base");
  EXPECT_EQ(failure(resumed(quiet(), {{"grpo.steps", 200, "--set"}})),
            "default: 'model.path': the file or folder \"base\" no longer exists|restore it, or resume from the folder "
            "in which the run was started|4");
  EXPECT_EQ(read("results/x/spec.json"), spec.file_text()) << "nothing was touched";
  std::ofstream("base") << "new";
  auto allowed = quiet();
  allowed.allow_changed = true;
  EXPECT_EQ(failure(resumed(allowed)), "none");
  const auto now = spec::Spec::from_file_text(read("results/x/spec.json"));
  EXPECT_EQ(now.values["inputs"]["model.path"], spec::pin("base"));
  ASSERT_EQ(now.history.size(), 1u);
  EXPECT_EQ(spec::change_text(now.history[0]), "after step 4 the contents of model.path were replaced by others (pin " +
                                                   before.substr(0, 16) + "... before, " +
                                                   spec::pin("base").substr(0, 16) + "... after)");
  EXPECT_EQ(now.history[0].at("spec_before"), hash);
}

TEST_F(RunFolders, StartsOverWithAnotherBuildWhereNothingWasDone) {
  worker("exit 1");
  auto spec = make_spec();
  one(spec);
  spec.plugins.at(0).sha256 = std::string(64, '1');
  worker("finish");
  EXPECT_EQ(failure(one(spec)), "none");
  EXPECT_EQ(read("results/x/spec.json"), spec.file_text());
}

TEST_F(RunFolders, GivesAFinishedRunMoreSteps) {
  worker("finish");
  one(make_spec("[grpo]\nsteps = 8"));
  const std::vector<spec::Change> longer{{"grpo.steps", 16, "--set"}};
  EXPECT_EQ(ended([&] { resumed(quiet(), longer); }),
            "results/x: has no intact checkpoint, so it can't be continued|start a new run of that "
            "length: compeer run RUN_DIR --set KEY=VALUE --set name=NAME|4");
  EXPECT_TRUE(one(make_spec("[grpo]\nsteps = 8")).reused) << "it is as it was";
  record::CheckpointWriter("results/x", 8).commit(nlohmann::json::object());
  worker("[ -e \"$run/summary.json\" ] && exit 1; kill -9 $$");
  EXPECT_TRUE(resumed(quiet(), longer).error);
  worker("[ \"$2\" = --resume ] && finish");
  EXPECT_FALSE(resumed(quiet(), longer).reused) << "the same command goes on";
  EXPECT_TRUE(resumed(quiet(), longer).reused);
  EXPECT_TRUE(one(make_spec("[grpo]\nsteps = 16")).reused) << "it is the run of that length";
  EXPECT_EQ(spec::Spec::from_file_text(read("results/x/spec.json")).history.size(), 1u);
  EXPECT_EQ(ended([&] {
              resumed(quiet(), {{"grpo.lr", 1, "--set"}});
            }),
            "--set: 'grpo.lr' can't be changed in a run that has started|increase 'grpo.steps'; for other changes "
            "start a new run: compeer run RUN_DIR --set KEY=VALUE --set name=NAME|3");
}

// The version before had other names of settings, so its specs had another hash.
TEST_F(RunFolders, ReadsBackAndContinuesARunOfTheVersionBefore) {
  worker("finish");
  const auto spec = make_spec("[grpo]\ngroups_per_reduction = 2");
  one(spec);
  auto file = spec::json::parse(read("results/x/spec.json"));
  auto& grpo = file["spec"]["grpo"];
  grpo["together"] = grpo["groups_per_reduction"];
  grpo.erase("groups_per_reduction");
  file["sha256"] = sha256(spec::canonical_json(file["spec"]));
  write("results/x/spec.json", file.dump());
  EXPECT_TRUE(one(spec).reused);
  EXPECT_EQ(read("results/x/spec.json"), file.dump()) << "it is only read";
  record::CheckpointWriter("results/x", 8).commit(nlohmann::json::object());
  worker("[ \"$2\" = --resume ] && finish");
  EXPECT_EQ(failure(resumed(quiet(), {{"grpo.steps", 200, "--set"}})), "none");
  const auto now = spec::json::parse(read("results/x/spec.json"));
  EXPECT_EQ(now["spec"]["grpo"]["groups_per_reduction"], 2);
  EXPECT_TRUE(spec::is_spec_of_run(now, file["sha256"])) << "run.h5 has this hash";
}

TEST_F(RunFolders, LooksWithoutMakingAnything) {
  EXPECT_EQ(RunFolder::look(make_spec(), "results"), std::pair(fs::path("results/x"), RunFolder::State::fresh));
  EXPECT_FALSE(fs::exists("results"));
}

}  // namespace
}  // namespace compeer::launch
