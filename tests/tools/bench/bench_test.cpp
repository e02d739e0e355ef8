// The command compeer bench: what it reports, not its speed.
#include "tools/bench/bench.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "../../program.h"
#include "../../tiny_model.h"
#include "base/disk.h"
#include "base/error.h"
#include "base/files.h"

namespace compeer::bench {
namespace {

using nlohmann::json;

class Bench : public Program {
 protected:
  // Returns the lines of a benchmark by what they measure; checks the fields that every line must have.
  std::map<std::string, json> measured(const std::string& name, const std::string& options) {
    auto text = told("bench " + name + " --json --size toy --threads 1 --repeats 2 " + options);
    EXPECT_TRUE(text.ends_with("exit 0")) << text;
    std::map<std::string, json> lines;
    for (size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
      const json line = json::parse(text.substr(0, end));
      EXPECT_EQ(line.at("bench"), name);
      EXPECT_EQ(line.at("size"), "toy");
      EXPECT_EQ(line.at("threads"), 1);
      EXPECT_TRUE(line.at("unit").is_string());
      EXPECT_TRUE(line.at("machine").contains("cores"));
      EXPECT_LE(line.at("min").get<double>(), line.at("median").get<double>());
      EXPECT_LE(line.at("median").get<double>(), line.at("max").get<double>());
      const auto what = line.at("what").get<std::string>();
      lines[what.substr(0, what.find(':'))] = line;
    }
    return lines;
  }
};

std::set<std::string> names(const std::map<std::string, json>& lines) {
  std::set<std::string> all;
  for (const auto& [name, line] : lines) all.insert(name);
  return all;
}

TEST(BenchBaseline, NamesTheKindOfProcessor) {
  const std::string cpuinfo =
      "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC\n"
      "\nprocessor\t: 1\nmodel\t\t: 18\n";
  EXPECT_EQ(processor_kind(true, true, cpuinfo), "AuthenticAMD 25/17, AVX512_BF16");
  EXPECT_EQ(processor_kind(true, false, cpuinfo), "AuthenticAMD 25/17, AVX-512");
  EXPECT_EQ(processor_kind(false, false, ""), "? ?/?, AVX2");
}

TEST(BenchBaseline, ComparesWithTheSameMeasurementOnTheSameKindOfProcessor) {
  Scratch scratch;
  const auto file = scratch.folder() / "baseline.jsonl";
  const auto line = [](const char* unit, double min, double max, const char* processor = "AVX2") {
    return json{{"bench", "train"}, {"what", "step"}, {"unit", unit},
                {"min", min},       {"median", 0},    {"max", max},
                {"n", 3},           {"size", "toy"},  {"machine", {{"processor", processor}}}};
  };
  write_file(file, line("s", 2, 9).dump() + "\n" + line("tok/s", 1, 100).dump() + "\n");
  const BenchBaseline baseline(file);
  EXPECT_EQ(baseline.compare(line("s", 2.1, 30)), "1.05 of baseline");
  EXPECT_EQ(baseline.compare(line("s", 2.5, 2.5)), "1.25 of baseline: WORSE");
  EXPECT_EQ(baseline.compare(line("s", 1.5, 2.5)), "0.75 of baseline: better");
  EXPECT_EQ(baseline.compare(line("tok/s", 1, 80)), "0.80 of baseline: WORSE");
  EXPECT_EQ(baseline.compare(line("tok/s", 1, 125)), "1.25 of baseline: better");
  EXPECT_EQ(baseline.compare(line("s", 2, 2, "AVX-512")), "no baseline");
  auto other = line("s", 2, 2);
  other["size"] = "small";
  EXPECT_EQ(baseline.compare(other), "no baseline");
  write_file(file, "{}\n");
  try {
    const BenchBaseline damaged(file);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.where() + "|" + error.problem() + "|" + error.help(),
              file.string() + ":1|is not a measurement|keep only lines that compeer bench --json prints");
  }
}

TEST_F(Bench, OfGeneratingTellsPrefillDecodeAndMemory) {
  const auto lines = measured("generate", "--dtype bf16 --batch 2 --prompt 8 --new 4");
  EXPECT_EQ(names(lines), (std::set<std::string>{"prefill", "decode", "a step", "peak memory", "opening"}));
  for (const auto& [name, line] : lines) {
    EXPECT_EQ(line.at("dtype"), "bf16");
    EXPECT_EQ(line.at("batch"), 2);
    EXPECT_EQ(line.at("prompt"), 8);
    EXPECT_EQ(line.at("new"), 4);
    EXPECT_GT(line.at("min").get<double>(), 0) << name;
  }
  EXPECT_EQ(lines.at("decode").at("n"), 2);
  EXPECT_EQ(lines.at("decode").at("unit"), "tok/s");
}

TEST_F(Bench, OfTrainingTellsEachPartOfAStep) {
  const auto lines = measured("train", "--batch 2 --seq 16");
  EXPECT_EQ(names(lines),
            (std::set<std::string>{"training", "forward", "backward", "sum", "optimizer", "peak memory"}));
  for (const auto& [name, line] : lines) {
    EXPECT_EQ(line.at("batch"), 2);
    EXPECT_EQ(line.at("seq"), 16);
    EXPECT_GT(line.at("min").get<double>(), 0) << name;
  }
  EXPECT_EQ(lines.at("training").at("n"), 2);
  EXPECT_EQ(lines.at("training").at("unit"), "tok/s");
}

TEST_F(Bench, OfAStepTellsItsPhasesOverCompletionsOfOneLength) {
  const auto lines = measured("grpo_step", "--prompts 2 --group 2 --prompt 6 --new 4 --steps 2");
  EXPECT_EQ(names(lines), (std::set<std::string>{"a step", "new tokens", "rollout", "score", "train", "reduce", "log",
                                                 "share of log", "share of reduce", "completions", "peak memory"}));
  EXPECT_EQ(lines.at("completions").at("min"), 4);
  EXPECT_EQ(lines.at("completions").at("max"), 4);
  EXPECT_EQ(lines.at("a step").at("n"), 2);
  EXPECT_EQ(lines.at("a step").at("prompts"), 2);
  EXPECT_EQ(lines.at("a step").at("group"), 2);
  EXPECT_EQ(lines.at("a step").at("ranks"), 1);
  EXPECT_GE(lines.at("a step").at("min").get<double>(), lines.at("rollout").at("min").get<double>());
}

TEST_F(Bench, OfPrefixesTellsTheShareOfWhatArithmeticAllows) {
  const auto lines = measured("prefix", "--group 2 --prompt 8 --new 4");
  EXPECT_EQ(names(lines), (std::set<std::string>{"one prompt for all", "a prompt for each", "ratio"}));
  EXPECT_DOUBLE_EQ(lines.at("ratio").at("bound").get<double>(), 2.0 * (8 + 4) / (8 + 2 * 4));
}

TEST_F(Bench, OfServingComparesWithGenerating) {
  const auto lines = measured("serve", "--batch 2 --prompts 4 --new 4");
  EXPECT_EQ(names(lines), (std::set<std::string>{"generated", "served", "served / generated"}));
  EXPECT_EQ(lines.at("served").at("unit"), "tok/s");
  EXPECT_EQ(lines.at("served").at("requests"), 4);
  EXPECT_GT(lines.at("served").at("min").get<double>(), 0);
}

TEST_F(Bench, OfScalingTellsRanksAndThreads) {
  auto text = told("bench scaling --json --prompts 4 --group 2 --prompt 6 --new 4 --steps 1");
  std::set<std::string> seen;
  for (size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
    const json line = json::parse(text.substr(0, end));
    EXPECT_GT(line.at("efficiency").get<double>(), 0);
    const auto what = line.at("what").get<std::string>();
    seen.insert(what.substr(what.find("4, ") + 3));
  }
  EXPECT_EQ(text, "exit 0");
  EXPECT_EQ(seen,
            (std::set<std::string>{"1 rank, 1 thread", "1 rank, 2 threads", "2 ranks, 1 thread", "4 ranks, 1 thread"}));
}

TEST_F(Bench, OfSumsComparesWithMpi) {
  auto text = told("bench allreduce --json --ranks 2 --repeats 1");
  std::set<std::string> seen;
  for (size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
    const json line = json::parse(text.substr(0, end));
    EXPECT_EQ(line.at("ranks"), 2);
    const auto what = line.at("what").get<std::string>();
    seen.insert(what.substr(0, what.find(':')));
  }
  EXPECT_EQ(text, "exit 0");
  EXPECT_EQ(seen, (std::set<std::string>{"fixed order", "MPI_Allreduce", "ratio"}));
}

TEST_F(Bench, PrintsATableForPeople) {
  const auto text = told("bench train --size toy --threads 1 --batch 2 --seq 16 --repeats 1");
  EXPECT_TRUE(text.starts_with("bench     what   ")) << text;
  EXPECT_NE(text.find("\ntrain     optimizer: toy exact, 2 x 16, 1 thread "), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("exit 0")) << text;
}

TEST_F(Bench, RefusesWhatItCantMeasure) {
  EXPECT_EQ(told("bench genrate"),
            "compeer: error: no benchmark 'genrate'\n"
            "  help: did you mean 'generate'? known: allreduce, generate, grpo_step, judging, kernels, prefix, record, "
            "scaling, scoring, serve, start, train\nexit 2");
  EXPECT_EQ(told("bench scoring --json"),
            "compeer: error: --model: is missing\n"
            "  help: name a policy that was trained on esc_world: results/esc-world-sft/checkpoints/last\nexit 2");
  EXPECT_EQ(told("bench generate kernels --device cuda"),
            "compeer: error: --device cuda: is not supported by bench kernels, which measures the CPU\n"
            "  help: use it with generate, grpo_step, train\nexit 2");
  EXPECT_EQ(told("bench generate --size toy --model nothing").find("median"), std::string::npos);  // no table
  EXPECT_EQ(told("bench train --size huge"),
            "compeer: error: --size: huge not in {toy,small,0.5b,7b}\n  help: see compeer bench --help\nexit 2");
  EXPECT_EQ(told("bench generate --dtype int8"),
            "compeer: error: --dtype: int8 not in {fp32,bf16,q8_0,q4_0}\n  help: see compeer bench --help\nexit 2");
  EXPECT_EQ(told("bench generate --batch 0"),
            "compeer: error: --batch: Value 0 not in range 1 to 1048576\n  help: see compeer bench --help\nexit 2");
}

// The command compeer bench judging.

class Judging : public Program {};

// The answers of an untrained judge can't be parsed, but take the same time.
TEST_F(Judging, ComparesOneConversationWithQuestionsApart) {
  make_tiny_model(folder() / "judge", 512);
  std::ofstream(folder() / "judge/form.json") << R"({"judge": {"view": "unifireward", "reads": true}})";
  for (const std::string by : {"answer", "likelihood"}) {
    auto text = told("bench judging --json --model judge --group 2 --prompts 2 --repeats 3 --by " + by);
    std::set<std::string> seen;
    for (size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
      const json line = json::parse(text.substr(0, end));
      EXPECT_EQ(line.at("bench"), "judging");
      EXPECT_EQ(line.at("group"), 2);
      EXPECT_EQ(line.at("prompts"), 2);
      EXPECT_EQ(line.at("threads"), 1);
      EXPECT_EQ(line.at("by"), by);
      EXPECT_EQ(line.at("n"), 3);
      EXPECT_GT(line.at("min").get<double>(), 0);
      EXPECT_TRUE(line.at("note").get<std::string>().starts_with("quartiles ")) << line;
      const auto what = line.at("what").get<std::string>();
      seen.insert(what.substr(0, what.find(':')));
    }
    EXPECT_EQ(text, "exit 0");
    EXPECT_EQ(seen, (std::set<std::string>{"unifireward, a round", "prm + orm, a round", "unifireward / (prm + orm)",
                                           "the same in processor time"}));
  }
}

TEST_F(Judging, RefusesWhatIsNoJudge) {
  EXPECT_EQ(told("bench judging --json"),
            "compeer: error: bench judging: requires a judge\n"
            "  help: add --model FOLDER, such as a run's checkpoints/last\nexit 2");
  EXPECT_EQ(told("bench judging --model x --by votes"),
            "compeer: error: --by: votes not in {answer,likelihood}\n  help: see compeer bench --help\nexit 2");
  EXPECT_EQ(told("bench judging --json --model " + (folder() / "nowhere").string()),
            "compeer: error: " + (folder() / "nowhere").string() +
                ": is not a model folder: it contains no config.json\n"
                "  help: name a folder such as a run's checkpoints/last\nexit 4");
  make_tiny_model(folder() / "judge", 512);
  std::filesystem::remove(folder() / "judge/tokenizer.json");
  const auto told_of = told("bench judging --json --model judge");
  EXPECT_TRUE(told_of.starts_with("compeer: error: rewards/unifireward ")) << told_of;
  EXPECT_TRUE(told_of.ends_with(
      "judge: contains no tokenizer\n  help: add tokenizer.json, or vocab.json and merges.txt\nexit 4"))
      << told_of;
}

}  // namespace
}  // namespace compeer::bench
