#include "asked.h"

namespace compeer::asked {
namespace {

json said(const std::string& id, const std::vector<std::string>& replies, json scores = {}) {
  json record = {{"id", id}, {"turns", json::array()}};
  for (const auto& reply : replies) {
    record["turns"].push_back({{"role", "user"}, {"text", "hm"}});
    record["turns"].push_back({{"role", "assistant"}, {"text", reply}});
  }
  if (!scores.is_null()) record["scores"] = scores;
  return record;
}

json found_in(const std::vector<json>& records, const json& settings = {{"n", 2}, {"resamples", 0}}) {
  auto stage = built::open<Stage>("diversity", settings);
  std::vector<std::string> summaries;
  for (const json& record : records)
    summaries.push_back(stage.call("summary", [&](Stage& s) { return s.summary(record); }));
  for (const auto& summary : summaries) stage.call("add_summary", [&](Stage& s) { s.add_summary(summary); });
  const auto outcomes = plugin::make(stage, records);
  for (const auto& outcome : outcomes) EXPECT_TRUE(outcome.unchanged);
  return built::findings(stage, outcomes);
}

// Pairs of the second replies: in x "a b" is new and "b c" was said before; in y both pairs of "d e f" were said
// before.
TEST(Diversity, TellsWhatWasSaidBeforeInTheSameDialogue) {
  const auto found = found_in({said("x", {"b c", "a b c"}), said("y", {"d e f", "D e, f."})});
  EXPECT_DOUBLE_EQ(found.at("repetition").at("value"), (0.5 + 1) / 2);
  const auto& curve = found.at("curves").at("repetition");
  EXPECT_TRUE(curve[0].at("value").is_null()) << "nothing was said before the first";
  EXPECT_DOUBLE_EQ(curve[1].at("value"), 0.75);
  EXPECT_EQ(curve[1].at("n"), 2);
}

// x: bc, ab, bc; y: de, ef, de, ef. All together: bc ab bc de ef de ef.
TEST(Diversity, TellsDistinctPairsOfADialogueFromThoseOfAll) {
  const auto found = found_in({said("x", {"b c", "a b c"}), said("y", {"d e f", "d e f"})});
  EXPECT_DOUBLE_EQ(found.at("dialogue_distinct_2").at("value"), (2.0 / 3 + 2.0 / 4) / 2);
  EXPECT_DOUBLE_EQ(found.at("distinct_2").at("value"), 4.0 / 7);
  EXPECT_DOUBLE_EQ(found.at("curves").at("distinct_2")[0].at("value"), 1.0);
  EXPECT_DOUBLE_EQ(found.at("length").at("value"), (2 + 3 + 3 + 3) / 4.0);
}

TEST(Diversity, OfNobodyWhoSpeaksIsUnknownAndNotNone) {
  const auto silent = found_in({said("x", {})});
  EXPECT_EQ(silent.at("n"), 0);
  for (const json& column : silent.at("columns"))
    EXPECT_TRUE(silent.at(column.get<std::string>()).at("value").is_null()) << column;
  const auto half = found_in({said("x", {}), said("y", {"hm"}), said("z", {"a b", "b c"})});
  EXPECT_EQ(half.at("n"), 2);
  EXPECT_DOUBLE_EQ(half.at("dialogue_distinct_2").at("value"), 1) << "of z; y has no pairs";
}

TEST(Diversity, TellsHowOftenNothingIsSaid) {
  const auto found = found_in({said("x", {"a b", "...", ""}), said("y", {"c d"})});
  EXPECT_DOUBLE_EQ(found.at("silent").at("value"), 0.5);
}

TEST(Diversity, CountsDialoguesThatEndEarly) {
  const auto found = found_in({said("x", {"a b"}), said("y", {"c d", "e f"})});
  EXPECT_EQ(found.at("replies"), 3);
  EXPECT_EQ(found.at("curves").at("length")[1].at("n"), 1);
}

// Scores 1, 2, 3 and fractions of distinct pairs 1/2, 3/4, 1: the same order. The mean of two judges counts as one
// score.
TEST(Diversity, GoesWithTheJudgesScore) {
  const auto found =
      found_in({said("x", {"a b", "a b"}, {{"diversity", 1}}),
                said("y", {"a b c", "b c d"}, {{"one", {{"diversity", 1}}}, {"two", {{"diversity", 3}}}}),
                said("z", {"a b", "c d"}, {{"diversity", 3}})});
  EXPECT_DOUBLE_EQ(found.at("expression").at("with_distinct_2").at("value"), 1);
  EXPECT_DOUBLE_EQ(found.at("expression").at("with_repetition").at("value"), -1);
  EXPECT_FALSE(found_in({said("x", {"a b"})}).contains("expression"));
}

TEST(Diversity, NamesTheScoreThatIsMisspelt) {
  const auto refused = [](const std::string& score, const json& scores) {
    try {
      found_in({said("x", {"a b"}, scores)}, {{"n", 2}, {"resamples", 0}, {"score", score}});
      return std::string();
    } catch (const Error& error) {
      return error.problem() + "; " + error.help();
    }
  };
  const json by_judge = {{"one", {{"fluency", 1}, {"diversity", 2}}}, {"two", {{"fluency", 1}, {"diversity", 2}}}};
  EXPECT_EQ(refused("diversty", by_judge),
            "'score': no record has a score 'diversty'; did you mean 'diversity'? known: diversity, fluency");
  EXPECT_EQ(refused("fluensy", {{"fluency", 1}}),
            "'score': no record has a score 'fluensy'; did you mean 'fluency'? known: fluency");
  EXPECT_EQ(refused("diversity", {{"fluency", 1}}), "") << "records need not have it";
}

TEST(Diversity, TakesEachChineseCharacterForAWord) {
  EXPECT_DOUBLE_EQ(found_in({said("x", {"我很难过", "我很难受"})}).at("length").at("value"), 4);
}

}  // namespace
}  // namespace compeer::asked
