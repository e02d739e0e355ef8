#include "empathy/judgement.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

namespace compeer::empathy {
namespace {

TEST(StepVerdicts, ReadsItsWordsAndNothingElse) {
  const StepVerdicts verdicts;
  EXPECT_EQ(verdicts.parse("True").value, true);
  EXPECT_EQ(verdicts.parse(" false.\n").value, false);
  EXPECT_EQ(verdicts.parse("TRUE\xe3\x80\x82").value, true);
  EXPECT_EQ(verdicts.parse("").refusal, "no answer");
  EXPECT_EQ(verdicts.parse("Truely").refusal, "'Truely' is not 'True' or 'False'");
  EXPECT_EQ(verdicts.parse("True, because").refusal, "'True, because' is not 'True' or 'False'");
  EXPECT_EQ(verdicts.parse("True False").refusal, "'True False' is not 'True' or 'False'");
  EXPECT_EQ(verdicts.parse("True..").refusal, "'True..' is not 'True' or 'False'");
}

TEST(Preferences, ReadsTheFourAnswers) {
  const Preferences read;
  EXPECT_EQ(read.parse("first").value, Preference::first);
  EXPECT_EQ(read.parse("Second.").value, Preference::second);
  EXPECT_EQ(read.parse("both good").value, Preference::both);
  EXPECT_EQ(read.parse("neither").value, Preference::neither);
  EXPECT_EQ(read.parse("both").refusal, "'both' is not 'first', 'second', 'both good' or 'neither'");
}

TEST(Preferences, SwappingTwiceChangesNothing) {
  EXPECT_EQ(swapped(Preference::first), Preference::second);
  EXPECT_EQ(swapped(Preference::both), Preference::both);
  EXPECT_EQ(swapped(Preference::neither), Preference::neither);
  for (Preference p : preferences) EXPECT_EQ(swapped(swapped(p)), p);
}

TEST(FilterVerdicts, ReadsTheReason) {
  const FilterVerdicts read;
  EXPECT_EQ(read.parse("keep").value, Fitness::keep);
  EXPECT_EQ(read.parse("No dialogue").value, Fitness::no_dialogue);
  EXPECT_EQ(read.parse("Personal data").value, Fitness::personal_data);
  EXPECT_EQ(read.parse("crisis").value, Fitness::crisis);
  EXPECT_EQ(read.parse("drop").refusal,
            "'drop' is not 'keep', 'incoherent', 'artificial', 'no dialogue', 'personal data' or 'crisis'");
}

TEST(Answers, RefusalsShowTheBeginningOfLongTextsAndCutNoCharacter) {
  const std::string text = std::string(39, 'a') + "\xe4\xbd\xa0" + std::string(20, 'b');
  EXPECT_EQ(StepVerdicts().parse(text).refusal, "'" + std::string(39, 'a') + "...' is not 'True' or 'False'");
}

TEST(Answers, RefusesWordsThatCouldNotBeReadBackOrToldApart) {
  const std::vector<std::vector<std::string>> bad = {{"a"},       {"a", ""},        {"a", " b"},
                                                     {"a", "b."}, {"same", "Same"}, {"a", "b\xe3\x80\x82"}};
  for (const auto& words : bad) EXPECT_THROW(Answers{words}, std::invalid_argument);
  EXPECT_THROW(StepVerdicts({"yes", "no", "maybe"}), std::invalid_argument);
  EXPECT_THROW(Preferences({"1", "2", "3"}), std::invalid_argument);
}

TEST(Answers, WordsAreConfiguration) {
  const StepVerdicts chinese({"\xe5\xaf\xb9", "\xe9\x94\x99"});
  EXPECT_EQ(chinese.parse(" \xe9\x94\x99\xe3\x80\x82").value, false);
}

TEST(Answers, PrintThenParseIsIdentityForRandomWords) {
  std::mt19937 generator(3);
  const std::vector<std::string> pieces = {"a", "B", ".", " ", "\n", "\xe3\x80\x82", "\xe4\xbd\xa0", "'", ",", "x."};
  const auto random_word = [&] {
    std::string word;
    for (uint32_t n = generator() % 5; n > 0; --n) word += pieces[generator() % pieces.size()];
    return word;
  };
  int made = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::vector<std::string> words = {random_word(), random_word(), random_word()};
    std::optional<Answers> answers;
    try {
      answers.emplace(words);
    } catch (const std::invalid_argument&) {
      continue;
    }
    ++made;
    for (size_t k = 0; k < words.size(); ++k) {
      EXPECT_EQ(answers->parse(answers->print(k)).value, k);
      EXPECT_EQ(answers->parse(" " + answers->print(k) + ".\n").value, k);
    }
    const std::string other = random_word();
    const auto read = answers->parse(other);
    EXPECT_EQ(read.value.has_value(), read.refusal.empty());
    if (!read) continue;
    EXPECT_EQ(answers->parse(answers->print(*read.value)).value, read.value);
  }
  EXPECT_GT(made, 100);
}

const Disc sample = {{4, 0, 10, 2}, "short sentences: asks for facts"};

TEST(Disc, PrintsOneCanonicalText) {
  EXPECT_EQ(print(sample),
            "dominance: 4\ninfluence: 0\nsteadiness: 10\ncompliance: 2\nmanner: short sentences: asks for facts");
}

TEST(Disc, WhiteSpaceAndCaseOfNamesDoNotMatter) {
  const auto read = parse_disc(
      "\n Dominance : 4\r\n\ninfluence:0\nSTEADINESS: 10\ncompliance: 2\n manner:  short sentences: asks for facts \n");
  ASSERT_TRUE(read) << read.refusal;
  EXPECT_EQ(*read.value, sample);
}

TEST(Disc, RefusalSaysWhy) {
  EXPECT_EQ(parse_disc("").refusal, "no 'dominance:'");
  EXPECT_EQ(parse_disc("dominance: 4").refusal, "no 'influence:'");
  EXPECT_EQ(parse_disc("influence: 4").refusal, "'influence: 4' where 'dominance:'");
  EXPECT_EQ(parse_disc("dominance: 11").refusal, "dominance is '11', not a whole number from 0 to 10");
  EXPECT_EQ(parse_disc("dominance: high").refusal, "dominance is 'high', not a whole number from 0 to 10");
  EXPECT_EQ(parse_disc("dominance: -1").refusal, "dominance is '-1', not a whole number from 0 to 10");
  const std::string four = "dominance: 4\ninfluence: 0\nsteadiness: 10\ncompliance: 2\n";
  EXPECT_EQ(parse_disc(four + "kind").refusal, "'kind' where 'manner:'");
  EXPECT_EQ(parse_disc(four + "manner: kind\nand calm").refusal, "'and calm' after the manner");
  EXPECT_EQ(parse_disc(four).value->manner, "");
}

TEST(Disc, PrintThenParseIsIdentityForRandomPersonas) {
  std::mt19937 generator(5);
  const std::vector<std::string> pieces = {"a", ":", " ", "manner:", "\xe4\xbd\xa0", "7", "dominance: 3", "\n", "\r"};
  int printed = 0;
  for (int i = 0; i < 3000; ++i) {
    Disc persona;
    for (int& trait : persona.traits) trait = static_cast<int>(generator() % 13) - 1;
    for (uint32_t n = generator() % 6; n > 0; --n) persona.manner += pieces[generator() % pieces.size()];
    std::string text;
    try {
      text = print(persona);
    } catch (const std::invalid_argument&) {
      continue;
    }
    ++printed;
    const auto read = parse_disc(text);
    ASSERT_TRUE(read) << text << "\n" << read.refusal;
    EXPECT_EQ(*read.value, persona) << text;
  }
  EXPECT_GT(printed, 500);
}

}  // namespace
}  // namespace compeer::empathy
