#include <filesystem>
#include <fstream>

#include "../built.h"
#include "../judging/speaker.h"

namespace compeer {
namespace {

using nlohmann::json;

json record(const std::string& id, std::vector<bool> steps, const std::string& preference) {
  return {{"id", id},
          {"history", {{{"role", "user"}, {"text", "i am sad"}}}},
          {"reference", "tell me more"},
          {"candidates", {{{"history", "early"}, {"emotion", "sadness"}, {"strategy", "question"}, {"reply", "why?"}}}},
          {"steps", {steps}},
          {"preference", preference}};
}

// All steps are right, the reply is worse than the reference.
std::string right_but_worse(const std::string&, const std::string& question, uint32_t) {
  return question.starts_with("<") ? "True" : "first";
}

class Consistency : public testing::Test {
 protected:
  Consistency() : services(built::services()) {
    for (const char* name : {"one", "other"}) {
      std::filesystem::create_directories(folder / name);
      std::ofstream(folder / name / "model.safetensors") << name;
    }
    services.speaker = [this](const std::string& path) -> judging::Scripted& {
      return path.ends_with("other") ? other : one;
    };
  }

  plugin::Plugin<Stage> open(json settings) {
    settings["model"] = (folder / "one").string();
    const auto found = built::finder().get("stages", "consistency");
    return built::open<Stage>(
        "consistency", settings,
        std::make_unique<plugin::RunHost>(plugin::Chosen{found.kind, found.name, found.path, found.sha256}, services));
  }

  static json findings(plugin::Plugin<Stage>& stage, const std::vector<Outcome>& outcomes) {
    std::map<std::string, double> counts;
    for (const auto& outcome : outcomes) {
      for (const auto& [name, value] : outcome.counts) counts[name] += value;
    }
    return stage.call("findings", [&](Stage& s) { return s.findings(counts); });
  }

  // A chat model that says yes of replies that are to be judged "first".
  json chat(const std::string& answer) {
    const auto table = folder / "answers.jsonl";
    std::ofstream(table) << json{{"contains", "Judged: True, True, True; first"}, {"answer", answer}} << "\n";
    return {{"plugin", "scripted"}, {"table", table.string()}};
  }

  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "consistency_test";
  judging::Scripted one{right_but_worse}, other{right_but_worse};
  plugin::Services services;
};

TEST_F(Consistency, OfOneJudgeIsJudgedByTheAnnotatorsLabels) {
  auto stage = open({});
  const auto outcomes =
      plugin::make(stage, {record("a", {true, true, true}, "second"), record("b", {true, true, true}, "first")});
  EXPECT_EQ(outcomes[0].records.at(0).at("judged"),
            (json{{"said", "True, True, True; first"}, {"contradictory", true}}));
  EXPECT_EQ(outcomes[1].records.at(0).at("judged").at("contradictory"), false);
  const auto found = findings(stage, outcomes);
  EXPECT_EQ(found.at("n"), 2);
  EXPECT_EQ(found.at("contradictory").at("value"), 0.5);
  EXPECT_EQ(found.at("apart").at("value"), 1);
  EXPECT_EQ(one.asked.size(), 8u);
  EXPECT_NE(one.asked[3].find("= True"), std::string::npos) << "the reply is judged after the steps";
}

TEST_F(Consistency, OfTwoJudgesTheSecondSeesNoVerdictOfTheFirst) {
  auto stage = open({{"outcome_model", (folder / "other").string()}});
  const auto outcomes = plugin::make(stage, {record("a", {true, true, true}, "second")});
  EXPECT_EQ(outcomes[0].counts.at("contradictory"), 1);
  EXPECT_EQ(one.asked.size(), 3u);
  ASSERT_EQ(other.asked.size(), 1u);
  EXPECT_EQ(other.asked[0].find("= True"), std::string::npos);
}

TEST_F(Consistency, MayBeDecidedByAChatModel) {
  auto stage = open({{"chat", chat("Yes.")}});
  auto unlabelled = record("a", {}, "");
  unlabelled.erase("steps");
  unlabelled.erase("preference");
  const auto outcomes = plugin::make(stage, {unlabelled});
  EXPECT_EQ(outcomes[0].records.at(0).at("judged").at("contradictory"), true);
  auto silent = open({{"chat", chat("perhaps")}});
  EXPECT_EQ(plugin::make(silent, {unlabelled})[0].dropped, "malformed answer");
}

TEST_F(Consistency, DropsWhatCanNotBeTold) {
  auto stage = open({});
  auto unlabelled = record("a", {}, "");
  unlabelled.erase("steps");
  EXPECT_EQ(plugin::make(stage, {unlabelled})[0].dropped, "no labels");
  one = judging::Scripted([](const std::string&, const std::string&, uint32_t) { return "well"; });
  EXPECT_EQ(plugin::make(stage, {record("a", {true, true, true}, "second")})[0].dropped, "unreadable judgement");
}

}  // namespace
}  // namespace compeer
