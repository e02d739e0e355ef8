#include "datasets/esc_world/world/dialogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "datasets/esc_world/world/play.h"
#include "empathy/format.h"
#include "places.h"

namespace compeer::esc_world {
namespace {

constexpr uint32_t many = 2000;

std::string text_of(const WorldSample& sample) {
  std::string text = sample.id + "\n" + sample.answer + "\n" + sample.record.dump();
  for (const WorldTurn& line : sample.history) text += "\n" + line.role + ": " + line.text;
  return text;
}

TEST(WorldDialogue, IsAPureFunctionOfSeedSplitAndIndex) {
  const WorldSettings world = default_world();
  std::map<uint32_t, std::string> forward;
  for (uint32_t i = 0; i < 50; ++i) forward[i] = text_of(sample(world, "train", i));
  for (uint32_t i = 50; i-- > 0;) EXPECT_EQ(text_of(sample(world, "train", i)), forward[i]);
}

TEST(WorldDialogue, SeedsAndSplitsAreDifferentWorlds) {
  WorldSettings other = default_world();
  other.seed = 1;
  int same_seed = 0, same_split = 0;
  for (uint32_t i = 0; i < 50; ++i) {
    same_seed += sample(default_world(), "train", i).history[0].text == sample(other, "train", i).history[0].text;
    same_split +=
        sample(default_world(), "train", i).history[0].text == sample(default_world(), "test", i).history[0].text;
  }
  EXPECT_LT(same_seed, 3);
  EXPECT_LT(same_split, 3);
}

TEST(WorldDialogue, IsTheSameOnEveryMachine) {
  // Must never change: models trained on this world are compared with older ones.
  const WorldSample first = sample(default_world(), "train", 0);
  EXPECT_EQ(first.id, "esc_world/train/000000/0");
  EXPECT_EQ(first.history[0].text,
            "listen, my team takes all my strength at work. i feel quite unwanted. let me tell you more.");
}

TEST(WorldDialogue, AlternatesRolesAndEndsWithTheSeeker) {
  for (uint32_t i = 0; i < 200; ++i) {
    const WorldSample s = sample(default_world(), "valid", i);
    ASSERT_EQ(s.history.size() % 2, 1u);
    for (size_t t = 0; t < s.history.size(); ++t) EXPECT_EQ(s.history[t].role, t % 2 == 0 ? "user" : "assistant");
    EXPECT_EQ(s.record.at("said").size(), s.history.size() / 2);
    const std::string round = std::to_string(s.history.size() / 2);
    EXPECT_TRUE(s.id.starts_with("esc_world/valid/") && s.id.ends_with("/" + round)) << s.id;
  }
}

TEST(WorldDialogue, LabelsAreBalanced) {
  std::map<std::string, double> share;
  for (uint32_t i = 0; i < many; ++i) {
    const nlohmann::json record = sample(default_world(), "train", i).record;
    for (const char* key : {"stage", "emotion", "style", "problem"}) share[record.at(key)] += 1.0 / many;
    share["intensity" + record.at("intensity").dump()] += 1.0 / many;
  }
  for (Stage stage : empathy::stages) EXPECT_GT(share[std::string(name(stage))], 0.18) << name(stage);
  for (Emotion emotion : empathy::emotions) EXPECT_GT(share[std::string(name(emotion))], 0.08) << name(emotion);
  for (Style style : styles) EXPECT_GT(share[std::string(name(style))], 0.2) << name(style);
  for (const auto& problem : english().problem) EXPECT_GT(share[problem.name], 0.06) << problem.name;
  for (int i = 1; i <= 5; ++i) EXPECT_GT(share["intensity" + std::to_string(i)], 0.1) << i;
}

TEST(WorldDialogue, TheRoundDoesNotTellTheStage) {
  std::map<std::pair<size_t, std::string>, double> count;
  std::map<size_t, double> total;
  for (uint32_t i = 0; i < many; ++i) {
    const WorldSample s = sample(default_world(), "train", i);
    count[{s.history.size() / 2, s.record.at("stage")}] += 1;
    total[s.history.size() / 2] += 1;
  }
  for (const auto& [at, n] : count) EXPECT_LT(n / total[at.first], 0.75) << at.first << " " << at.second;
}

double step_truth(const WorldSettings& world, uint32_t count) {
  double right = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const WorldSample s = sample(world, "train", i);
    const Verdict verdict = judge(truth_of(s.record), s.answer);
    right += verdict.history + verdict.emotion + verdict.strategy;
  }
  return right / (3.0 * count);
}

TEST(Writers, ExpertsAreRightAndNearlyAsGoodAsCanBe) {
  const WorldSettings world = default_world("expert");
  double quality = 0;
  for (uint32_t i = 0; i < 500; ++i) {
    const WorldSample s = sample(world, "train", i);
    const Verdict verdict = judge(truth_of(s.record), s.answer);
    EXPECT_TRUE(verdict.history && verdict.emotion && verdict.strategy && verdict.format && verdict.grammatical)
        << text_of(s);
    EXPECT_GT(verdict.quality, 0.94) << text_of(s);  // 0.95 without a tail
    quality += verdict.quality / 500;
  }
  EXPECT_GT(quality, 0.97);
}

TEST(Writers, TwentyThreePercentOfStepsAreFalseByDefault) {
  EXPECT_NEAR(step_truth(default_world(), many), 0.77, 0.02);
}

TEST(Writers, HabitsAreSystematic) {
  const WorldSettings world = default_world("habit");
  double early = 0, advice = 0, late = 0, comfort = 0;
  for (uint32_t i = 0; i < many; ++i) {
    const WorldSample s = sample(world, "train", i);
    const bool exploring = s.record.at("stage") == "exploration";
    const bool driving = s.record.at("style") == "dominance" || s.record.at("style") == "conscientiousness";
    const auto reply = read(empathy::reply_of(s.answer), english());
    if (!reply || exploring != driving) continue;
    (driving ? early : late) += 1;
    if (driving) advice += reply->strategy() == Strategy::suggestion;
    if (!driving) comfort += reply->safe();
  }
  EXPECT_GT(advice / early, 0.5);
  EXPECT_GT(comfort / late, 0.6);
}

TEST(Writers, ErrorsHaveTheirRates) {
  WorldSettings careless = default_world("expert"), breaking = default_world("expert");
  careless.writer.errors.format = 0.5;
  breaking.writer.errors.grammar = 0.25;
  double format = 0, grammar = 0;
  for (uint32_t i = 0; i < many; ++i) {
    const WorldSample a = sample(careless, "train", i), b = sample(breaking, "train", i);
    format += judge(truth_of(a.record), a.answer).format;
    grammar += judge(truth_of(b.record), b.answer).grammatical;
  }
  EXPECT_NEAR(format / many, 0.5, 0.04);
  EXPECT_NEAR(grammar / many, 0.75, 0.04);
}

TEST(Ambiguity, OffMeansEveryUtteranceTellsEmotionStageAndStyle) {
  WorldSettings world = default_world();
  world.ambiguity = 0;
  const auto holds = [](const std::string& text, const std::vector<std::string>& cues) {
    return std::any_of(cues.begin(), cues.end(), [&](const std::string& cue) {
      const size_t slot = cue.find("{i}");
      return text.find(slot == std::string::npos ? cue : cue.substr(slot + 3)) != std::string::npos;
    });
  };
  for (uint32_t i = 0; i < 300; ++i) {
    const WorldSample s = sample(world, "train", i);
    const Seeker seeker = truth_of(s.record).seeker;
    const std::string& text = s.history.back().text;
    EXPECT_TRUE(holds(text, english().cues[static_cast<size_t>(seeker.emotion)])) << text_of(s);
    EXPECT_TRUE(holds(text, english().stage_cues[static_cast<size_t>(seeker.stage)])) << text_of(s);
    EXPECT_TRUE(holds(text, english().markers[static_cast<size_t>(seeker.style)])) << text_of(s);
  }
}

TEST(Ambiguity, MisleadsAsOftenAsItSays) {
  int clear = 0;
  for (uint32_t i = 0; i < many; ++i) {
    const WorldSample s = sample(default_world(), "train", i);
    const auto& cues = english().stage_cues[static_cast<size_t>(truth_of(s.record).seeker.stage)];
    clear += std::any_of(cues.begin(), cues.end(),
                         [&](const std::string& cue) { return s.history.back().text.ends_with(cue); });
  }
  EXPECT_NEAR(static_cast<double>(clear) / many, 0.85, 0.03);
}

/// Counts words, punctuation marks, tags and line ends, nearly all of which are one token.
size_t pieces(const std::string& text) {
  size_t count = 0;
  bool in_word = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<')
      i = text.find('>', i), in_word = false, ++count;
    else if (std::isalpha(static_cast<unsigned char>(text[i])))
      count += !in_word, in_word = true;
    else
      in_word = false, count += text[i] != ' ';
  }
  return count;
}

