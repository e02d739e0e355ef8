#include "conformance/project/project.h"

#include <filesystem>
#include <map>

#include "../program.h"
#include "base/error.h"
#include "base/files.h"
#include "plugin/descriptor.h"

namespace compeer::conformance {
namespace {

using PluginProject = Program;

std::string help_about(const std::string& name) {
  try {
    check_project_name(name);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::usage);
    return error.help();
  }
  return "";
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(PluginProjects, ExistForEveryKind) {
  for (const auto& kind : plugin::kinds()) {
    std::vector<std::string> names;
    for (const auto& file : project_files(kind, "half_full")) {
      names.push_back(file.name);
      for (const std::string word : {"my_plugin", "MyPlugin", "my_kind"}) EXPECT_FALSE(holds(file.text, word)) << kind;
    }
    const std::vector<std::string> least{"CMakeLists.txt", "README.md", "half_full.cpp", "half_full_test.cpp",
                                         "half_full.lua"};
    names.resize(least.size());
    EXPECT_EQ(names, least) << kind;
  }
}

TEST(PluginProjects, OfARewardThatAsksAJudgeHaveOneWrittenDown) {
  const auto files = project_files("rewards", "half_full", "judge");
  std::map<std::string, std::string> texts;
  for (const auto& file : files) {
    EXPECT_TRUE(texts.emplace(file.name, file.text).second) << file.name << " is there twice";
    for (const std::string word : {"my_plugin", "MyPlugin", "my_kind"}) EXPECT_FALSE(holds(file.text, word));
  }
  for (const auto* name :
       {"CMakeLists.txt", "README.md", "half_full.cpp", "half_full_test.cpp", "half_full.lua", "judge.jsonl"})
    EXPECT_TRUE(texts.contains(name)) << name;
  EXPECT_TRUE(holds(texts["half_full.cpp"], "host.chat(settings.table(\"judge\"))"));
  EXPECT_TRUE(holds(texts["CMakeLists.txt"], "compeer_add_plugin(rewards half_full half_full.cpp CHECK_WITH "));
}

TEST(PluginProjects, BearTheNameInEveryForm) {
  const auto files = project_files("rewards", "half_full2");
  EXPECT_TRUE(holds(files[0].text, "compeer_add_plugin(rewards half_full2 half_full2.cpp)")) << files[0].text;
  EXPECT_TRUE(holds(files[2].text, "COMPEER_PLUGIN(Reward, rewards, half_full2, HalfFull2, R\"json(")) << files[2].text;
}

TEST(PluginProjects, TakeNamesThatFitEverywhereAndOfferTheNearest) {
  for (const std::string good : {"a", "my_reward", "r2_d2", "reward", "class"}) EXPECT_EQ(help_about(good), "") << good;
  const std::string rule = "use up to 64 small letters, digits and '_', beginning with a letter: ";
  EXPECT_EQ(help_about("My-Reward"), rule + "'my_reward'");
  EXPECT_EQ(help_about("../evil"), rule + "'my____evil'");
  EXPECT_EQ(help_about("2nd"), rule + "'my_2nd'");
  EXPECT_EQ(help_about(""), rule + "'my_plugin'");
  EXPECT_EQ(help_about("a.so"), rule + "'a_so'");
  EXPECT_EQ(help_about(std::string(65, 'a')), rule + "'" + std::string(64, 'a') + "'");
}

TEST_F(PluginProject, IsWrittenAndSaysWhatIsNext) {
  const auto text = told("plugins new reward curious --dir made/here");
  EXPECT_TRUE(
      text.starts_with("made/here/curious/: CMakeLists.txt, README.md, curious.cpp, curious_test.cpp, "
                       "curious.lua\n\n  cd made/here/curious\n  cmake -B build -DCMAKE_PREFIX_PATH=PREFIX\n"))
      << text;
  EXPECT_TRUE(holds(text, "\n  compeer run curious.lua --plugin-dir build/plugins\n")) << text;
  EXPECT_TRUE(holds(read_file(folder() / "made/here/curious/curious.cpp"), "class Curious : public compeer::Reward {"));
}

TEST_F(PluginProject, IsNeverWrittenOverAnything) {
  fs::create_directories(folder() / "curious");
  EXPECT_EQ(told("plugins new rewards curious"),
            "compeer: error: curious: already exists\n  help: remove it, or choose another name or --dir\nexit 2");
  write("file", "");
  EXPECT_TRUE(told("plugins new rewards curious --dir file").ends_with("exit 1"));
  for (const auto& entry : fs::directory_iterator(folder())) EXPECT_NE(entry.path().extension(), ".part");
}

TEST_F(PluginProject, OfAnUnknownKindIsRefusedWithTheNearest) {
  EXPECT_EQ(first_line("plugins new rewrds x"), "compeer: error: rewrds: is not a kind of plugin");
  EXPECT_TRUE(holds(told("plugins new rewrds x"), "did you mean 'rewards'?"));
}

TEST_F(PluginProject, HasAJudgeIfItIsAReward) {
  EXPECT_TRUE(told("plugins new reward kind --with-judge").starts_with("kind/: README.md, "));
  EXPECT_EQ(told("plugins new dataset kind --with-judge"),
            "compeer: error: --with-judge: is only for rewards\n  help: use compeer plugins new rewards NAME "
            "--with-judge\nexit 2");
}

TEST_F(PluginProject, SaysIfThereIsAPluginOfThatName) {
  EXPECT_TRUE(
      told("plugins new rewards length").starts_with("compeer: note: a plugin rewards/length already exists ("));
}

}  // namespace
}  // namespace compeer::conformance
