#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/log/figures.h"
#include "app/log/log.h"
#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "launch/process.h"
#include "record/rollout_file.h"
#include "record/run_file.h"
#include "record/status.h"
#include "spec/text.h"

namespace compeer::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Two GRPO runs that differ in one setting, and two evaluations by stages.
class Export : public testing::Test {
 protected:
  Export() {
    std::string name = (fs::temp_directory_path() / "compeer-export-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    train("a", 0.5, {"step", "reward"});
    train("b", 0.25, {"step", "reward", "only,b"});
    evaluate("sage", 61.5);
    evaluate("sage-2", 70);
  }
  ~Export() override { fs::remove_all(root_); }

  // Writes spec.json and returns its text.
  std::string write_spec(const fs::path& folder, json spec) {
    fs::create_directories(folder);
    spec["name"] = folder.filename().string();
    const auto text = json{{"spec", spec}, {"sha256", sha256(spec::canonical_json(spec))}}.dump();
    write_file(folder / "spec.json", text);
    return text;
  }

  void train(const std::string& name, double alpha, const std::vector<std::string>& columns) {
    const auto folder = root_ / name;
    const auto spec = write_spec(folder, {{"task", "grpo"}, {"reweighting", {{"alpha", alpha}}}, {"seed", 1}});
    auto run = record::RunWriter::create(folder / "run.h5", spec, columns);
    record::RolloutWriter rollouts(folder / "rollouts", 0, {"reward", "advantage"});
    for (int step = 1; step <= 2; ++step) {
      std::vector<double> row = {double(step), step + alpha, std::nan("")};
      row.resize(columns.size());
      run.append(row);
      rollouts.append(completions(step));
    }
    run.finish("finished");
    rollouts.finish();
    record::write_status(folder, {"finished", 2, 2, "", {}, "", 1, 1});
    record::write_summary(folder, {"grpo", 2, {{"reward", {1.5 + alpha, 1, 3, 2}}}, {}});
  }

  static std::vector<record::RolloutRow> completions(int step) {
    std::vector<record::RolloutRow> rows(4);
    for (uint64_t i = 0; i < 4; ++i) {
      rows[i].step = static_cast<uint64_t>(step);
      rows[i].prompt = i / 2;
      rows[i].completion = i % 2;
      rows[i].example_id = "train/" + std::to_string(i / 2);
      rows[i].prompt_text = "How\nare you?";
      rows[i].prompt_tokens = {1, 2, 3};
      rows[i].text = i % 2 ? "Good." : "\x1b[1mBad.";
      rows[i].tokens = {5, 6};
      rows[i].logprobs = {-0.5, -1};
      rows[i].values = {static_cast<double>(i), std::nan("")};
      rows[i].finished = i % 2 == 1;
    }
    return rows;
  }

  void evaluate(const std::string& name, double emotion) {
    const auto folder = root_ / name;
    const auto spec = write_spec(folder, {{"task", "data"}, {"stages", {{{"plugin", "sage"}, {"label", nullptr}}}}});
    auto run = record::RunWriter::create(folder / "run.h5", spec, {"step", "in", "out", "dropped"});
    run.append(std::vector<double>{1, 9, 9, 0});
    run.append(std::vector<double>{2, 9, 8, 1});
    run.finish("finished");
    record::write_status(folder, {"finished", 2, 2, "", {}, "", 1, 1});
    record::Summary summary{"data", 2, {}, {}};
    summary.metrics["01-sage/n"] = {8, 8, 8, 1};
    summary.metrics["01-sage/mean_emotion/value"] = {emotion, emotion, emotion, 1};
    summary.metrics["01-sage/mean_emotion/low"] = {emotion - 2, emotion - 2, emotion - 2, 1};
    summary.metrics["01-sage/mean_emotion/high"] = {emotion + 2, emotion + 2, emotion + 2, 1};
    const json figure = {{"value", emotion}, {"low", emotion - 2}, {"high", emotion + 2}};
    const json findings = {{"n", 8}, {"mean_emotion", figure}, {"curves", {{"emotion", {{{"value", 40}}, figure}}}}};
    summary.details["stages"] = json::array();
    for (const auto& [stage, found] : {std::pair("00-dataset", json::object()), std::pair("01-sage", findings)})
      summary.details["stages"].push_back({{"stage", stage},
                                           {"in", 9},
                                           {"out", 8},
                                           {"dropped", json::object()},
                                           {"counts", json::object()},
                                           {"findings", found}});
    record::write_summary(folder, summary);
  }

  std::string path(const std::string& name) const { return (root_ / name).string(); }

  fs::path root_;
};

TEST_F(Export, SeveralRunsAreOneTable) {
  std::ostringstream out;
  EXPECT_EQ(log_export({{path("a"), path("b")}, "-"}, out), 0);
  EXPECT_EQ(out.str(), "run,step,reward,\"only,b\"\na,1,1.5,\na,2,2.5,\nb,1,1.25,\nb,2,2.25,\n");
}

TEST_F(Export, KeepsTextsFromBeingFormulas) {
  train("=b;c", -0.5, {"step", "reward", "-only", "@x\ty"});
  std::ostringstream out;
  EXPECT_EQ(log_export({{path("a"), path("=b;c")}, "-"}, out), 0);
  EXPECT_EQ(out.str(),
            "run,step,reward,'-only,\"'@x\ty\"\na,1,1.5,,\na,2,2.5,,\n"
            "\"'=b;c\",1,0.5,,0\n\"'=b;c\",2,1.5,,0\n");
  out.str("");
  record::write_summary(root_ / "a", {"grpo", 2, {{"+evil", {-1.5, -2, -1, 3}}}, {}});
  EXPECT_EQ(log_export({{path("a")}, "", "-"}, out), 0);
  EXPECT_EQ(out.str(), "run,metric,mean,low,high,n\na,'+evil,-1.5,,,3\n");
}

TEST_F(Export, RunsOfOneNameKeepApart) {
  fs::create_directories(root_ / "other");
  fs::copy(root_ / "a", root_ / "other/a", fs::copy_options::recursive);
  std::ostringstream out;
  log_export({{path("a"), path("other/a")}, "-"}, out);
  EXPECT_NE(out.str().find("\na-2,1,1.5\n"), std::string::npos) << out.str();
}

TEST_F(Export, FiguresHaveTheirIntervals) {
  std::ostringstream out;
  EXPECT_EQ(log_export({{path("a"), path("sage")}, "", "-"}, out), 0);
  EXPECT_EQ(out.str(),
            "run,metric,mean,low,high,n\n"
            "a,reward,2,,,2\n"
            "sage,01-sage/mean_emotion,61.5,59.5,63.5,\n"
            "sage,01-sage/n,8,,,1\n");
}

TEST_F(Export, NamesRunsWithoutFigures) {
  fs::remove(root_ / "a/summary.json");
  std::ostringstream out;
  testing::internal::CaptureStderr();  // including the child process that reads
  EXPECT_EQ(log_export({{path("a"), path("b")}, "", "-"}, out), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "a has no summary, so it has no figures\n");
  EXPECT_EQ(out.str(), "run,metric,mean,low,high,n\nb,reward,1.75,,,2\n");
}

TEST_F(Export, RefusesTwoThingsForOneOutput) {
  std::ostringstream out;
  EXPECT_THROW(log_export({{path("a")}, "-", "-"}, out), Error);
}

TEST_F(Export, RolloutsAreALineEach) {
  std::ostringstream out;
  EXPECT_EQ(log_export({.runs = {path("a")}, .rollouts = "-"}, out), 0);
  const auto text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 8);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            R"({"run":"a","step":1,"group":0,"index":0,"example":"train/0",)"
            R"("prompt":[{"role":"user","content":"How\nare you?"}],"completion":"\u001b[1mBad.","finished":false,)"
            R"("reward":0.0,"advantage":null})");
}

