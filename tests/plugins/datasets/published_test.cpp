// The published corpora, if available locally, because they can't be part of this project. Expected counts are those of
// the files.
#include <map>
#include <set>

#include "corpus.h"
#include "places.h"

namespace compeer {
namespace {

using nlohmann::json;
using Table = std::map<std::string, int>;

class Published : public CorpusTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(data())) GTEST_SKIP() << "the corpora are not at hand: no folder " << data();
  }
  static Path data() { return Path(COMPEER_SOURCE_DIR) / ".." / "shared" / "data"; }

  // Returns whole dialogues with unmerged utterances.
  static std::vector<Example> dialogues(const std::string& plugin, const std::string& path) {
    return all(plugin, data() / path, {{"unit", "dialogue"}, {"merge", false}});
  }
  static size_t turns(const std::vector<Example>& examples) {
    size_t count = 0;
    for (const Example& one : examples) count += one.history.size();
    return count;
  }
  static Table table(const std::vector<Example>& examples, const std::string& label, const std::string& role) {
    Table counts;
    for (const Example& one : examples) {
      for (size_t i = 0; i < one.history.size(); ++i) {
        if (one.history[i].role != role) continue;
        for (const json& value : one.record.at("labels")[i].at(label))
          ++counts[value.is_string() ? value.get<std::string>() : value.dump()];
      }
    }
    return counts;
  }
  static Table strategies(const std::vector<Example>& examples) { return table(examples, "strategy", "assistant"); }
};

TEST_F(Published, EsconvSraPairs) {
  const auto pairs = all("esconv_sra", data() / "esconv-sra" / "annotation-results.json");
  Table raters, preferred;
  for (const Example& pair : pairs) {
    ++raters[std::to_string(pair.record.at("people").at("ratings").size())];
    double sum = 0;
    for (const json& rating : pair.record.at("people").at("ratings")) sum += rating.get<double>();
    ++preferred[sum < 0 ? "first" : sum > 0 ? "second" : "neither"];
  }
  EXPECT_EQ(raters, (Table{{"1", 6}, {"2", 129}}));
  EXPECT_EQ(preferred, (Table{{"first", 51}, {"neither", 25}, {"second", 59}}));
}

TEST_F(Published, EsconvSplits) {
  const auto train = dialogues("esconv", "esconv/train.txt"), valid = dialogues("esconv", "esconv/valid.txt");
  EXPECT_EQ(train.size(), 910u);
  EXPECT_EQ(turns(train), 26648u);
  EXPECT_EQ(valid.size(), 195u);
  EXPECT_EQ(strategies(train), (Table{{"Question", 2622},
                                      {"Others", 2354},
                                      {"Affirmation and Reassurance", 1988},
                                      {"Providing Suggestions", 1987},
                                      {"Self-disclosure", 1185},
                                      {"Reflection of feelings", 990},
                                      {"Information", 835},
                                      {"Restatement or Paraphrasing", 798}}));
  EXPECT_EQ(strategies(valid), (Table{{"Question", 549},
                                      {"Others", 505},
                                      {"Affirmation and Reassurance", 402},
                                      {"Providing Suggestions", 459},
                                      {"Self-disclosure", 264},
                                      {"Reflection of feelings", 211},
                                      {"Information", 194},
                                      {"Restatement or Paraphrasing", 138}}));
  size_t newlines = 0, mixed = 0;
  for (const Example& one : all("esconv", data() / "esconv/train.txt", {{"unit", "dialogue"}})) {
    newlines += one.record.at("situation").get<std::string>().find('\n') != std::string::npos;
    for (const json& labels : one.record.at("labels"))
      if (labels.contains("strategy"))
        mixed += std::set<json>(labels["strategy"].begin(), labels["strategy"].end()).size() > 1;
  }
  EXPECT_EQ(mixed, 1488u);
  EXPECT_LE(newlines, 5u);
}

TEST_F(Published, EsconvAsAFolderIsItsThreeSplits) {
  auto dataset = open("esconv", data() / "esconv", {{"unit", "dialogue"}});
  EXPECT_EQ(dataset.object().size("train"), 910);
  EXPECT_EQ(dataset.object().size("valid"), 195);
  EXPECT_EQ(dataset.object().size("test"), 195);
  EXPECT_TRUE(dataset.object().unreadable().empty());
}