TEST(WorldDialogue, FitsASmallModel) {
  double prompts = 0, answers = 0;
  for (uint32_t i = 0; i < many; ++i) {
    const WorldSample s = sample(default_world(), "train", i);
    size_t prompt = 3;
    for (const WorldTurn& line : s.history) prompt += 5 + pieces(line.text);  // plus the special tokens of a turn
    const size_t answer = pieces(s.answer) + 1;
    EXPECT_LE(prompt, 150u) << text_of(s);
    EXPECT_LE(answer, 52u) << text_of(s);
    prompts += static_cast<double>(prompt) / many, answers += static_cast<double>(answer) / many;
  }
  EXPECT_NEAR(prompts, 68, 4);
  EXPECT_NEAR(answers, 38, 3);
}

TEST(WorldDialogue, UnknownNamesAreRefused) {
  EXPECT_THROW(sample(default_world(), "dev", 0), std::invalid_argument);
  EXPECT_THROW(default_world("novice"), std::invalid_argument);
  EXPECT_THROW(lexicon("tlh"), std::invalid_argument);
}

TEST(Settings, DescriptorAndWorldHaveTheSameDefaults) {
  std::ifstream file(COMPEER_SOURCE_DIR "/plugins/datasets/esc_world/esc_world.cpp");
  std::stringstream source;
  source << file.rdbuf();
  const std::string text = source.str(), open = "R\"json(";
  const size_t from = text.find(open) + open.size();
  const auto descriptor = nlohmann::json::parse("{" + text.substr(from, text.find(")json\"") - from) + "}");
  nlohmann::json settings;
  for (const auto& [key, parameter] : descriptor.at("parameters").items()) settings[key] = parameter.at("default");
  for (uint32_t i = 0; i < 300; ++i) {
    EXPECT_EQ(text_of(sample(parse_world_settings(settings), "train", i)),
              text_of(sample(default_world(), "train", i)));
  }
  // Every setting except the sizes, the language and the unit changes the world.
  for (const auto& [key, value] : settings.items()) {
    if (key == "train" || key == "valid" || key == "test" || key == "language" || key == "unit") continue;
    nlohmann::json changed = settings;
    if (value.is_string()) changed[key] = "expert";
    if (value.is_number_integer()) changed[key] = value.get<int>() + 1;
    if (value.is_number_float()) changed[key] = value.get<double>() / 2;
    bool differs = false;
    for (uint32_t i = 0; i < 300 && !differs; ++i) {
      differs =
          text_of(sample(parse_world_settings(changed), "train", i)) != text_of(sample(default_world(), "train", i));
    }
    EXPECT_TRUE(differs) << key;
  }
}

