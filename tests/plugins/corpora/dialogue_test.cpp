#include "corpora/dialogue.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "base/error.h"
#include "corpora/sources.h"

namespace compeer::corpora {
namespace {

// The supporter begins; then a run of two utterances of the seeker, and one of three of the supporter.
Dialogue example() {
  Dialogue dialogue{"7", {}, {{"problem", nullptr}}};
  dialogue.utterances = {{Role::supporter, "hello", {{"strategy", "Question"}}},
                         {Role::seeker, "hi", {{"feedback", 3}}},
                         {Role::seeker, "i am sad"},
                         {Role::supporter, "why?", {{"strategy", "Question"}}},
                         {Role::supporter, "go on", {{"strategy", json::array({"Others", "Question"})}}},
                         {Role::supporter, "please", {{"as", "a friend"}}},
                         {Role::seeker, "ok"}};
  return dialogue;
}

TEST(Dialogue, MergesRunsAndListsTheirLabels) {
  const auto said = example().utterances;
  const auto all = runs(said, true);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(spoken(said, all[1]).text, "hi\ni am sad");
  EXPECT_EQ(spoken(said, all[1]).labels, (json{{"feedback", {3, nullptr}}}));
  const SpokenTurn third = spoken(said, all[2]);
  EXPECT_EQ(third.text, "why?\ngo on\nplease");
  EXPECT_EQ(third.labels.at("strategy"), (json{"Question", "Others", "Question", nullptr}));
  EXPECT_EQ(third.labels.at("as"), (json{nullptr, nullptr, "a friend"}));
  EXPECT_EQ(runs(said, false).size(), 7u);
}

TEST(Dialogue, AnswersFollowTheSeeker) {
  Dialogue dialogue = example();
  const auto merged = runs(dialogue.utterances, true), apart = runs(dialogue.utterances, false);
  EXPECT_EQ(answers(dialogue, merged, false), (std::vector<size_t>{2}));
  EXPECT_EQ(answers(dialogue, apart, false), (std::vector<size_t>{3}));
  dialogue.target_answers = {7};  // an answer that the corpus withholds
  EXPECT_EQ(answers(dialogue, merged, false), (std::vector<size_t>{4}));
  EXPECT_EQ(answers(dialogue, merged, true), (std::vector<size_t>{2, 4}));
  dialogue.target_answers = {5};  // within the run
  EXPECT_EQ(answers(dialogue, merged, false), (std::vector<size_t>{2}));
  dialogue.target_answers.emplace();
  EXPECT_EQ(answers(dialogue, merged, false), std::vector<size_t>());
  EXPECT_EQ(answers({}, {}, true), std::vector<size_t>());
}

TEST(Dialogue, IsTheSameUnpacked) {
  Dialogue dialogue = example();
  dialogue.target_answers = {1, 7};
  const Dialogue back = unpack(pack(dialogue));
  EXPECT_EQ(back.id, "7");
  EXPECT_EQ(back.labels, dialogue.labels);
  EXPECT_EQ(back.target_answers, dialogue.target_answers);
  ASSERT_EQ(back.utterances.size(), 7u);
  for (size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(back.utterances[i].role, dialogue.utterances[i].role);
    EXPECT_EQ(back.utterances[i].text, dialogue.utterances[i].text);
    EXPECT_EQ(back.utterances[i].labels, dialogue.utterances[i].labels);
  }
  EXPECT_FALSE(unpack(pack(example())).target_answers.has_value());
}

TEST(Pictures, AreTheFilesThatAreThereAndStillsBesideVideos) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "dialogue_media";
  std::filesystem::create_directories(folder / "faces");
  for (const char* name : {"cat.jpg", "cat.png", "faces/talk.jpeg", "note.txt"}) std::ofstream(folder / name) << "x";
  const auto found = [&](const json& media) {
    std::vector<std::string> names;
    for (const auto& file : pictures({{"media", media}}, folder))
      names.push_back(std::filesystem::relative(file, folder).string());
    return names;
  };
  EXPECT_EQ(found({"cat.jpg", nullptr, "none.png"}), std::vector<std::string>{"cat.jpg"});
  EXPECT_EQ(found({"faces/talk.wav", "faces/talk.mp4"}), std::vector<std::string>{"faces/talk.jpeg"}) << "once";
  EXPECT_EQ(found({"note.txt", "none.mp4"}), std::vector<std::string>());
  EXPECT_EQ(pictures({{"media", {"cat.jpg"}}}, ""), std::vector<std::string>()) << "no folder, nothing shown";
  EXPECT_EQ(pictures(json::object(), folder), std::vector<std::string>());
}

namespace fs = std::filesystem;

class Sources : public testing::Test {
 protected:
  Sources() : folder_(fs::path(testing::TempDir()) / ("sources_" + std::to_string(::getpid()))) {}
  ~Sources() override { fs::remove_all(folder_); }

