#include "corpora/sources.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "base/error.h"

namespace compeer::corpora {
namespace {

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
    EXPECT_EQ(error.problem(), "is not there");
    EXPECT_EQ(error.exit(), Exit::data);
  }
  make("a.txt");
  try {
    found({".json", ".csv"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problem(), "holds no file that ends in .json, .csv");
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
  // Binomial: three standard deviations are 120 of 2000, 90 of 1000.
  EXPECT_NEAR(sizes["test"], 2000, 120);
  EXPECT_NEAR(sizes["valid"], 1000, 90);
  EXPECT_EQ(split_of("x", 0, 0), "train");
  EXPECT_EQ(split_of("x", 0, 1), "test");
}

}  // namespace
}  // namespace compeer::corpora