TEST_F(Export, RolloutsHaveMessagesTokensAndTheColumnsOfAllRuns) {
  const auto folder = root_ / "chat";
  write_spec(folder, {{"task", "grpo"}});
  auto run = record::RunWriter::create(folder / "run.h5", "{}", {"step"});
  run.finish("finished");
  record::RolloutWriter rollouts(folder / "rollouts", 0, {"reward", "rewards/x/score"});
  auto rows = completions(1);
  for (auto& row : rows) {
    row.prompt_text =
        "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\n你好<|im_end|>\n<|im_start|>assistant\n";
    row.text = "\xff";
    row.values = {1, 0.5};
  }
  rollouts.append(rows);
  rollouts.finish();
  std::ostringstream out;
  EXPECT_EQ(log_export({.runs = {path("a"), path("chat")}, .rollouts = path("out.jsonl"), .tokens = true}, out), 0);
  EXPECT_EQ(out.str(), "");
  std::istringstream lines(read_file(root_ / "out.jsonl"));
  std::vector<json> all;
  for (std::string line; std::getline(lines, line);) all.push_back(json::parse(line));
  ASSERT_EQ(all.size(), 12u);
  for (const auto& line : all) {
    EXPECT_EQ(line.size(), all[0].size());  // all lines have the same keys
    EXPECT_EQ(line["tokens"], (json{5, 6}));
    EXPECT_EQ(line["logprobs"], (json{-0.5, -1.0}));
    EXPECT_EQ(line["prompt_tokens"], (json{1, 2, 3}));
  }
  EXPECT_TRUE(all[0]["rewards/x/score"].is_null());
  const auto& last = all[11];
  EXPECT_EQ(last["run"], "chat");
  EXPECT_EQ(last["group"], 1);
  EXPECT_EQ(last["index"], 1);
  EXPECT_EQ(last["rewards/x/score"], 0.5);
  EXPECT_EQ(last["completion"], "\xEF\xBF\xBD");  // was invalid UTF-8
  EXPECT_EQ(last["prompt"],
            json::parse(R"([{"role":"system","content":"Be kind."},{"role":"user","content":"你好"}])"));
}

