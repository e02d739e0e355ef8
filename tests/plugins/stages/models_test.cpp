// Stages that use a language model in a folder: read and respond.
#include <fstream>

#include "../built.h"
#include "../judging/language_model.h"

namespace compeer {
namespace {

using judging::Scripted;
using nlohmann::json;

const std::string whole = "<history>early</history><emotion>sadness</emotion><strategy>question</strategy>\nwhy?";

json record(const std::string& id, const std::string& said = "i am sad") {
  return {{"id", id},
          {"history",
           {{{"role", "user"}, {"text", "hello"}},
            {{"role", "assistant"}, {"text", "hi"}},
            {{"role", "user"}, {"text", said}}}},
          {"reference", "tell me more"},
          {"candidates", {{{"history", "h"}, {"emotion", "e"}, {"strategy", "s"}, {"reply", "r"}}}},
          {"steps", {{true, true, true}}},
          {"preference", "second"},
          {"provenance", json::object()}};
}

class AskModels : public testing::Test {
 protected:
  AskModels() : services_(built::services()) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "model.safetensors") << "weights";
    services_.language_model = [this](const std::string& folder) -> LanguageModel& {
      EXPECT_EQ(folder, folder_.string());
      return language_model_;
    };
  }

  std::vector<Outcome> make(const std::string& stage, json settings, const std::vector<json>& records) {
    settings["model"] = folder_.string();
    const auto found = built::finder().get("stages", stage);
    auto plugin =
        built::open<Stage>(stage, settings,
                           std::make_unique<plugin::RunHost>(
                               plugin::PluginFile{found.kind, found.name, found.path, found.sha256}, services_));
    return plugin::make(plugin, records);
  }

  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "a-model";
  std::string answer_ = whole;
  Scripted language_model_{[this](const std::string&, const std::string&, uint32_t) { return answer_; }};
  plugin::Services services_;
};

TEST_F(AskModels, ReadPutsTheModelsOwnStepsIntoTheRecord) {
  const auto outcome = make("read", {}, {record("a")})[0];
  EXPECT_EQ(outcome.records.at(0).at("reading"),
            json({{"history", "early"}, {"emotion", "sadness"}, {"strategy", "question"}}));
  EXPECT_EQ(language_model_.asked.at(0), "user: hello\nassistant: hi\nuser: i am sad\n? ");
  EXPECT_EQ(outcome.records.at(0).at("provenance").at("reading").at("model"), folder_.string());
}

TEST_F(AskModels, ReadReadsARoundOnceAndLeavesOutStepsThatAreNotThere) {
  answer_ = "<history>early</history>no more";
  const auto outcomes = make("read", {}, {record("a"), record("b"), record("c", "i am glad")});
  EXPECT_EQ(language_model_.asked.size(), 2u);
  EXPECT_EQ(outcomes[1].records.at(0).at("reading"), json({{"history", "early"}}));
  EXPECT_EQ(outcomes[1].counts.at("emotion not read"), 1);
}

TEST_F(AskModels, ReadAlsoTellsWhatRepliesDoAsFarAsTheModelIsSure) {
  auto twice = record("b");
  twice["reference"] = "";
  const auto outcomes = make("read", {{"replies", true}}, {record("a"), twice});
  EXPECT_EQ(language_model_.asked, (std::vector<std::string>{"user: hello\nassistant: hi\nuser: i am sad\n? ",
                                                             "user: r\n? ", "user: tell me more\n? "}))
      << "equal replies once";
  EXPECT_EQ(language_model_.sure, (std::vector<double>{0, .5, .5}));
  json steps = {{"history", "early"}, {"emotion", "sadness"}, {"strategy", "question"}, {"least_log_prob", -1.0}};
  EXPECT_EQ(outcomes[0].records.at(0).at("reading").at("reference"), steps);
  EXPECT_EQ(outcomes[0].records.at(0).at("reading").at("reply"), steps);
  EXPECT_EQ(outcomes[1].records.at(0).at("reading").at("reference"), json::object());
}

