// compeer bench, as a user calls it: what it reports, not how fast it is.
#include "app/bench/bench.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "../program.h"

namespace compeer::app {
namespace {

using nlohmann::json;

class Bench : public Program {
 protected:
  // The lines of a benchmark by what they measure, each with all that every line must have.
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

TEST_F(Bench, PrintsATableForPeople) {
  const auto text = told("bench train --size toy --threads 1 --batch 2 --seq 16 --repeats 1");
  EXPECT_TRUE(text.starts_with("bench    what   ")) << text;
  EXPECT_NE(text.find("\ntrain    optimizer: toy exact, 2 x 16, 1 thread "), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("exit 0")) << text;
}

TEST_F(Bench, RefusesWhatItCantMeasure) {
  EXPECT_EQ(told("bench genrate"),
            "compeer: error: no benchmark 'genrate'\n"
            "  help: did you mean 'generate'? known: generate, kernels, record, start, train\nexit 2");
  EXPECT_EQ(told("bench train --size huge"),
            "compeer: error: --size: huge not in {toy,small,0.5b}\n  help: see compeer bench --help\nexit 2");
  EXPECT_EQ(told("bench generate --dtype int8"),
            "compeer: error: --dtype: int8 not in {fp32,bf16}\n  help: see compeer bench --help\nexit 2");
  EXPECT_EQ(told("bench generate --batch 0"),
            "compeer: error: --batch: Value 0 not in range 1 to 1048576\n  help: see compeer bench --help\nexit 2");
}

}  // namespace
}  // namespace compeer::app