const std::vector<std::string> comfort = {"i am here for you. you are not alone.", "potato.",
                                          "i am here for you. you are not alone."};

TEST(Play, BeginsAsTheWorldsOwnDialogues) {
  const WorldSettings world = default_world();
  for (uint32_t i = 0; i < 100; ++i) {
    const WorldDialogue own = dialogue(world, "test", i);
    const auto rounds = played(world, "test", i, {own.turns[1].text});
    EXPECT_EQ(rounds.at(0).utterance, own.turns[0].text);
    EXPECT_EQ(to_json(rounds.at(0).truth), to_json(own.truths[0]));
  }
}

TEST(Play, IsAPureFunctionOfWhatWasSaidSoFar) {
  const WorldSettings world = default_world();
  for (uint32_t i = 0; i < 50; ++i) {
    const auto all = played(world, "valid", i, comfort);
    ASSERT_EQ(all.size(), 4u);
    const auto begun = played(world, "valid", i, {comfort[0]});
    ASSERT_EQ(begun.size(), 2u);
    EXPECT_EQ(begun[1].utterance, all[1].utterance);
    EXPECT_EQ(begun[1].truth.seeker, all[1].truth.seeker);
  }
}

TEST(Play, HearsWithHabituationAndNothingInWhatItDoesNotKnow) {
  WorldSettings world = default_world();
  world.feelings.safe_quality = 0.8;
  bool wanted_more = false, content = false;
  for (uint32_t i = 0; i < 50; ++i) {
    const auto rounds = played(world, "test", i, comfort);
    const auto& seeker = rounds[2].truth.seeker;
    const double part = seeker.stage == Stage::action && seeker.style == Style::dominance ? 0.5 : 1.0;
    // "safe" once more, and two repeated sentences: 3/2 repeats, with a factor of 0.7 each.
    EXPECT_NEAR(rounds[2].heard.felt, 0.8 * part * 0.585662018573853, 1e-12);
    EXPECT_EQ(rounds[1].heard.felt, 0);
    EXPECT_FALSE(rounds[1].heard.reply);
    EXPECT_TRUE(rounds[1].heard.keys.empty());
    EXPECT_EQ(rounds[2].truth.said, (EarlierReplies{{"safe/0", "safe/1"}, {}}));
    EXPECT_EQ(rounds[3].truth.said.size(), 3u);
    (part == 1 ? content : wanted_more) = true;
  }
  EXPECT_TRUE(wanted_more && content);
}