TEST_F(Published, EsconvFailedAndRelabelled) {
  const auto failed = dialogues("esconv", "esconv/FailedESConv.json");
  EXPECT_EQ(failed.size(), 196u);
  EXPECT_EQ(turns(failed), 5230u);
  EXPECT_EQ(strategies(failed), (Table{{"Question", 528},
                                       {"Others", 400},
                                       {"Providing Suggestions", 403},
                                       {"Affirmation and Reassurance", 341},
                                       {"Reflection of feelings", 200},
                                       {"Self-disclosure", 195},
                                       {"Restatement or Paraphrasing", 179},
                                       {"Information", 131}}));
  const auto again = dialogues("esconv", "esconv/multiesc_test.txt");
  EXPECT_EQ(again.size(), 195u);
  EXPECT_EQ(table(again, "feedback", "user"),
            (Table{{"5", 582}, {"4", 405}, {"3", 197}, {"2", 25}, {"1", 9}, {"null", 1145}}));
}

TEST_F(Published, MescTableAndDescriptions) {
  const auto rows = dialogues("mesc", "mesc/MESC.csv");
  EXPECT_EQ(rows.size(), 1019u);
  EXPECT_EQ(turns(rows), 28762u);
  const Table counts = strategies(rows);
  EXPECT_EQ(counts.at("Interpretation"), 2709);
  EXPECT_EQ(counts.at("Open question"), 2403) << "with the three that begin with a small letter";
  EXPECT_EQ(counts.at("Others"), 20);
  EXPECT_FALSE(counts.contains("undefined"));
  Table emotions = table(rows, "emotion", "user");
  for (const auto& [name, number] : table(rows, "emotion", "assistant")) emotions[name] += number;
  EXPECT_EQ(emotions, (Table{{"neutral", 17116},
                             {"depression", 4958},
                             {"anger", 2659},
                             {"disgust", 1669},
                             {"joy", 1350},
                             {"sadness", 759},
                             {"fear", 251}}));
  std::set<std::string> said;
  for (const Example& one : rows)
    for (const Turn& turn : one.history) said.insert(turn.text);
  const auto valid = dialogues("mesc", "mesc/val.json");
  EXPECT_EQ(valid.size(), 102u);
  EXPECT_EQ(turns(valid), 2714u);
  for (const Example& one : valid)
    for (const Turn& turn : one.history) EXPECT_TRUE(said.contains(turn.text)) << turn.text;
}

TEST_F(Published, Avamerg) {
  const auto path = data() / "avamerg/test.json";
  const auto examples = dialogues("avamerg", "avamerg/test.json");
  EXPECT_EQ(examples.size(), 3979u);
  EXPECT_EQ(std::count_if(examples.begin(), examples.end(), [](const Example& one) { return one.history.empty(); }),
            858);
  auto dataset = open("avamerg", path);
  EXPECT_EQ(dataset.object().size("test"), 6286) << "of 6288 turns";
  const auto left_out = dataset.object().unreadable();
  ASSERT_EQ(left_out.size(), 2u);
  EXPECT_EQ(left_out[0].reason, "has a turn 1 whose history does not end with the speaker");
  EXPECT_EQ(left_out[1].reason, "has a turn 0 whose history is not a prefix of the last turn's history");
  EXPECT_EQ(dialogues("avamerg", "avamerg/official_sample_01118.json").at(0).history.size(), 4u);
  EXPECT_EQ(dialogues("avamerg", "avamerg/random_video_mappings_20250821_161459.json").size(), 50u);
}

TEST_F(Published, ChineseCorpora) {
  const auto smile = dialogues("smile", "smile");
  EXPECT_EQ(smile.size(), 552u);
  EXPECT_EQ(turns(smile), 6081u);
  EXPECT_EQ(dialogues("cpsycoun", "cpsycoun/CPsyCounD").size(), 617u);
  const auto lists = dialogues("cpsycoun", "cpsycoun/CPsyCounE");
  EXPECT_EQ(lists.size(), 45u);
  std::set<json> topics;
  for (const Example& one : lists) topics.insert(one.record.at("topic"));
  EXPECT_EQ(topics.size(), 9u);
  EXPECT_EQ(dialogues("soulchat", "soulchat/PsyDTCorpus_sample.json").at(0).record.at("topic"), "婚恋");
  EXPECT_EQ(all("emollm", data() / "emollm/data_first150.json").size(), 481u);
}

TEST_F(Published, Escot) {
  auto dataset = open("escot", data() / "escot");
  EXPECT_EQ(dataset.object().size("valid"), 172);
  EXPECT_EQ(dataset.object().size("test"), 341);
  Table counts;
  for (const Example& one : all(dataset)) ++counts[one.record.at("strategies").back()];
  EXPECT_EQ(counts.size(), 13u);
  EXPECT_EQ(counts.at("Affirmation and Reassurance"), 94);
  EXPECT_EQ(counts.at("Reflection of Feelings"), 32);
}

}  // namespace
}  // namespace compeer