TEST_F(Export, RolloutsOfARunWithoutAnyAreRefused) {
  const auto refusal = [&](const LogExport& options) -> std::string {
    std::ostringstream out;
    try {
      log_export(options, out);
    } catch (const Error& error) {
      return error.problem() + "|" + error.help();
    }
    return "none";
  };
  EXPECT_EQ(refusal({.runs = {path("sage")}, .rollouts = path("x.jsonl")}),
            "has no rollouts|only GRPO training and evaluations record rollouts");
  EXPECT_FALSE(fs::exists(root_ / "x.jsonl") || fs::exists(root_ / "x.jsonl.part"));
  EXPECT_EQ(refusal({.runs = {path("a")}, .csv = "-", .tokens = true}),
            "--tokens requires --rollouts|give --rollouts FILE");
}

TEST_F(Export, ScalarsAreFiguresAndCurvesOfEvaluations) {
  EXPECT_TRUE(scalars_in(root_ / "a", 2).empty());  // training rows contain everything already
  const auto scalars = scalars_in(root_ / "sage", 2);
  ASSERT_EQ(scalars.size(), 4u);
  EXPECT_EQ(scalars[0].tag, "summary/01-sage/mean_emotion");
  EXPECT_EQ(scalars[0].step, 2u);
  EXPECT_EQ(scalars[0].value, 61.5);
  EXPECT_EQ(scalars[3].tag, "01-sage/curves/emotion");
  EXPECT_EQ(scalars[3].step, 1u);
  EXPECT_EQ(scalars[3].value, 61.5);
}

TEST_F(Export, TensorBoardReadsWhatIsWritten) {
  const auto asked = launch::run_program({"python3", "-c", "import tensorboard"});
  if (asked.exit != 0) GTEST_SKIP() << "python3 here has no tensorboard: " << asked.text;
  std::ostringstream out;
  log_export({{path("b"), path("sage")}, "", "", path("events")}, out);
  const auto done = launch::run_program({"python3", "-c", R"(
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
for run in ["b", "sage"]:
    read = EventAccumulator(sys.argv[1] + "/" + run).Reload()
    for tag in sorted(read.Tags()["scalars"]):
        print(run, tag, [(one.step, one.value) for one in read.Scalars(tag)])
)",
                                         path("events")},
                                        {}, 120);
  EXPECT_TRUE(
      done.text.ends_with("b reward [(1, 1.25), (2, 2.25)]\n"
                          "sage 01-sage/curves/emotion [(0, 40.0), (1, 61.5)]\n"
                          "sage dropped [(1, 0.0), (2, 1.0)]\n"
                          "sage in [(1, 9.0), (2, 9.0)]\n"
                          "sage out [(1, 9.0), (2, 8.0)]\n"
                          "sage summary/01-sage/mean_emotion [(2, 61.5)]\n"
                          "sage summary/01-sage/n [(2, 8.0)]\n"))
      << done.text;
}

