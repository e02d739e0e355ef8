#include "empathy/judgement.h"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>
#include <vector>

#include "empathy/format.h"
#include "empathy/labels.h"

namespace compeer::empathy {
namespace {

const Structured sample = {"exploration", "negative sadness 4", "question", "what happened at work ?"};
const std::string canonical =
    "<history>exploration</history><emotion>negative sadness 4</emotion><strategy>question</strategy>\n"
    "what happened at work ?";

TEST(Format, PrintsOneCanonicalText) { EXPECT_EQ(print(sample), canonical); }

TEST(Format, ParsesWhatItPrints) {
  const Parsed parsed = parse(canonical);
  ASSERT_TRUE(parsed) << parsed.refusal;
  EXPECT_EQ(*parsed.value, sample);
  EXPECT_EQ(parsed.refusal, "");
}

TEST(Format, WhiteSpaceAroundPartsDoesNotMatter) {
  const Parsed parsed = parse(
      "\n <history> exploration\n</history>\n\n<emotion>\tnegative sadness 4 </emotion> "
      "<strategy> question </strategy>   what happened at work ?\r\n");
  ASSERT_TRUE(parsed) << parsed.refusal;
  EXPECT_EQ(*parsed.value, sample);
}

/// Returns a text of pieces that are difficult for the parser: near-tags, brackets, inner white space, other scripts.
std::string hard_text(std::mt19937& generator) {
  static const std::vector<std::string> pieces = {
      "a",         "<",  ">",  "/",           "</",           "history",   "<histor",
      "<History>", " ",  "\n", "</emotions>", "\xe4\xbd\xa0", "strategy>", "&lt;",
      "\"",        "<<", "0"};
  std::string text = "x";
  const size_t count = generator() % 12;
  for (size_t i = 0; i < count; ++i) text += pieces[generator() % pieces.size()];
  return text + "y";
}

bool holds_tag(const std::string& text) {
  for (const char* tag : {"<history>", "</history>", "<emotion>", "</emotion>", "<strategy>", "</strategy>"}) {
    if (text.find(tag) != std::string::npos) return true;
  }
  return false;
}

TEST(Format, PrintThenParseIsIdentityForHardTexts) {
  std::mt19937 generator(7);
  int printed = 0;
  for (int i = 0; i < 5000; ++i) {
    const Structured parts = {hard_text(generator), hard_text(generator), hard_text(generator), hard_text(generator)};
    if (holds_tag(parts.history) || holds_tag(parts.emotion) || holds_tag(parts.strategy) || holds_tag(parts.reply)) {
      EXPECT_THROW(print(parts), std::invalid_argument);
      continue;
    }
    ++printed;
    const Parsed parsed = parse(print(parts));
    ASSERT_TRUE(parsed) << print(parts) << "\n" << parsed.refusal;
    EXPECT_EQ(*parsed.value, parts);
  }
  EXPECT_GT(printed, 4000);
}

TEST(Format, ParseThenPrintThenParseIsIdentityForRandomTagSequences) {
  std::mt19937 generator(11);
  const std::vector<std::string> pieces = {"<history>",   "</history>", "<emotion>", "</emotion>", "<strategy>",
                                           "</strategy>", "one",        " two ",     "\n"};
  int accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    // A well-formed text with up to two random pieces inserted.
    std::vector<std::string> text = {"<history>",  "a",          "</history>", "<emotion>",   "b",
                                     "</emotion>", "<strategy>", "c",          "</strategy>", "d"};
    for (uint32_t edits = generator() % 3; edits > 0; --edits) {
      text.insert(text.begin() + generator() % (text.size() + 1), pieces[generator() % pieces.size()]);
    }
    std::string joined;
    for (const std::string& piece : text) joined += piece;
    const Parsed parsed = parse(joined);
    EXPECT_EQ(parsed.value.has_value(), parsed.refusal.empty());
    if (!parsed) continue;
    ++accepted;
    EXPECT_EQ(parse(print(*parsed.value)).value, parsed.value) << joined;
  }
  EXPECT_GT(accepted, 500);
  EXPECT_LT(accepted, 2500);
}

TEST(Format, RefusalSaysWhy) {
  EXPECT_EQ(parse("").refusal, "no <history>");
  EXPECT_EQ(parse("hello").refusal, "no <history>");
  EXPECT_EQ(parse("hi <history>a</history>").refusal, "text before <history>");
  EXPECT_EQ(parse("<history>a</history>").refusal, "no <emotion>");
  EXPECT_EQ(parse("<history>a").refusal, "<history> is not closed");
  EXPECT_EQ(parse("<history>a<emotion>b</emotion>").refusal, "<emotion> inside <history>");
  EXPECT_EQ(parse("<emotion>b</emotion><history>a</history>").refusal, "<emotion> where <history> should be");
  EXPECT_EQ(parse("<history> </history><emotion>b</emotion>").refusal, "<history> is empty");
  EXPECT_EQ(parse("<history>a</history> and <emotion>b</emotion>").refusal, "text before <emotion>");
  EXPECT_EQ(parse("<history>a</history><emotion>b</emotion><strategy>c</strategy> \n").refusal, "no reply");
  EXPECT_EQ(parse("<history>a</history><emotion>b</emotion><strategy>c</strategy>d<history>").refusal,
            "<history> in the reply");
}

TEST(Format, PrintRefusesWhatCouldNotBeReadBack) {
  for (const Structured& bad : {Structured{"", "b", "c", "d"}, Structured{"a", " b", "c", "d"},
                                Structured{"a", "b", "c</strategy>", "d"}, Structured{"a", "b", "c", "d\n"}}) {
    EXPECT_THROW(print(bad), std::invalid_argument);
  }
}

TEST(Format, StepsOfABrokenTextAreThoseThatAreWhole) {
  const Steps steps = steps_of("<emotion>b</emotion><history>a<strategy> c </strategy> d");
  EXPECT_FALSE(steps.history.has_value());
  EXPECT_EQ(steps.emotion, "b");
  EXPECT_EQ(steps.strategy, "c");
}

TEST(Format, StepsTakeTheFirstOfRepeatedTags) {
  EXPECT_EQ(steps_of("<history>a</history><history>b</history>").history, "a");
}

TEST(Format, ReplyOfAnyTextIsWhatFollowsTheLastTag) {
  EXPECT_EQ(reply_of(canonical), "what happened at work ?");
  EXPECT_EQ(reply_of(" just a reply "), "just a reply");
  EXPECT_EQ(reply_of("<emotion>b</emotion> first <history>a</history> second"), "second");
  EXPECT_EQ(reply_of("<history>never closed"), "");
  EXPECT_EQ(reply_of(""), "");
  EXPECT_EQ(reply_of("<think><emotion>so sad</think>\nwhy?"), "why?");
}

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

const Disc sample_disc = {{4, 0, 10, 2}, "short sentences: asks for facts"};

TEST(Disc, PrintsOneCanonicalText) {
  EXPECT_EQ(print(sample_disc),
            "dominance: 4\ninfluence: 0\nsteadiness: 10\ncompliance: 2\nmanner: short sentences: asks for facts");
}

TEST(Disc, WhiteSpaceAndCaseOfNamesDoNotMatter) {
  const auto read = parse_disc(
      "\n Dominance : 4\r\n\ninfluence:0\nSTEADINESS: 10\ncompliance: 2\n manner:  short sentences: asks for facts \n");
  ASSERT_TRUE(read) << read.refusal;
  EXPECT_EQ(*read.value, sample_disc);
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

TEST(Labels, EveryNameReadsBackAsItsLabel) {
  for (Stage label : stages) EXPECT_EQ(read_stage(name(label)), label);
  for (Sentiment label : sentiments) EXPECT_EQ(read_sentiment(name(label)), label);
  for (Emotion label : emotions) EXPECT_EQ(read_emotion(name(label)), label);
  for (Strategy label : strategies) EXPECT_EQ(read_strategy(name(label)), label);
}

TEST(Labels, ESConvsNamesOfStrategiesAreRead) {
  constexpr std::array names = {"Question",
                                "Restatement or Paraphrasing",
                                "Reflection of feelings",
                                "Self-disclosure",
                                "Affirmation and Reassurance",
                                "Providing Suggestions",
                                "Information",
                                "Others"};
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(read_strategy(names[i]), strategies[i]) << names[i];
}

TEST(Labels, WordingAroundALabelDoesNotMatter) {
  EXPECT_EQ(read_stage("We are now in the COMFORTING stage."), Stage::comforting);
  EXPECT_EQ(read_emotion("they feel lonely, deep loneliness"), Emotion::loneliness);
  EXPECT_EQ(read_strategy("so i will use Self-disclosure now"), Strategy::disclosure);
}

TEST(Labels, TwoDifferentLabelsAreNone) {
  EXPECT_EQ(read_stage("exploration or action"), std::nullopt);
  EXPECT_EQ(read_emotion("anger and hope"), std::nullopt);
  EXPECT_EQ(read_strategy("question then suggestion"), std::nullopt);
}

TEST(Labels, OnlyWholeWordsCount) {
  EXPECT_EQ(read_emotion("danger"), std::nullopt);
  EXPECT_EQ(read_stage("reaction"), std::nullopt);
  EXPECT_EQ(read_strategy(""), std::nullopt);
}

TEST(Labels, IntensityIsTheOneDigitFromOneToFive) {
  EXPECT_EQ(read_intensity("anger at 4 of it"), 4);
  EXPECT_EQ(read_intensity("3/5"), std::nullopt);
  EXPECT_EQ(read_intensity("14"), std::nullopt);
  EXPECT_EQ(read_intensity("6"), std::nullopt);
  EXPECT_EQ(read_intensity("none"), std::nullopt);
}

TEST(Labels, SentimentFollowsFromEmotion) {
  EXPECT_EQ(sentiment_of(Emotion::hope), Sentiment::positive);
  EXPECT_EQ(sentiment_of(Emotion::confusion), Sentiment::neutral);
  EXPECT_EQ(sentiment_of(Emotion::anger), Sentiment::negative);
}

}  // namespace
}  // namespace compeer::empathy
