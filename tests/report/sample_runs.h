#pragma once
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "report/runs/run_data.h"

/// Made-up runs for the tests of report/: shaped like a small study, with known errors where a test needs them.
namespace sample {

namespace report = compeer::report;
using compeer::report::RunData;
using compeer::report::SampleGroup;
using compeer::statistics::Interval;

/// Returns the settings of a run as recorded in spec.json. `model_path`: the model that it starts from; `reweighting`:
/// name of the reweighting plugin.
inline nlohmann::json spec(const std::string& name, const std::string& task, const std::string& model_path,
                           const std::string& reweighting) {
  nlohmann::json json = {{"name", name}, {"task", task}, {"seed", 1}, {"ranks", 2}, {"threads", 1}};
  json["model"] = {{"plugin", "qwen2"}, {"tokenizer", nullptr}, {"path", model_path}};
  json["dataset"] = {{"plugin", "esc_world"}, {"dialogues", 4000}, {"language", "en"}};
  if (task == "sft") {
    json["sft"] = {{"batch", 16}, {"steps", 1000}, {"split", "train"}, {"loss_on", "answer"}, {"lr", 3e-3}};
    return json;
  }
  json["rewards"] = {{{"plugin", "esc_world_truth"}, {"weight", 1.0}, {"label", "truth"}},
                     {{"plugin", "format"}, {"weight", 1.0}, {"label", "format"}}};
  json["reweighting"] = {{"plugin", reweighting}};
  if (reweighting == "redundancy") json["reweighting"].update({{"alpha", 0.5}, {"beta", 5.0}, {"mode", "signed"}});
  json["sampling"] = {{"temperature", 1.0}, {"greedy", false}, {"max_new_tokens", 64}, {"concurrent", 64}};
  if (task == "grpo") json["grpo"] = {{"group_size", 4}, {"batch", 8}, {"steps", 80}, {"clip", 0.2}, {"lr", 2e-4}};
  if (task == "evaluate") json["evaluate"] = {{"prompts", 200}, {"group_size", 4}, {"split", "test"}, {"batch", 16}};
  return json;
}

/// Returns a finished run without measurements; arguments as for `spec`.
inline RunData run(const std::string& name, const std::string& task, const std::string& model_path = "",
                   const std::string& reweighting = "none") {
  RunData run;
  run.folder = "results/" + name;
  run.name = name;
  run.task = task;
  run.sha256 = std::string(64, 'a');
  run.spec = spec(name, task, model_path, reweighting);
  run.origins = {{"name", "scripts/study.lua:7"}, {"grpo.lr", "experiments/base.toml:14"}, {"grpo.clip", "default"}};
  run.plugins = {{{"kind", "models"}, {"name", "qwen2"}, {"version", "0.1.0"}, {"sha256", std::string(64, 'b')}}};
  run.state = "finished";
  run.started = "2025-03-01T12:34:56Z";
  run.elapsed = 61.5;
  run.ranks = 2;
  run.software = "compeer 0.1.0";
  return run;
}

/// Returns the values of a metric over `rows` steps, which approach `to` from `from` exponentially. `noise`: standard
/// deviation of the noise; `seed`: of the noise.
inline std::vector<double> course(size_t rows, double from, double to, double noise, unsigned seed) {
  std::mt19937 bits(seed);
  std::normal_distribution<double> normal(0, noise);
  std::vector<double> values(rows);
  for (size_t i = 0; i < rows; ++i) values[i] = to + (from - to) * std::exp(-3.0 * i / rows) + normal(bits);
  return values;
}

/// Adds the steps and the seconds of each phase of a step: `phases` has names and mean seconds.
inline void fill_times(RunData& run, size_t rows, const std::vector<std::pair<std::string, double>>& phases) {
  for (size_t i = 0; i < rows; ++i) run.columns["step"].push_back(static_cast<double>(i + 1));
  unsigned seed = 90;
  for (const auto& [phase, seconds] : phases)
    run.columns["seconds/" + phase] = course(rows, seconds, seconds, seconds / 20, ++seed);
  run.columns["tokens_per_second"] = course(rows, 900, 1400, 60, 8);
  run.steps_done = run.steps_planned = static_cast<int64_t>(rows);
}

/// Sets the means of the last 20 rows, as a finished run writes them.
inline void fill_summary(RunData& run) {
  for (const auto& [metric, values] : run.columns) {
    const size_t n = std::min<size_t>(20, values.size());
    Interval e{0, compeer::report::missing, compeer::report::missing, static_cast<int64_t>(n)};
    for (size_t i = values.size() - n; i < values.size(); ++i) e.mean += values[i] / static_cast<double>(n);
    run.summary[metric] = e;
  }
}

/// Returns the recorded completions `texts` of one prompt, with rewards that increase from text to text.
inline SampleGroup group(int64_t step, const std::string& id, const std::vector<std::string>& texts) {
  SampleGroup made;
  made.step = step;
  made.example_id = id;
  made.prompt =
      "<|im_start|>system\nYou give emotional support.<|im_end|>\n<|im_start|>user\nI lost my job last week & I can't "
      "tell my family.<|im_end|>\n<|im_start|>assistant\nThat sounds heavy. How long have you carried this "
      "alone?<|im_end|>\n"
      "<|im_start|>user\nSince Monday. I sit in the car until it is time to come "
      "home.<|im_end|>\n<|im_start|>assistant\n";
  double value = 0.2;
  for (const auto& text : texts) {
    made.completions.push_back({text, 41, text.size() < 200, {}});
    made.completions.back().values = {
        {"reward", 2 * value},         {"rewards/truth/reward", value},      {"rewards/truth/quality", value},
        {"rewards/format/format", 1},  {"redundancy/s_in", 0.3 + value / 3}, {"redundancy/s_hi", 0.22},
        {"advantage", value * 3 - 1.2}};
    value += 0.21;
  }
  return made;
}

/// Returns four completions, some malformed; the first contains `variant`.
inline std::vector<std::string> texts(const std::string& variant) {
  return {
      "<history>comforting stage, the job loss is told</history><emotion>sad, intensity "
      "4</emotion><strategy>reflection of "
      "feelings</strategy>\nYou have been hiding how much this hurts, sitting there alone each day. " +
          variant,
      "<history>exploration</history><emotion>ashamed, intensity 3</emotion><strategy>question</strategy>\nWhat do you "
      "fear they would say?",
      "<history>exploration</history><emotion>sad</emotion>It will be fine. Many people lose jobs.",
      "<history>comforting</history><emotion>sad, intensity "
      "4</emotion><strategy>affirmation</strategy>\n你一个人扛了这么久，真的很不容易。Telling one person first may be "
      "enough."};
}

/// Returns a supervised fine-tuning run of `rows` steps.
inline RunData sft(const std::string& name, size_t rows = 1000) {
  RunData made = run(name, "sft");
  made.columns["loss"] = course(rows, 5.2, 0.74, 0.04, 3);
  made.columns["grad_norm"] = course(rows, 2.5, 0.6, 0.12, 4);
  for (size_t i = 0; i < rows; ++i)
    made.columns["lr"].push_back(3e-3 * (i < 50 ? i / 50.0 : 0.5 + 0.5 * std::cos(3.14159 * (i - 50) / (rows - 50))));
  fill_times(made, rows, {{"data", 0.003}, {"forward_backward", 0.11}, {"sum", 0.008}, {"update", 0.01}});
  fill_summary(made);
  made.elapsed = 133.2;
  return made;
}

/// Returns the run with a validation every `every` steps. The metric decreases until step `best` and then increases.
inline RunData validated(RunData made, int every, int best) {
  const size_t rows = made.rows();
  const std::string metric = made.task == "sft" ? "validation/loss" : "validation/reward";
  auto &looks = made.columns[metric], &seconds = made.columns["seconds/validation"];
  looks.assign(rows, compeer::report::missing), seconds = looks;
  for (size_t step = every; step <= rows; step += every) {
    looks[step - 1] = 1.94 + 0.01 * std::abs(static_cast<double>(step) - best);
    seconds[step - 1] = 0.5;
  }
  made.recorded.push_back(metric);
  made.summary[metric] = {1.94, compeer::report::missing, compeer::report::missing, 1};
  made.summary["validation/best_step"] = {double(best), compeer::report::missing, compeer::report::missing, 1};
  return made;
}

/// Returns a GRPO run of `rows` steps. `start`: the initial model; `lift`: factor of the rewards' increase.
inline RunData grpo(const std::string& name, const std::string& reweighting, const std::string& start, size_t rows = 80,
                    unsigned seed = 1, double lift = 1.0) {
  RunData made = run(name, "grpo", start, reweighting);
  const bool reweighted = reweighting != "none";
  made.spec["seed"] = seed;
  auto& c = made.columns;
  c["reward"] = course(rows, 1.7, 1.7 + 1.06 * lift, 0.22, seed * 100 + 1);
  c["reward_std"] = course(rows, 0.8, 0.6, 0.08, seed * 100 + 2);
  c["rewards/truth/reward"] = course(rows, 0.7, 0.7 + lift, 0.2, seed * 100 + 3);
  c["rewards/truth/quality"] = course(rows, 0.56, 0.56 + 0.15 * lift, 0.03, seed * 100 + 4);
  c["rewards/truth/emotion"] = course(rows, 0.71, 0.78, 0.05, seed * 100 + 5);
  c["rewards/format/format"] = course(rows, 0.95, 0.99, 0.01, seed * 100 + 6);
  c["redundancy/s_in"] = course(rows, 0.27, reweighted ? 0.31 : 0.45, 0.03, seed * 100 + 7);
  c["redundancy/s_hi"] = course(rows, 0.22, reweighted ? 0.24 : 0.27, 0.015, seed * 100 + 8);
  c["redundancy/tau"] = std::vector<double>(rows, 0.98);
  c["distinct_1"] = course(rows, 0.03, 0.024, 0.001, seed * 100 + 9);
  c["distinct_2"] = course(rows, 0.089, reweighted ? 0.086 : 0.066, 0.003, seed * 100 + 10);
  c["entropy"] = course(rows, 0.36, reweighted ? 0.29 : 0.21, 0.02, seed * 100 + 11);
  c["length"] = course(rows, 41, 39, 0.8, seed * 100 + 12);
  c["truncated"] = course(rows, 0.03, 0.004, 0.002, seed * 100 + 13);
  c["loss"] = course(rows, 0.0, -0.004, 0.004, seed * 100 + 14);
  c["grad_norm"] = course(rows, 1.4, 1.1, 0.25, seed * 100 + 15);
  c["zero_variance"] = course(rows, 0.1, reweighted ? 0.0 : 0.3, 0.03, seed * 100 + 16);
  c["clip_share"] = std::vector<double>(rows, 0.0);
  c["lr"] = std::vector<double>(rows, 2e-4);
  if (rows > 10) c["grad_norm"][rows / 2] = 48;  // one outlier
  fill_times(made, rows,
             {{"rollout", 0.32},
              {"reward", 0.02},
              {"reweighting", 0.01},
              {"forward_backward", 0.36},
              {"update", 0.03},
              {"record", 0.002}});
  fill_summary(made);
  made.groups = {group(1, "train-00017", texts("")),
                 group(static_cast<int64_t>(rows), "train-00311", texts("I am here."))};
  return made;
}

/// Returns the interval of a mean, from `half` below to `half` above.
inline Interval around(double mean, double half, int64_t n = 200) { return {mean, mean - half, mean + half, n}; }

/// Returns an evaluation of a model. `greedy`: greedy decoding with one completion for each prompt; the last three
/// arguments are means of metrics: the replies' quality, redundancy within a group, distinct bigrams.
inline RunData evaluation(const std::string& name, const std::string& model_path, bool greedy, double quality,
                          double s_in, double distinct_2) {
  RunData made = run(name, "evaluate", model_path, "redundancy");
  made.spec["sampling"]["greedy"] = greedy;
  auto& s = made.summary;
  s["reward"] = around(1 + 1.3 * quality, 0.07);
  s["rewards/truth/reward"] = around(1.3 * quality, 0.07);
  s["rewards/truth/quality"] = around(quality, 0.02);
  s["rewards/truth/stage"] = around(0.6 + quality / 5, 0.03);
  s["rewards/truth/emotion"] = around(0.71, 0.031);
  s["rewards/truth/strategy"] = around(0.4 + quality / 4, 0.033);
  s["rewards/truth/unparsable"] = around(0.027, 0.012);
  s["rewards/format/format"] = around(0.96, 0.012);
  s["redundancy/s_in"] = around(s_in, 0.011);
  s["redundancy/s_hi"] = around(s_in / 2 + 0.08, 0.008);
  s["redundancy/tau"] = around(0.983, 0.004);
  s["distinct_1"] = around(0.031, 0.001);
  s["distinct_2"] = around(distinct_2, 0.0031);
  s["entropy"] = around(0.31, 0.006);
  s["length"] = around(40.2, 0.45);
  s["truncated"] = around(0.006, 0.005);
  fill_times(made, 13, {{"rollout", 0.9}, {"reward", 0.05}, {"reweighting", 0.02}, {"record", 0.002}});
  made.elapsed = 14.1;
  for (int i = 0; i < 8; ++i) {
    auto all = texts(name);
    if (greedy) all.resize(1);
    made.groups.push_back(group(1, "test-" + std::to_string(i), all));
  }
  return made;
}

/// One SFT model, two GRPO models trained from it, and evaluations of all three, sampled and greedy.
inline std::vector<RunData> quickstart() {
  const std::string sft_path = "results/quickstart-sft/checkpoints/last";
  const std::string none_path = "results/quickstart-grpo-none/checkpoints/last";
  const std::string redundancy_path = "results/quickstart-grpo-redundancy/checkpoints/last";
  return {sft("quickstart-sft"),
          grpo("quickstart-grpo-none", "none", sft_path, 80, 1),
          grpo("quickstart-grpo-redundancy", "redundancy", sft_path, 80, 2),
          evaluation("quickstart-eval-sft-sampled", sft_path, false, 0.561, 0.271, 0.0893),
          evaluation("quickstart-eval-grpo-none-sampled", none_path, false, 0.702, 0.447, 0.0661),
          evaluation("quickstart-eval-grpo-redundancy-sampled", redundancy_path, false, 0.689, 0.318, 0.0859),
          evaluation("quickstart-eval-sft-greedy", sft_path, true, 0.821, 0.0, 0.0793),
          evaluation("quickstart-eval-grpo-none-greedy", none_path, true, 0.848, 0.0, 0.0661),
          evaluation("quickstart-eval-grpo-redundancy-greedy", redundancy_path, true, 0.874, 0.0, 0.0759)};
}

/// Returns GRPO runs of `rows` steps: `settings` values of reweighting.alpha with `seeds` seeds each.
inline std::vector<RunData> sweep(int settings, int seeds, size_t rows) {
  std::vector<RunData> runs;
  for (int a = 0; a < settings; ++a) {
    for (int s = 1; s <= seeds; ++s) {
      auto made = grpo("alpha-" + std::to_string(a) + "-seed-" + std::to_string(s), "redundancy", "models/start", rows,
                       static_cast<unsigned>(a * 10 + s), 0.4 + 0.2 * a);
      made.spec["seed"] = s;
      made.spec["reweighting"]["alpha"] = 0.25 * (a + 1);
      runs.push_back(made);
    }
  }
  return runs;
}

/// Returns a figure as in the findings of a stage.
inline nlohmann::json figure(double value, double half, int n = 100) {
  return {{"value", value}, {"low", value - half}, {"high", value + half}, {"n", n}};
}

/// Returns a record of the stage `sage`: a dialogue of two rounds, with the user's emotion points at each. `start`: the
/// first points; `reply`: the model's first reply.
inline nlohmann::json played(int number, double start, const std::string& reply) {
  const nlohmann::json steps = {{"history", "the job loss is told"}, {"emotion", "sad"}, {"strategy", "question"}};
  return {{"id", "esc_world/test/" + std::to_string(number)},
          {"emo_point", start + 8},
          {"scores", {{"rules", {{"fluency", 4}, {"overall", 2}}}}},
          {"turns",
           {{{"role", "user"}, {"text", "I lost my job last week."}, {"emotion-point", start}},
            {{"role", "assistant"}, {"text", reply}, {"steps", steps}},
            {{"role", "user"}, {"text", "我不知道怎么告诉家人。"}, {"emotion-point", start + 8}},
            {{"role", "assistant"}, {"text", "What do you fear they would say?"}}}}};
}

/// Returns a data run that evaluates the model of the run `supporter` in dialogues, as the stage `sage` does. `emotion`
/// and `half`: mean points and half of its interval; `failure`: fraction of failed dialogues; `unreadable`: number of
/// dropped dialogues.
inline RunData tested(const std::string& name, const std::string& supporter, int seed, double emotion, double half,
                      double failure, int64_t unreadable = 0) {
  RunData made = run(name, "data");
  made.spec = {{"name", name},
               {"task", "data"},
               {"seed", seed},
               {"dataset", {{"plugin", "esc_world"}, {"unit", "scenario"}}},
               {"data", {{"splits", {"test"}}}}};
  const nlohmann::json model = {{"plugin", "local"}, {"path", "results/" + supporter + "/checkpoints/last"}};
  made.spec["stages"] = {{{"plugin", "sage"},
                          {"label", nullptr},
                          {"supporter", model},
                          {"supporter_temperature", 0.0},
                          {"simulator", {{"plugin", "esc_world"}, {"seed", 1}}}}};
  made.columns = {{"step", {1, 2}}, {"in", {100, 100}}, {"out", {100, 100. - double(unreadable)}}};
  made.columns["dropped"] = {0, double(unreadable)};
  report::StageData data, sage;
  data.name = "00-esc_world", data.in = data.out = 100, data.settings = made.spec["dataset"];
  sage.name = "01-sage", sage.plugin = "sage", sage.settings = made.spec["stages"][0];
  sage.in = 100, sage.out = 100 - unreadable, sage.left_out = unreadable;
  if (unreadable > 0) sage.dropped["unreadable change"] = unreadable;
  sage.counts["ended by goodbye"] = 12;
  sage.findings = {{"n", 100 - unreadable},
                   {"columns", {"mean_emotion", "success", "failure", "rounds"}},
                   {"better", {{"higher", {"mean_emotion", "success"}}, {"lower", {"failure"}}}},
                   {"mean_emotion", figure(emotion, half)},
                   {"success", figure(emotion / 200, 0.08)},
                   {"failure", figure(failure, 0.03)},
                   {"rounds", figure(8.1, 0.3)},
                   {"by_kind",
                    {{"work", {{"mean_emotion", figure(emotion + 3, 2 * half, 40)}}},
                     {"family", {{"mean_emotion", figure(emotion - 2, 2 * half, 60)}}}}}};
  for (int round = 0; round <= 4; ++round)
    sage.findings["curves"]["emotion"].push_back(figure(40 + (emotion - 40) * round / 4, half * round / 4));
  made.stages = {data, sage};
  for (int i = 0; i < 8; ++i) made.stages[1].records.push_back(played(i, 40, "That sounds heavy, " + name + "."));
  made.elapsed = 33.1;
  return made;
}

/// Three kinds of model with three seeds each, tested in dialogues, and the runs that trained them.
inline std::vector<RunData> study() {
  std::vector<RunData> runs;
  const std::vector<std::pair<std::string, double>> kinds = {{"sft", 41}, {"por", 58}, {"urp", 63}};
  for (int seed = 1; seed <= 3; ++seed) {
    for (const auto& [kind, emotion] : kinds) {
      const auto taught = kind + "-seed_" + std::to_string(seed);
      runs.push_back(kind == "sft" ? sft(taught, 40)
                                   : grpo(taught, kind == "urp" ? "redundancy" : "none", "models/start", 40,
                                          static_cast<unsigned>(seed)));
      runs.back().spec["seed"] = seed;
      runs.push_back(tested("sage-" + taught, taught, seed, emotion + seed, 2.5, kind == "sft" ? 0.2 : 0.05,
                            kind == "urp" ? seed : 0));
    }
  }
  return runs;
}

}  // namespace sample
