#include "corpus.h"

#include "places.h"

namespace compeer {
namespace {

using nlohmann::json;

class Profiles : public CorpusTest {
 protected:
  // Returns "id: record" for each profile.
  std::vector<std::string> read(const std::string& text, const json& settings = json::object()) {
    std::vector<std::string> told;
    for (const Example& one : all("profiles", write("p.json", text), settings)) {
      EXPECT_TRUE(one.history.empty());
      json record = one.record;
      EXPECT_EQ(record.at("id"), one.id);
      record.erase("id");
      told.push_back(one.id + ": " + record.dump());
    }
    return told;
  }
  std::string refused(const std::string& text) { return CorpusTest::refused("profiles", write("p.json", text)); }
};

using Told = std::vector<std::string>;

TEST_F(Profiles, AreReadInEveryLayoutTheyComeIn) {
  EXPECT_EQ(read("{\"id\": \"x\", \"a\": 1}\n\n{\"id\": 7}\n{\"a\": 2}\n"),
            (Told{"x: {\"a\":1}", "7: {}", "4: {\"a\":2}"}));
  EXPECT_EQ(read("[{\"id\": 7},\n {\"a\": 2}]"), (Told{"7: {}", "2: {\"a\":2}"}));
  EXPECT_EQ(read("{\n \"0\": {\"fluency\": 3},\n \"1\": [\"AI: hi\", \"Role: no\"]\n}"),
            (Told{"0: {\"fluency\":3}", "1: {\"lines\":[\"AI: hi\",\"Role: no\"]}"}));
  EXPECT_EQ(read("\xEF\xBB\xBF{\"0\": {\"fluency\": 3}}"), (Told{"0: {\"fluency\":3}"}));
  EXPECT_EQ(read("{\n \"id\": \"x\",\n \"a\": {}\n}"), (Told{"x: {\"a\":{}}"})) << "one record over several lines";
  EXPECT_EQ(read("{\"turns\": [{\"role\": \"user\"}]}"), (Told{"1: {\"turns\":[{\"role\":\"user\"}]}"}));
}

TEST_F(Profiles, TellWhereTheyStandIfAsked) {
  EXPECT_EQ(read("{\"a\": 1}\n\n{\"id\": 7}", {{"numbers", true}}),
            (Told{"1: {\"a\":1,\"number\":1}", "7: {\"number\":3}"}));
}

TEST_F(Profiles, BelongToTheSplitTheyName) {
  auto dataset = open("profiles", write("p.json", "{\"split\": \"train\"}\n{}\n{\"split\": 3}\n"));
  EXPECT_EQ(dataset.object().size("train"), 1);
  EXPECT_EQ(dataset.object().size("valid"), 0);
  EXPECT_EQ(dataset.object().size("test"), 2);
}

TEST_F(Profiles, AreRefusedByFileAndRecord) {
  const std::string path = (folder() / "p.json").string();
  EXPECT_EQ(
      refused("{\"id\": 1}\n{\"id\": 1}\n"),
      "datasets/profiles 1.0.0 (" COMPEER_BINARY_DIR "/plugins/datasets/profiles.so), in make(): " + path +
          ": 1 of 2 records can't be read (50 %): " + path +
          ", record 2: has the same id '1' as record 1\n  help: 'max_unreadable' allows a share of 0.01 (exit 4)");
  EXPECT_NE(refused("{\"id\": 1}\n{\"id\": 2").find("record 2 is incomplete: the file ends within it, as if cut off"),
            std::string::npos);
  EXPECT_NE(refused("[{\"id\": 1}, 3]").find("record 2: is not a JSON object"), std::string::npos);
  EXPECT_NE(refused("{\n\"0\": {\"a\": 1},\n\"1\": {\"a\"").find("record 1: is not JSON: it ends too early"),
            std::string::npos);
  EXPECT_NE(refused("{\n\"0\": {\"id\": 5},\n\"1\": {\"id\": 5}}").find("record 2: has the same id '5' as record 1"),
            std::string::npos);
  EXPECT_NE(refused("").find("the file is empty"), std::string::npos);
  EXPECT_NE(refused("[]").find("contains no record"), std::string::npos);
}

TEST_F(Profiles, MayLeaveOutWhatTheSettingAllows) {
  auto dataset = open("profiles", write("p.json", "{\"id\": 1}\nx\n"), {{"max_unreadable", 0.5}});
  EXPECT_EQ(dataset.object().size("test"), 1);
  ASSERT_EQ(dataset.object().unreadable().size(), 1u);
  EXPECT_EQ(dataset.object().unreadable()[0].record, 2);
}

}  // namespace
}  // namespace compeer
