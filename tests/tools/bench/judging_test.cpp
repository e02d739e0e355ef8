// compeer bench judging, as a user calls it.
#include <nlohmann/json.hpp>
#include <set>

#include "../../program.h"
#include "../../tiny_model.h"

namespace compeer::bench {
namespace {

using nlohmann::json;

class Judging : public Program {};

// A judge that has learnt nothing answers nothing that could be read, which takes time all the same.
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
            "compeer: error: bench judging: needs a judge\n"
            "  help: --model FOLDER, such as a run's checkpoints/last\nexit 2");
  EXPECT_EQ(told("bench judging --model x --by votes"),
            "compeer: error: --by: votes not in {answer,likelihood}\n  help: see compeer bench --help\nexit 2");
  EXPECT_EQ(told("bench judging --json --model " + (folder() / "nowhere").string()),
            "compeer: error: " + (folder() / "nowhere").string() +
                ": is no model's folder: it has no config.json\n"
                "  help: name a folder such as a run's checkpoints/last\nexit 4");
  make_tiny_model(folder() / "judge", 512);
  std::filesystem::remove(folder() / "judge/tokenizer.json");
  const auto told_of = told("bench judging --json --model judge");
  EXPECT_TRUE(told_of.starts_with("compeer: error: rewards/unifireward ")) << told_of;
  EXPECT_TRUE(told_of.ends_with(
      "judge: holds no tokenizer\n  help: expected tokenizer.json, or vocab.json and merges.txt\nexit 4"))
      << told_of;
}

}  // namespace
}  // namespace compeer::bench
