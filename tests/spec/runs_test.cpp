// Runs as values of settings: the resulting paths, the runs that are found, and the order in which missing runs are
// made.
#include "spec/runs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/disk.h"
#include "fake_catalog.h"

namespace compeer::spec {
namespace {

namespace fs = std::filesystem;

FakeCatalog catalog_with_stages() {
  FakeCatalog catalog;
  catalog.add("stages", "sample", "{}");
  catalog.add("stages", "split", "{}");
  catalog.add("datasets", "cer",
              R"({"path": {"type": "path"}, "more": {"type": "list", "items": "path", "default": []}})");
  catalog.add("rewards", "judge", R"({
    "model": {"type": "path"},
    "accuracy": {"type": "path", "default": null, "run_folder": true}})");
  return catalog;
}

// Makes a temporary folder the working directory, with experiments that read each other's output: base -> sft -> ur;
// records -> sft.
class Runs : public testing::Test {
 protected:
  Runs() : before_(fs::current_path()) {
    fs::current_path(scratch_.folder());
    ::unsetenv("COMPEER_HOME");
    write("experiments/base.toml", experiment("base", "sft", "esc_world"));
    write("experiments/my_records.toml",
          "name = \"my-records\"\ntask = \"data\"\n[dataset]\nplugin = \"esc_world\"\n"
          "[[stages]]\nplugin = \"sample\"\n[[stages]]\nplugin = \"split\"\nlabel = \"parts\"\n");
    write("experiments/second.toml", experiment("sft", "sft", "cer\"\npath = { run = \"my-records\" }\n#") +
                                         "[model]\npath = { run = \"base\" }\n");
    write("experiments/ur.toml", experiment("ur", "grpo", "esc_world") + "[model]\npath = { run = \"sft\" }\n" +
                                     "[[rewards]]\nplugin = \"judge\"\nmodel = { run = \"base\" }\n");
  }
  ~Runs() override { fs::current_path(before_); }

  static std::string experiment(const std::string& name, const std::string& task, const std::string& dataset) {
    return "name = \"" + name + "\"\ntask = \"" + task + "\"\n[dataset]\nplugin = \"" + dataset + "\"\n";
  }
  static void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  static Spec resolved(const std::string& text, const RunPlaces& places = {}) {
    return resolve(parse_toml(text, "experiments/x.toml"), catalog_with_stages(), places);
  }
  static std::string with_model(const std::string& path) {
    return experiment("x", "sft", "esc_world") + "[model]\npath = " + path + "\n";
  }
  static std::string refused(const std::string& path) {
    return complaint([&] { resolved(with_model(path)); });
  }
  // Makes the folder of a finished run.
  static void finish(const std::string& name, const std::string& text) {
    write("results/" + name + "/spec.json", resolved(text).file_text());
    write("results/" + name + "/summary.json", "{}");
  }

  // Returns the runs that must be made for an experiment, each with the reason. `folder`: where the runs are.
  std::vector<std::string> made_for(const std::string& file, const std::string& folder = "results") {
    std::vector<std::string> lines;
    const auto make = [&](const Spec& run, const std::string& why) {
      const auto name = run.values.at("name").get<std::string>();
      lines.push_back(name + ": " + why);
      return RunInput{name, fs::path(folder) / name, run.values, {}, true};
    };
    last_ =
        resolve_after_inputs(load_toml(file), catalog_with_stages(), {}, make, [](const std::string&) { return true; });
    return lines;
  }

  Spec last_;