TEST_F(Export, GroupShowsOnePromptsCompletions) {
  std::ostringstream out;
  EXPECT_EQ(log_group({path("a"), 0, 1, true}, out), 0);  // step 0 means the last step
  EXPECT_EQ(out.str(),
            "step 2, prompt 1: train/1, 2 completions\n"
            "prompt, 3 tokens\n  How\n  are you?\n"
            "\ncompletion 0: 2 tokens, cut off, log-probability -1.5\n"
            "  reward 2\n  advantage nan\ntext\n  \\x1b[1mBad.\n"
            "tokens, each with its log-probability\n  5 (-0.5) 6 (-1)\n"
            "\ncompletion 1: 2 tokens, finished, log-probability -1.5\n"
            "  reward 3\n  advantage nan\ntext\n  Good.\n"
            "tokens, each with its log-probability\n  5 (-0.5) 6 (-1)\n");
}

TEST_F(Export, GroupAsJsonHasTheTokens) {
  std::ostringstream out;
  log_group({path("a"), 1, 0, false, true}, out);
  const auto all = json::parse(out.str());
  EXPECT_EQ(all["example"], "train/0");
  EXPECT_EQ(all["prompt_tokens"], (json{1, 2, 3}));
  EXPECT_EQ(all["completions"][1]["logprobs"], (json{-0.5, -1.0}));
  EXPECT_EQ(all["completions"][1]["values"], (json{{"reward", 1.0}, {"advantage", nullptr}}));
}

TEST_F(Export, GroupNamesWhatThereIs) {
  const auto refusal = [&](const LogGroup& options) -> std::string {
    std::ostringstream out;
    try {
      log_group(options, out);
    } catch (const Error& error) {
      return error.problem() + "|" + error.help();
    }
    return "none";
  };
  EXPECT_EQ(refusal({path("a"), 9}), path("a") + " has no rollouts of step 9|it has those of steps 1 to 2");
  EXPECT_EQ(refusal({path("a"), 1, 7}), "step 1 has no prompt 7|its prompts are 0 to 1");
  EXPECT_EQ(refusal({path("sage")}),
            "has no rollouts|only GRPO training and evaluations record rollouts, unless record.rollouts = false");
}

TEST_F(Export, DiffShowsChangedSettingsAndMetrics) {
  std::ostringstream out;
  EXPECT_EQ(log_diff({path("a"), path("b")}, out), 0);
  const auto text = out.str();
  EXPECT_NE(text.find("reweighting.alpha  0.5"), std::string::npos) << text;
  EXPECT_EQ(text.find("seed"), std::string::npos) << text;
  EXPECT_NE(text.find("-0.25\n"), std::string::npos) << text;  // training metrics have no test of significance
  EXPECT_EQ(text.find('*'), std::string::npos) << text;
}

TEST_F(Export, DiffOfEvaluationsHasIntervals) {
  std::ostringstream out;
  log_diff({path("sage"), path("sage-2"), true}, out);
  const auto all = json::parse(out.str());
  EXPECT_EQ(all["settings"], json::object());
  const auto& one = all["metrics"]["01-sage/mean_emotion"];
  EXPECT_EQ(one["after"]["mean"], 70.0);
  EXPECT_EQ(one["difference"]["value"], 8.5);
  EXPECT_NEAR(one["difference"]["low"].get<double>(), 8.5 - std::sqrt(8.0), 1e-9);  // half intervals of 2 and 2
  EXPECT_EQ(one["clear"], true);
  EXPECT_FALSE(all["metrics"].contains("01-sage/n"));  // equal in both runs
}

TEST_F(Export, DiffNotesThatRunsDifferInLength) {
  auto status = *record::read_status(root_ / "b");
  status.state = "preempted", status.step = 1;
  record::write_status(root_ / "b", status);
  std::ostringstream text, json_text;
  log_diff({path("a"), path("b")}, text);
  const auto note = "\nnote: the runs differ in length: " + path("a") + " ends at step 2 (finished), " + path("b") +
                    " at step 1 (preempted)\n";
  EXPECT_NE(text.str().find(note), std::string::npos) << text.str();
  log_diff({path("a"), path("b"), true}, json_text);
  EXPECT_EQ(json::parse(json_text.str())["steps"], json({2, 1}));
}

TEST_F(Export, DiffOfARunWithItselfSaysSo) {
  std::ostringstream out;
  log_diff({path("a"), path("a")}, out);
  EXPECT_EQ(out.str(), "no setting differs\n\nno metric differs\n");
}

}  // namespace
}  // namespace compeer::app