TEST_F(AskModels, ReadWeighsRepliesBehindTheModelsOwnStepsAndTheStrategyThatTheyShow) {
  const auto answer = [](const std::string& past, const std::string&, uint32_t) {
    return past.find("hello") != std::string::npos ? whole : "<history>late</history><strategy>advice</strategy>";
  };
  language_model_ = Scripted(answer);
  language_model_.likely = [](const std::string& text) { return text.ends_with("\nr") ? -7.0F : -2.0F; };
  const auto outcomes = make("read", {{"replies", true}}, {record("a")});
  EXPECT_EQ(language_model_.scored,
            (std::vector<std::string>{
                "user: hello\nassistant: hi\nuser: i am sad\n= "
                "<history>early</history><emotion>sadness</emotion><strategy>advice</strategy>\ntell me more",
                "user: hello\nassistant: hi\nuser: i am sad\n= "
                "<history>early</history><emotion>sadness</emotion><strategy>advice</strategy>\nr"}));
  const json& reading = outcomes[0].records.at(0).at("reading");
  EXPECT_EQ(reading.at("reference").at("least_log_prob"), -2.0);
  EXPECT_EQ(reading.at("reply").at("least_log_prob"), -7.0);
}

TEST_F(AskModels, RespondSetsAnAnswerWithoutLabelsBesideEachRecord) {
  const auto outcome = make("respond", {{"share", 1.0}}, {record("a")})[0];
  ASSERT_EQ(outcome.records.size(), 2u);
  EXPECT_EQ(outcome.records[0], record("a"));
  const json& own = outcome.records[1];
  EXPECT_EQ(own.at("id"), "a/policy");
  EXPECT_EQ(own.at("candidates")[0].at("reply"), "why?");
  EXPECT_EQ(own.at("reference"), "tell me more");
  EXPECT_FALSE(own.contains("steps") || own.contains("preference"));
}

TEST_F(AskModels, RespondCountsAnswersOutOfTheFormatAndLeavesRewrittenOnes) {
  answer_ = "well";
  auto rewritten = record("b");
  rewritten["rewritten"] = "a";
  const auto outcomes = make("respond", {{"share", 1.0}}, {record("a"), rewritten});
  EXPECT_EQ(outcomes[0].records.size(), 1u);
  EXPECT_EQ(outcomes[0].counts.at("not in the format: no <history>"), 1);
  EXPECT_TRUE(outcomes[1].counts.empty());
  EXPECT_EQ(language_model_.asked.size(), 1u);
}

TEST_F(AskModels, ADialogueThatEndsWithTheSupporterHasNothingToAnswer) {
  auto over = record("a");
  over["history"].erase(2);
  try {
    make("read", {}, {over});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("does not end with a turn of the seeker"), std::string::npos)
        << error.what();
  }
}

// The scripted model gives every text three tokens, with log-probabilities -.5, -1 and -.25. The steps without their
// end are the first two, so the last one belongs to the reply.
TEST_F(AskModels, PerplexityIsThatOfTheReplyBehindItsSteps) {
  auto wrong = record("b");
  wrong["people"] = json::object();
  auto right = wrong;
  right["id"] = "a";
  wrong["preference"] = "first";
  const auto outcomes = make("perplexity", {{"system", "Be kind."}}, {right, wrong});
  EXPECT_EQ(outcomes[0].counts.at(".a\nlog_prob"), -.25);
  EXPECT_EQ(outcomes[0].counts.at(".a\ntokens"), 1);
  EXPECT_EQ(outcomes[0].counts.at(".a\nwords"), 1);
  EXPECT_TRUE(outcomes[0].unchanged);
  EXPECT_EQ(outcomes[1].dropped, "borrowed in part, or without labels by people");
  EXPECT_TRUE(language_model_.scored.at(0).ends_with("</strategy>\n")) << "the line's end is no part of the reply";
  EXPECT_EQ(language_model_.scored.at(1),
            "system: Be kind.\nuser: hello\nassistant: hi\nuser: i am sad\n"
            "= <history>h</history><emotion>e</emotion><strategy>s</strategy>\nr");
}

}  // namespace
}  // namespace compeer
