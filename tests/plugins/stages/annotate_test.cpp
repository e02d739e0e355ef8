#include "asked.h"
#include "base/random.h"
#include "stages/annotate/majority.h"

namespace compeer::asked {
namespace {

using empathy::Preference;
using stages::Annotation;

// A judge that gives the same verdict on each step; `better` chooses the better reply from the prompt.
Model judge(const std::string& steps, std::function<std::string(const std::string&)> better) {
  return Model([=](const std::string& prompt, uint32_t) {
    return says(prompt.find("both good") == prompt.npos ? steps : better(prompt));
  });
}

Model judge(const std::string& steps, const std::string& better) {
  return judge(steps, [=](const std::string&) { return better; });
}

// Replies are swapped if `random` is below 0.5.
std::vector<Outcome> annotate(Model& first, Model& second, Model& third, const std::vector<json>& records,
                              double random = 0.9, int tries = 1, const std::string& pictures = "shown") {
  auto plugin = built::open<Stage>(
      "annotate",
      {{"annotator", named("1")},
       {"second_annotator", named("2")},
       {"third_annotator", named("3")},
       {"tries", tries},
       {"pictures", pictures}},
      std::make_unique<World>(std::map<std::string, Model*>{{"1", &first}, {"2", &second}, {"3", &third}}, random));
  return plugin::make(plugin, records);
}

TEST(Majority, IsWhatTwoSayOfEachThing) {
  const Annotation a{{true, true, false}, Preference::first}, b{{true, false, false}, Preference::neither},
      c{{false, false, true}, Preference::first};
  const auto found = stages::majority({a, b, c});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->steps, (std::array<bool, 3>{true, false, false}));
  EXPECT_EQ(found->preference, Preference::first);
}

TEST(Majority, IsNoneWhereNoTwoAgree) {
  const Annotation a{{true, true, true}, Preference::first}, b{{true, true, true}, Preference::second},
      c{{true, true, true}, Preference::both}, d{{true, false, true}, Preference::first};
  EXPECT_FALSE(stages::majority({a, b, c}));
  EXPECT_FALSE(stages::majority({a, d})) << "of one step";
  EXPECT_TRUE(stages::majority({a, a}));
}

TEST(Annotate, AsksNoThirdWhereTwoAgree) {
  auto first = judge("True", "first"), second = judge("true.", "First"), third = judge("False", "neither");
  const auto outcome = annotate(first, second, third, {round("a")})[0];
  const json& made = outcome.records.at(0);
  EXPECT_EQ(made.at("steps"), (json{{true, true, true}}));
  EXPECT_EQ(made.at("preference"), "first");
  EXPECT_EQ(made.at("annotators").size(), 2u);
  EXPECT_EQ(made.at("annotators")[1].at("annotator"), "model (2)");
  EXPECT_EQ(first.prompts.size(), 4u);
  EXPECT_TRUE(third.prompts.empty());
  EXPECT_EQ(outcome.counts.at("history: True, True"), 1);
  EXPECT_FALSE(outcome.counts.contains("adjudicated"));
}

TEST(Annotate, ShowsReferenceAndReplyInTheSameForm) {
  json record = round("a");
  record["reference"] = " What\nhappened? ";
  record["candidates"][0]["reply"] = "Tell me:\n\n- a";
  auto first = judge("True", "first"), second = judge("True", "first"), third = judge("True", "first");
  annotate(first, second, third, {record});
  const auto& prompt = first.prompts[0].find("both good") == std::string::npos ? first.prompts[3] : first.prompts[0];
  EXPECT_EQ(prompt.find("What\nhappened"), std::string::npos) << prompt;
  EXPECT_NE(prompt.find("What happened?\n"), std::string::npos) << prompt;
  EXPECT_NE(prompt.find("Tell me: - a\n"), std::string::npos) << prompt;
}

TEST(Annotate, ShowsAllAnnotatorsPicturesOrLeavesThemOut) {
  json seen = round("a");
  seen["history"][0]["pictures"] = {"cat.png", "me.png"};
  for (const std::string pictures : {"shown", "left_out"}) {
    auto first = judge("True", "first"), second = judge("False", "first"), third = judge("True", "first");
    annotate(first, second, third, {seen}, 0.9, 1, pictures);
    for (const Model* annotator : {&first, &second, &third}) {
      ASSERT_EQ(annotator->pictures.size(), 4u) << "three steps and two replies";
      for (const auto& files : annotator->pictures)
        EXPECT_EQ(files,
                  pictures == "shown" ? (std::vector<std::string>{"cat.png", "me.png"}) : std::vector<std::string>{});
      for (const auto& prompt : annotator->prompts)
        EXPECT_NE(prompt.find("Seeker: [picture 1] [picture 2] I am sad a"), std::string::npos) << prompt;
    }
  }
}

TEST(Annotate, UndoesTheOrderInWhichRepliesWereShown) {
  const auto reference_first = [](const std::string& prompt) {
    return prompt.find("What happened?") < prompt.find("Tell me") ? "first" : "second";
  };
  for (const bool swapped : {false, true}) {
    auto first = judge("True", reference_first), second = first, third = first;
    const json made = annotate(first, second, third, {round("a")}, swapped ? 0.1 : 0.9)[0].records.at(0);
    EXPECT_EQ(made.at("preference"), "first") << "the reference, wherever it stood";
    EXPECT_EQ(made.at("provenance").at("preference").at("swapped"), json({swapped, swapped}));
    const auto& shown = *std::find_if(first.prompts.begin(), first.prompts.end(), [](const std::string& prompt) {
      return prompt.find("both good") != prompt.npos;
    });
    EXPECT_EQ(shown.find("Tell me a") < shown.find("What happened?"), swapped);
  }
}

// Random numbers that depend on all three arguments, as the host's do.
struct Drawing : World {
  using World::World;
  double random(uint32_t a, uint32_t b, uint32_t c) override { return uniform(1, Stream::plugin, a, b, c); }
};

TEST(Annotate, ShowsEachAnnotatorRepliesInAnOrderOfTheirOwn) {
  const auto reference_first = [](const std::string& prompt) {
    return prompt.find("First: What happened?") != prompt.npos ? "first" : "second";
  };
  auto first = judge("True", reference_first), second = judge("False", reference_first), third = first;
  auto plugin = built::open<Stage>(
      "annotate", {{"annotator", named("1")}, {"second_annotator", named("2")}, {"third_annotator", named("3")}},
      std::make_unique<Drawing>(std::map<std::string, Model*>{{"1", &first}, {"2", &second}, {"3", &third}}));
  std::vector<json> records;
  for (int i = 0; i < 40; ++i) records.push_back(round(std::to_string(i)));
  for (const auto& outcome : plugin::make(plugin, records))
    EXPECT_EQ(outcome.records.at(0).at("preference"), "first") << "the reference, wherever it stood";
  const auto order = [](const Model& model) {
    std::string drawn;
    for (auto prompt = model.prompts.rbegin(); prompt != model.prompts.rend(); ++prompt)  // answered in reverse
      if (prompt->find("both good") != prompt->npos) drawn += prompt->find("First: What happened?") != prompt->npos;
    return drawn;
  };
  EXPECT_EQ(order(first).size(), 40u);
  EXPECT_NE(order(first), order(second));
  EXPECT_NE(order(first), order(third));
  EXPECT_NE(order(second), order(third));
}

TEST(Annotate, LetsAThirdDecide) {
  auto first = judge("True", "first"), second = judge("False", "first"), third = judge("False", "second");
  const auto outcome = annotate(first, second, third, {round("a")})[0];
  EXPECT_EQ(outcome.records.at(0).at("steps"), (json{{false, false, false}}));
  EXPECT_EQ(outcome.records.at(0).at("preference"), "first");
  EXPECT_EQ(outcome.records.at(0).at("annotators").size(), 3u);
  EXPECT_EQ(outcome.counts.at("adjudicated"), 1);
  EXPECT_EQ(outcome.counts.at("preference: first, first"), 1);
}

TEST(Annotate, DropsWhatNoTwoAgreeOn) {
  auto first = judge("True", "first"), second = judge("True", "second"), third = judge("True", "neither");
  const auto outcome = annotate(first, second, third, {round("a")})[0];
  EXPECT_EQ(outcome.dropped, "no majority");
  EXPECT_EQ(outcome.counts.at("adjudicated"), 1) << "it counts for the agreement";
}

TEST(Annotate, DropsWhatAnAnnotatorDoesNotAnswer) {
  auto good = judge("True", "first"), vague = judge("perhaps", "first"), third = good;
  Model silent([](const std::string&, uint32_t) { return fails(); });
  auto outcome = annotate(good, vague, third, {round("a")}, 0.9, 2)[0];
  EXPECT_EQ(outcome.dropped, "malformed answer");
  EXPECT_EQ(outcome.counts.at("answers that could not be read"), 6) << "three steps, two tries";
  EXPECT_EQ(annotate(silent, good, third, {round("a")})[0].dropped, "no answer");
  EXPECT_TRUE(third.prompts.empty()) << "there is nothing to decide";
}

TEST(Annotate, LeavesAloneWhatIsAnnotatedAlready) {
  auto first = judge("True", "first"), second = first, third = first;
  json before = round("a");
  before["steps"] = {{false, true, true}};
  before["preference"] = "neither";
  const auto outcomes = annotate(first, second, third, {before, round("b")});
  EXPECT_TRUE(outcomes[0].unchanged);
  EXPECT_EQ(outcomes[0].counts.at("annotated before"), 1);
  EXPECT_EQ(outcomes[1].records.at(0).at("preference"), "first");
  EXPECT_EQ(first.prompts.size(), 4u) << "of the other record";
}

TEST(Annotate, OfNothingIsNothing) {
  auto first = judge("True", "first"), second = first, third = first;
  EXPECT_TRUE(annotate(first, second, third, {}).empty());
}

TEST(Annotate, NeedsACandidate) {
  auto first = judge("True", "first"), second = first, third = first;
  EXPECT_THROW(annotate(first, second, third, {dialogue("a")}), Error);
}

}  // namespace
}  // namespace compeer::asked