  void make(const std::string& name) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "x";
  }
  std::vector<std::string> found(const std::vector<std::string>& extensions) {
    std::vector<std::string> names;
    left_out_.clear();
    for (const CorpusFile& one : sources(folder_, extensions, left_out_)) names.push_back(one.name + ":" + one.split);
    return names;
  }

  fs::path folder_;
  std::vector<std::string> left_out_;
};

using Names = std::vector<std::string>;

TEST_F(Sources, AreThoseWithTheExtensionsInOrder) {
  for (const char* name : {"b.json", "Emotion&Stress/1.json", "a b.json", "notes.md", ".hidden/c.json"}) make(name);
  EXPECT_EQ(found({".json"}), (Names{"Emotion&Stress/1:", "a b:", "b:"}));
  EXPECT_EQ(left_out_, Names());
}

TEST_F(Sources, KeepTheExtensionWhereNamesWouldBeTheSame) {
  for (const char* name : {"a.json", "a.txt", "b/a.json", "c.txt"}) make(name);
  EXPECT_EQ(found({".json", ".txt"}), (Names{"a.json:", "a.txt:", "b/a:", "c:"}));
}

TEST_F(Sources, AreOnlyTheSplitsIfThereAreAny) {
  for (const char* name : {"MESC.csv", "val.json", "test.json"}) make(name);
  EXPECT_EQ(found({".csv", ".json"}), (Names{"test:test", "val:valid"}));
  EXPECT_EQ(left_out_, (Names{"MESC.csv"}));
}

TEST_F(Sources, MustBeThere) {
  try {
    found({".json"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "does not exist");
    EXPECT_EQ(error.exit(), Exit::data);
  }
  make("a.txt");
  try {
    found({".json", ".csv"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "contains no file that ends in .json, .csv");
  }
}

TEST(Split, IsAWordOfTheName) {
  const std::map<std::string, std::string> expected = {
      {"train", "train"},          {"dev_v2", "valid"}, {"multiesc_test", "test"}, {"Validation", "valid"},
      {"data/val/part1", "valid"}, {"latest", ""},      {"training", ""},          {"contest", ""}};
  for (const auto& [name, split] : expected) EXPECT_EQ(split_in(name), split) << name;
}

TEST(Split, OfADialogueDependsOnItsNameAlone) {
  std::map<std::string, int> sizes;
  for (int i = 0; i < 10000; ++i) {
    const auto name = "smile/" + std::to_string(i);
    const auto split = split_of(name, 0.1, 0.2);
    EXPECT_EQ(split, split_of(name, 0.1, 0.2));
    ++sizes[split];
  }
  // Binomial: three standard deviations are 120 for 2000, 90 for 1000.
  EXPECT_NEAR(sizes["test"], 2000, 120);
  EXPECT_NEAR(sizes["valid"], 1000, 90);
  EXPECT_EQ(split_of("x", 0, 0), "train");
  EXPECT_EQ(split_of("x", 0, 1), "test");
}

}  // namespace
}  // namespace compeer::corpora