 private:
  const Scratch scratch_;
  fs::path before_;
};

TEST_F(Runs, BecomeThePathsThatWouldBeWrittenByHand) {
  EXPECT_EQ(resolved(with_model("{ run = \"sft\" }")).sha256(),
            resolved(with_model("\"results/sft/checkpoints/last\"")).sha256());
  const auto records = [](const std::string& path) {
    return experiment("x", "sft", "cer") + "path = " + path + "\nmore = [\"a\", " + path + "]\n";
  };
  EXPECT_EQ(resolved(records("{ run = \"my-records\" }")).sha256(),
            resolved(records("\"results/my-records/stages/02-parts.jsonl\"")).sha256());
  const auto judged = [](const std::string& model, const std::string& accuracy) {
    return experiment("x", "grpo", "esc_world") + "[[rewards]]\nplugin = \"judge\"\nmodel = " + model +
           "\naccuracy = " + accuracy + "\n";
  };
  EXPECT_EQ(resolved(judged("{ run = \"base\" }", "{ run = \"my-records\" }")).sha256(),
            resolved(judged("\"results/base/checkpoints/last\"", "\"results/my-records\"")).sha256());
}

TEST_F(Runs, StandForTheBestCheckpointWhereItIsKept) {
  write("experiments/kept.toml", experiment("kept", "sft", "esc_world") + "[validation]\nevery = 2\n");
  EXPECT_EQ(resolved(with_model("{ run = \"kept\" }")).values.at("model").at("path"), "results/kept/checkpoints/best");
  write("experiments/kept.toml", experiment("kept", "sft", "esc_world") + "[validation]\nevery = 2\nkeep = \"last\"\n");
  EXPECT_EQ(resolved(with_model("{ run = \"kept\" }")).values.at("model").at("path"), "results/kept/checkpoints/last");
}

TEST_F(Runs, AreLookedForAmongFinishedRunsFirst) {
  finish("base",
         "name = \"base\"\ntask = \"data\"\n[dataset]\nplugin = \"esc_world\"\n[[stages]]\nplugin = \"split\"\n");
  const auto spec = resolved(with_model("{ run = \"base\" }"));
  EXPECT_EQ(spec.values.at("model").at("path"), "results/base/stages/01-split.jsonl");
  EXPECT_TRUE(spec.runs.at("model.path").finished);
  fs::remove("results/base/summary.json");
  const auto begun = resolved(with_model("{ run = \"base\" }")).runs.at("model.path");
  EXPECT_EQ(begun.file, "experiments/base.toml");
  fs::remove("experiments/base.toml");
  EXPECT_EQ(resolved(with_model("{ run = \"base\" }")).runs.at("model.path").file, "results/base/spec.json");
  EXPECT_EQ(resolved(with_model("{ run = \"sft\" }"), {"elsewhere"}).values.at("model").at("path"),
            "elsewhere/sft/checkpoints/last");
}

TEST_F(Runs, ThatCantBeFoundAreRefusedWithTheNearestName) {
  EXPECT_EQ(
      refused("{ run = \"my-recods\" }"),
      "experiments/x.toml:6|'model.path' names the run 'my-recods': there is no such run or experiment in results, "
      "experiments/*.toml|did you mean 'my-records'?|3");
  finish("another", experiment("another", "sft", "esc_world"));
  EXPECT_EQ(refused("{ run = \"anoter\" }"),
            "experiments/x.toml:6|'model.path' names the run 'anoter': there is no such run or experiment in results, "
            "experiments/*.toml|did you mean 'another'?|3");
  EXPECT_EQ(
      refused("{ run = \"zzzzzzzzzz\" }"),
      "experiments/x.toml:6|'model.path' names the run 'zzzzzzzzzz': there is no such run or experiment in results, "
      "experiments/*.toml|name an existing run or experiment, or write the path|3");
}

TEST_F(Runs, AreNotChosenBetweenFilesWithOneName) {
  write("experiments/a_copy.toml", experiment("base", "grpo", "esc_world"));
  EXPECT_EQ(refused("{ run = \"base\" }"),
            "experiments/x.toml:6|'model.path' names the run 'base': experiments/a_copy.toml and experiments/base.toml "
            "both have this name|give one of them another 'name'|3");
}

TEST_F(Runs, WhoseFileIsInvalidAreRefusedWithItsMistake) {
  write("experiments/third.toml", "name = \"third\"\ntask = sft\n");
  EXPECT_TRUE(starts(refused("{ run = \"third\" }"),
                     "experiments/x.toml:6|'model.path' names the run 'third': experiments/third.toml:2: "));
  fs::rename("experiments/third.toml", "experiments/drei.toml");
  EXPECT_TRUE(starts(refused("{ run = \"third\" }"),
                     "experiments/x.toml:6|'model.path' names the run 'third': there is no such run or experiment in "
                     "results, experiments/*.toml|correct experiments/drei.toml:2: "));
}

TEST_F(Runs, ThatDifferFromTheirFileAreReadWithANote) {
  std::vector<std::string> notes;
  const auto note = [&](const std::string& text) { notes.push_back(text); };
  const auto resolve_second = [&] {
    resolve_after_inputs(
        load_toml("experiments/second.toml"), catalog_with_stages(), {"results", nullptr, note},
        [](const Spec& run, const std::string&) {
          return RunInput{run.values.at("name"), "results/made", run.values, {}, true};
        },
        [](const std::string&) { return true; });
  };
  finish("base", experiment("base", "sft", "esc_world"));
  resolve_second();
  EXPECT_EQ(notes, std::vector<std::string>{});
  write("experiments/base.toml", "seed = 7\n" + experiment("base", "sft", "esc_world") + "[sft]\nlr = 0.125\n");
  resolve_second();
  EXPECT_EQ(notes, std::vector<std::string>{"'model.path' reads results/base, which was run with other settings than "
                                            "experiments/base.toml has now: seed, sft.lr"});
}

TEST_F(Runs, ThatNoSettingCanMeanAreRefused) {
  EXPECT_EQ(refused("{ run = \"results/sft\" }"),
            "experiments/x.toml:6|'model.path' names the run 'results/sft': not a valid name of a run|use letters, "
            "digits, '.', '_' and '-'; write a path as a string, without { run = ... }|3");
  EXPECT_EQ(refused("{ run = \"sft\", stage = \"a\" }"),
            "experiments/x.toml:6|'model.path' must be a path (a string or { run = \"NAME\" }), not the table "
            "{\"run\":\"sft\",\"stage\":\"a\"}|the output of a run is { run = \"NAME\" }, without other keys|3");
  write("experiments/tried.toml", experiment("tried", "evaluate", "esc_world"));
  EXPECT_EQ(refused("{ run = \"tried\" }"),
            "experiments/x.toml:6|'model.path' names the run 'tried': its task is \"evaluate\", which writes no model "
            "and no records|name a run that trains a model or produces records|3");
  write("results/broken/spec.json", "{");
  EXPECT_TRUE(starts(refused("{ run = \"broken\" }"),
                     "experiments/x.toml:6|'model.path' names the run 'broken': results/broken/spec.json: "));
}

TEST_F(Runs, AreMadeInOrderOfNeedEachOnce) {
  EXPECT_EQ(made_for("experiments/ur.toml"),
            (std::vector<std::string>{"my-records: sft (dataset.path) needs my-records",
                                      "base: sft (model.path) needs base", "sft: ur (model.path) needs sft"}));
  EXPECT_EQ(last_.values.at("rewards").at(0).at("model"), "results/base/checkpoints/last");
  finish("sft", experiment("sft", "sft", "esc_world"));
  EXPECT_EQ(made_for("experiments/ur.toml"), std::vector<std::string>{"base: ur (rewards[0].model) needs base"});
}

TEST_F(Runs, AreReadWhereTheyWereMade) {
  made_for("experiments/ur.toml", "results/2");
  EXPECT_EQ(last_.values.at("model").at("path"), "results/2/sft/checkpoints/last");
  EXPECT_EQ(last_.values.at("rewards").at(0).at("model"), "results/2/base/checkpoints/last");
}

TEST_F(Runs, ThatNeedEachOtherAreRefused) {
  write("experiments/base.toml", experiment("base", "sft", "esc_world") + "[model]\npath = { run = \"ur\" }\n");
  EXPECT_EQ(complaint([&] { made_for("experiments/ur.toml"); }),
            "experiments/base.toml:6|'model.path': these runs need each other: ur -> sft -> base -> ur|change one of "
            "them to name another run, or the path of existing models or records|3");
}

TEST_F(Runs, ThatMissAFileAreRefusedWithItsOrigin) {
  write("experiments/base.toml", experiment("base", "sft", "esc_world") + "[model]\npath = \"gone\"\n");
  const auto make = [](const Spec& run, const std::string&) {
    return RunInput{run.values.at("name"), "results/y", run.values, {}, true};
  };
  const auto planned = [](const std::string& path) { return path != "gone"; };
  const auto text = complaint(
      [&] { resolve_after_inputs(load_toml("experiments/second.toml"), catalog_with_stages(), {}, make, planned); });
  EXPECT_TRUE(starts(text, "experiments/base.toml:6|'model.path': there is no file or folder \"gone\"|"));
}

TEST_F(Runs, ReplaceWhateverStoodThereAndMayBeReplaced) {
  const auto base = parse_toml(with_model("\"models/a\""), "experiments/x.toml");
  const auto named = with(base, {parse_set("model.path={ run = \"sft\" }")});
  EXPECT_EQ(named.values.at("model").at("path"), json({{"run", "sft"}}));
  EXPECT_EQ(resolve(named, catalog_with_stages()).origins.at("model.path"), "--set");
  EXPECT_EQ(with(named, {parse_set("model.path={ rum = \"sft\" }")}).values.at("model").at("path"),
            json({{"rum", "sft"}}));
  EXPECT_EQ(
      complaint([&] { resolve(with(named, {parse_set("model.path={ run = 3 }")}), catalog_with_stages()); }),
      "--set|'model.path' must be a path (a string or { run = \"NAME\" }), not the table {\"run\":3}|the output of a "
      "run is { run = \"NAME\" }, without other keys|3");
  EXPECT_EQ(with(named, {{"model.path", "models/b", "--set"}}).values.at("model").at("path"), "models/b");
  EXPECT_EQ(merge(base, parse_toml("[model]\npath = { run = \"base\" }\n", "y.toml")).values.at("model").at("path"),
            json({{"run", "base"}}));
}

}  // namespace
}  // namespace compeer::spec
