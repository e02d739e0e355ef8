#include <nlohmann/json.hpp>

#include "../program.h"

namespace compeer::app {
namespace {

using nlohmann::json;

class DataStats : public Program {
 protected:
  DataStats() {
    json dialogue = {{"emotion_type", "fear"},
                     {"problem_type", nullptr},
                     {"dialog",
                      {{{"text", "I can not sleep."}, {"speaker", "usr"}},
                       {{"text", "Since when?"}, {"speaker", "sys"}, {"strategy", "Questions"}},
                       {{"text", "That is hard."}, {"speaker", "sys"}, {"strategy", "Other"}}}}};
    write("train.txt", dialogue.dump() + "\n" + dialogue.dump() + "\n");
    write("broken.txt", dialogue.dump() + "\n{\"dialog\": [\n");
  }
  json counted(const std::string& arguments) {
    const auto text = told("data stats " + arguments + " --json");
    EXPECT_TRUE(text.ends_with("exit 0")) << text;
    return json::parse(text.substr(0, text.find('\n'))).at("sources").at(0);
  }
};

TEST_F(DataStats, CountsADatasetAsItWasWritten) {
  const json all = counted("esconv --set path=train.txt");
  EXPECT_EQ(all.at("dialogues"), 2);
  EXPECT_EQ(all.at("turns"), 6);
  EXPECT_EQ(all.at("turns_by_role"), (json{{"assistant", 4}, {"user", 2}}));
  EXPECT_EQ(all.at("splits"), (json{{"train", {{"dialogues", 2}, {"turns", 6}}}}));
  EXPECT_EQ(all.at("length_of_turns").at("user"), (json{{"min", 4}, {"mean", 4.0}, {"max", 4}}));
  EXPECT_EQ(all.at("labels").at("emotion"),
            (json{{"given", 2}, {"missing", 0}, {"different", 1}, {"counts", {{"fear", 2}}}}));
  EXPECT_EQ(all.at("labels").at("problem").at("missing"), 2);
  EXPECT_EQ(all.at("turn_labels").at("assistant.strategy").at("counts"), (json{{"Question", 2}, {"Others", 2}}));
  EXPECT_EQ(all.at("unreadable"), json::array());
  EXPECT_EQ(counted("esconv --set path=train.txt --set dataset.merge=true").at("turns"), 4);
}

TEST_F(DataStats, PrintsTables) {
  const auto text = told("data stats esconv --set path=train.txt");
  EXPECT_NE(text.find("split       dialogues      turns\ntrain               2          6\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("assistant.strategy: 4 of 4 have it, 2 different\n         2  50.0 %  Others\n"),
            std::string::npos)
      << text;
}

TEST_F(DataStats, NamesWhatCannotBeRead) {
  EXPECT_NE(told("data stats esconv --set path=broken.txt")
                .find("broken.txt: 1 of 2 records can't be read (50 %): broken.txt, record 2: is no JSON: it ends too "
                      "early, as if cut off\n  help: 'max_unreadable' allows a share of 0.01\nexit 4"),
            std::string::npos);
  const auto text = told("data stats esconv --set path=broken.txt --set max_unreadable=1");
  EXPECT_NE(text.find("records that can't be read: 1\n  broken.txt, record 2: is no JSON"), std::string::npos) << text;
}

TEST_F(DataStats, CountsWhatASpecNames) {
  const json all = counted(smoke + " --set dataset.train=5 --set dataset.valid=0 --set dataset.test=0");
  EXPECT_EQ(all.at("dialogues"), 5);
  EXPECT_EQ(all.at("plugin"), "esc_world");
}

TEST_F(DataStats, RefusesMistakes) {
  EXPECT_EQ(first_line("data stats esconvv"), "compeer: error: compeer data stats: no dataset plugin 'esconvv'");
  EXPECT_NE(told("data stats esconv").find("esconv: its setting 'path' is missing"), std::string::npos);
  EXPECT_TRUE(told("data stats esconv").ends_with("exit 2"));
  EXPECT_NE(told("data stats esconv --set pfad=x").find("unknown key 'dataset.pfad'"), std::string::npos);
  EXPECT_NE(told("data stats esconv --set path=nowhere").find("nowhere: is not there"), std::string::npos);
  EXPECT_NE(told("data stat").find("did you mean 'stats'?"), std::string::npos);
}

}  // namespace
}  // namespace compeer::app