TEST(Play, EasesTheFeelingAfterGoodRepliesOnly) {
  const WorldSettings world = default_world();
  double worse = 0, better = 0;
  for (uint32_t i = 0; i < 200; ++i) {
    const auto poor = played(world, "test", i, std::vector<std::string>(5, "potato."));
    for (size_t r = 1; r < poor.size(); ++r)
      EXPECT_GE(poor[r].truth.seeker.intensity, poor[r - 1].truth.seeker.intensity);
    worse += poor.back().truth.seeker.intensity - poor.front().truth.seeker.intensity;
    Play play(world, "test", i);
    for (int round = 0; round < 5; ++round) {
      const WrittenCompletion good = write({}, play.truth().seeker, play.truth().said, play.truth().feelings,
                                           play.words(), play.place(), Purpose::supporter);
      const PerceivedReply heard = play.hear(good.spoken);
      EXPECT_GT(heard.felt, 0.45) << good.spoken << ": at worst, one strategy was there before, and no tail";
      play.advance(heard.keys, heard.felt);
    }
    better += played(world, "test", i, {}).front().truth.seeker.intensity - play.truth().seeker.intensity;
  }
  EXPECT_GT(worse, 100) << "of 200";
  EXPECT_GT(better, 100);
}

TEST(Play, KnowsThreeSplits) { EXPECT_THROW(Play(default_world(), "dev", 0), std::invalid_argument); }

TEST(Scenario, SaysWhatTheFirstMomentIs) {
  const Scenario one = scenario(default_world(), "train", 0);
  EXPECT_EQ(one.id, "esc_world/train/000000");
  EXPECT_EQ(one.first_talk,
            "listen, my team takes all my strength at work. i feel quite unwanted. let me tell you more.");
  EXPECT_EQ(one.problem, "work");
  EXPECT_EQ(one.style, "dominance");
  EXPECT_EQ(one.player, "direct and in a hurry, begins with \"to be direct,\"");
  EXPECT_EQ(one.scene, "my team has been hard on me at work. i feel quite ashamed.") << "plainer than what is said";
  EXPECT_EQ(one.card,
            "Problem: work: my team has been hard on me at work.\n"
            "Manner: direct and in a hurry, begins with \"to be direct,\"\n"
            "Feeling: i feel quite ashamed.\n"
            "Now: i do not know where to start.");
}

TEST(Scenario, LeavesNoSlotOpen) {
  for (uint32_t i = 0; i < 200; ++i) {
    const Scenario one = scenario(default_world(), "test", i);
    for (const auto& text : {one.card, one.player, one.scene, one.task, one.first_talk}) {
      EXPECT_FALSE(text.empty());
      EXPECT_EQ(text.find('{'), std::string::npos) << text;
    }
    EXPECT_EQ(one.first_talk, dialogue(default_world(), "test", i).turns[0].text);
  }
}

}  // namespace
}  // namespace compeer::esc_world
