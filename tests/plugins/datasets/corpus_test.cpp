// Common behaviour of all corpora, tested with esconv: units, merging, splits, unreadable records.
#include "corpus.h"

#include <set>

namespace compeer {
namespace {

using nlohmann::json;

// A dialogue in the layout of the published split: the supporter begins, and each speaker has a run of utterances.
json dialogue(const std::string& emotion = "anger") {
  return {{"experience_type", "Current Experience"},
          {"emotion_type", emotion},
          {"problem_type", "job crisis"},
          {"situation", "first line\nsecond line"},
          {"survey_score", {{"seeker", {{"initial_emotion_intensity", "5"}}}, {"supporter", json::object()}}},
          {"dialog",
           {{{"text", "hello"}, {"speaker", "sys"}, {"strategy", "Others"}},
            {{"text", "hi"}, {"speaker", "usr"}},
            {{"text", "my boss shouts \\ at me \xF0\x9F\x98\x9E"}, {"speaker", "usr"}},
            {{"text", "why?"}, {"speaker", "sys"}, {"strategy", "Question"}},
            {{"text", "that hurts"}, {"speaker", "sys"}, {"strategy", "Reflection of feelings"}},
            {{"text", "it does"}, {"speaker", "usr"}},
            {{"text", "take care"}, {"speaker", "sys"}}}},
          {"seeker_question1", ""},
          {"supporter_question2", "fine"}};
}

std::string lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += dialogue().dump() + "\n";
  return text;
}

class CorpusOf : public CorpusTest {};

TEST_F(CorpusOf, TurnsHasAnExampleForEachAnswer) {
  const auto examples = all("esconv", write("train.txt", lines(1)));
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].id, "esconv/train/1/0");
  EXPECT_EQ(told(examples[0]), "assistant: hello|user: hi\nmy boss shouts \\ at me \xF0\x9F\x98\x9E|");
  EXPECT_EQ(examples[0].answer, "why?\nthat hurts");
  const json& record = examples[0].record;
  EXPECT_EQ(record.at("dialogue"), "esconv/train/1");
  EXPECT_EQ(record.at("source"), "esconv");
  EXPECT_EQ(record.at("language"), "en");
  EXPECT_EQ(record.at("round"), 0);
  EXPECT_EQ(record.at("rounds"), 2);
  EXPECT_TRUE(record.at("strategy").is_null()) << "its utterances have two";
  EXPECT_EQ(record.at("strategies"), (json{"Question", "Reflection of feelings"}));
  EXPECT_EQ(record.at("labels"), (json{{{"strategy", {"Others"}}}, {{"feedback", {nullptr, nullptr}}}}));
  EXPECT_EQ(record.at("situation"), "first line\nsecond line");
  EXPECT_EQ(record.at("survey").at("initial_intensity"), 5);
  EXPECT_TRUE(record.at("survey").at("final_intensity").is_null());
  EXPECT_TRUE(record.at("survey").at("seeker_question1").is_null());
  EXPECT_EQ(record.at("survey").at("supporter_question2"), "fine");
  EXPECT_EQ(examples[1].id, "esconv/train/1/1");
  EXPECT_EQ(examples[1].answer, "take care");
  EXPECT_EQ(examples[1].record.at("strategies"), json::array({nullptr})) << "missing, not guessed";
  EXPECT_TRUE(examples[1].record.at("strategy").is_null());
}

TEST_F(CorpusOf, DialoguesHasOneExampleEach) {
  const auto examples = all("esconv", write("train.txt", lines(1)), {{"unit", "dialogue"}});
  ASSERT_EQ(examples.size(), 1u);
  EXPECT_EQ(examples[0].id, "esconv/train/1");
  EXPECT_EQ(examples[0].history.size(), 5u);
  EXPECT_EQ(examples[0].answer, "");
  EXPECT_EQ(examples[0].record.at("labels").size(), 5u);
  EXPECT_EQ(examples[0].record.at("labels")[2].at("strategy"), (json{"Question", "Reflection of feelings"}));
  EXPECT_EQ(examples[0].record.at("rounds"), 2);
  EXPECT_FALSE(examples[0].record.contains("round"));
}

TEST_F(CorpusOf, UnmergedTurnsHasEveryUtterance) {
  const auto path = write("train.txt", lines(1));
  EXPECT_EQ(all("esconv", path, {{"unit", "dialogue"}, {"merge", false}})[0].history.size(), 7u);
  const auto examples = all("esconv", path, {{"merge", false}});
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].answer, "why?");
  EXPECT_EQ(examples[0].record.at("strategy"), "Question");
}

TEST_F(CorpusOf, FilesNamedAfterSplitsHasThese) {
  write("train.txt", lines(3));
  write("valid.txt", lines(1));
  write("other.json", "[" + dialogue().dump() + "]");
  auto dataset = open("esconv", folder(), {{"unit", "dialogue"}});
  EXPECT_EQ(dataset.object().size("train"), 3);
  EXPECT_EQ(dataset.object().size("valid"), 1);
  EXPECT_EQ(dataset.object().size("test"), 0);
  EXPECT_EQ(dataset.object().size("dev"), 0);
}

TEST_F(CorpusOf, OtherFilesIsDividedByDialogue) {
  const auto path = write("corpus.jsonl", lines(300));
  auto dataset = open("esconv", path, {{"valid", 0.2}, {"test", 0.3}});
  std::set<std::string> seen;
  size_t dialogues = 0;
  for (const std::string split : {"train", "valid", "test"}) {
    std::set<std::string> here;
    for (const Example& one : all(dataset, {split})) here.insert(one.record.at("dialogue"));
    EXPECT_GT(here.size(), 30u);
    EXPECT_EQ(dataset.object().size(split), static_cast<int64_t>(2 * here.size()));
    dialogues += here.size();
    seen.merge(here);
  }
  EXPECT_EQ(dialogues, 300u);
  EXPECT_EQ(seen.size(), 300u) << "none is in two splits";
  EXPECT_NE(refused("esconv", path, {{"valid", 0.6}, {"test", 0.5}}).find("'valid' + 'test' must not exceed 1"),
            std::string::npos);
}

TEST_F(CorpusOf, BrokenRecordsNamesThem) {
  json no_dialog = dialogue(), no_text = dialogue(), bot = dialogue();
  no_dialog.erase("dialog");
  no_text["dialog"][2].erase("text");
  bot["dialog"][0]["speaker"] = "bot";
  const auto path =
      write("train.txt", lines(2) + no_dialog.dump() + "\n" + no_text.dump() + "\n" + bot.dump() + "\n{\"a\n\xFF\n");
  EXPECT_EQ(refused("esconv", path),
            "datasets/esconv 1.0.0 (" + built::finder().get("datasets", "esconv").path.string() +
                "), in make(): " + path.string() + ": 5 of 7 records can't be read (71.4 %): " + path.string() +
                ", record 3: has no list 'dialog'; " + path.string() + ", record 4: utterance 3 has no text 'text'; " +
                path.string() +
                ", record 5: utterance 1 has the unknown speaker 'bot', not one of usr, sys, seeker, speaker, " +
                "supporter, listener; ...\n  help: 'max_unreadable' allows a share of 0.01 (exit 4)");
  auto dataset = open("esconv", path, {{"max_unreadable", 1}});
  const auto unreadable = dataset.object().unreadable();
  ASSERT_EQ(unreadable.size(), 5u);
  EXPECT_EQ(unreadable[3].record, 6);
  EXPECT_EQ(unreadable[3].reason, "is not JSON: it ends too early, as if cut off");
  EXPECT_TRUE(unreadable[4].reason.starts_with("is not UTF-8 at byte ")) << unreadable[4].reason;
  EXPECT_EQ(unreadable[4].file, path.string());
  EXPECT_EQ(all(dataset).size(), 4u);
}

TEST_F(CorpusOf, MissingLabelsHasNulls) {
  json bare = {{"dialog", dialogue().at("dialog")}};
  const auto examples = all("esconv", write("train.txt", bare.dump()));
  ASSERT_EQ(examples.size(), 2u);
  for (const char* name : {"emotion", "problem", "situation", "experience"})
    EXPECT_TRUE(examples[0].record.at(name).is_null()) << name;
  EXPECT_TRUE(examples[0].record.at("survey").at("empathy").is_null());
}

TEST_F(CorpusOf, NothingToReadIsRefused) {
  EXPECT_NE(refused("esconv", folder() / "nowhere").find("nowhere: does not exist"), std::string::npos);
  EXPECT_NE(refused("esconv", write("empty.txt", "")).find("record 1: is missing: the file is empty"),
            std::string::npos);
  EXPECT_NE(refused("esconv", write("wrong.json", "\xFF\xFE[\0 \0")).find("is text in UTF-16"), std::string::npos);
  EXPECT_NE(refused("esconv", write("list.json", "[]")).find("contains no dialogue"), std::string::npos);
  EXPECT_NE(refused("esconv", write("tsv.txt", "0.0 0 1 a EOS\n")).find("check that 'path' is the corpus esconv"),
            std::string::npos);
}

// If a file is truncated at any point, all records before that point are read, and the lost one is reported.
TEST_F(CorpusOf, CutFilesHasWhatIsWhole) {
  const std::string one = dialogue().dump(1);
  for (const bool is_list : {true, false}) {
    const std::string whole = is_list ? "[\n" + one + ",\n" + one + ",\n" + one + "\n]\n" : lines(3);
    const size_t record = is_list ? one.size() + 2 : whole.size() / 3;
    for (size_t cut = 1; cut < whole.size(); cut += 13) {
      const auto path = write(is_list ? "cut.json" : "cut.txt", whole.substr(0, cut));
      const size_t least = (is_list ? cut : cut + 1) / record;
      if (least == 0) {
        EXPECT_NE(refused("esconv", path, {{"max_unreadable", 1}}).find("(exit "), std::string::npos) << cut;
        continue;
      }
      auto dataset = open("esconv", path, {{"max_unreadable", 1}, {"unit", "dialogue"}});
      const size_t read = all(dataset).size();
      EXPECT_GE(read, least) << cut;
      const size_t named = dataset.object().unreadable().size();
      EXPECT_LE(named, 1u) << cut;
      EXPECT_TRUE(named == 1u || !is_list || cut >= whole.size() - 2) << cut;
    }
  }
}

// Files of every layout, truncated anywhere and in the wrong encoding: readable records are read, the others are
// reported, nothing crashes.

struct Layout {
  std::string plugin, file, text;
  size_t dialogues = 2;
  bool shows_its_end = true;  // false: truncation between two records is not detectable
};

// Two dialogues per layout, or one if the layout has one per file.
std::vector<Layout> layouts() {
  const json esconv = {
      {"emotion_type", "fear"},
      {"dialog",
       {{{"speaker", "usr"}, {"text", "I’m sad"}}, {{"speaker", "sys"}, {"text", "why?"}, {"strategy", "Question"}}}}};
  const std::string mesc =
      "Utterance,Speaker,Emotion,Strategy,Dialogue_ID,Utterance_ID,Season,Episode,StartTime,EndTime\r\n"
      "\"I told, you.\",Client,sadness,undefined,0,0,1,2,\"00:00:54,097\",\"00:00:55,113\"\r\n"
      "Told me?,Therapist,neutral,open question,0,1,1,2,\"00:00:55,260\",\"00:00:56,263\"\r\n"
      "Well.,Client,joy,undefined,1,0,1,2,\"00:01:00,000\",\"00:01:01,000\"\r\n"
      "Yes?,Therapist,neutral,Advisement,1,1,1,2,\"00:01:02,000\",\"00:01:03,000\"";
  const std::string avamerg = R"([{"conversation_id": "1", "turns": [{"turn_id": "0", "context": "c",
      "dialogue_history": [{"index": 0, "role": "speaker", "utterance": "a"}]}]},
    {"conversation_id": "2", "turns": [{"turn_id": "0", "context": "c",
      "dialogue_history": [{"index": 0, "role": "speaker", "utterance": "b"}]}]}])";
  const std::string soulchat = R"([{"id": 0, "topic": "情绪", "messages": [{"role": "user", "content": "你好"},
      {"role": "assistant", "content": "请说"}]}, {"id": 1, "messages": [{"role": "user", "content": "x"}]}])";
  const std::string escot = R"([{"id": 9, "original_data": {"dialog": [{"speaker": "seeker", "content": "a"}],
      "strategy": "s", "response": "d"}, "cot_data": {"emotion": "e", "emotion_stimuli": "f",
      "individual_appraisal": "g", "recognized_strategy": "s", "strategy_reason": "h"}},
    {"id": 8, "original_data": {"dialog": [{"speaker": "seeker", "content": "b"}], "strategy": "s", "response": "d"},
      "cot_data": {"emotion": "e", "emotion_stimuli": "f", "individual_appraisal": "g", "recognized_strategy": "s",
      "strategy_reason": "h"}}])";
  return {{"esconv", "train.txt", esconv.dump() + "\n" + esconv.dump() + "\n", 2, false},
          {"esconv", "ESConv.json", json{esconv, esconv}.dump(1)},
          {"mesc", "MESC.csv", mesc, 2, false},
          {"avamerg", "test.json", avamerg},
          {"soulchat", "train.json", soulchat},
          {"smile", "1.json", R"([{"role": "client", "content": "你好"}, {"role": "counselor", "content": "b"}])", 1},
          {"cpsycoun", "1.json", R"(["求助者：a", "支持者：b"])", 1},
          {"cpsycoun", "case_1.txt", "来访者：你好。\r\n\r\n心理咨询师：可以这样：\r\n\r\n1. 倾听。\r\n", 1, false},
          {"escot", "test.json", escot},
          {"emollm", "data.json", R"([{"conversation": [{"system": "你是", "input": "a", "output": "b"}]},
            {"conversation": [{"input": "c", "output": "d"}]}])"}};
}

class BadFiles : public CorpusTest {
 protected:
  /// The number of dialogues and of reported unreadable records; or the error.
  struct Read {
    size_t dialogues = 0, named = 0;
    std::string error;
  };
  Read read(const Layout& layout, const std::string& text) {
    const auto path = write(layout.file, text);
    Read found;
    try {
      auto dataset = open(layout.plugin, path, {{"unit", "dialogue"}, {"max_unreadable", 1}});
      for (const Example& example : all(dataset)) found.dialogues += !example.id.empty();
      found.named = dataset.object().unreadable().size();
    } catch (const Error& error) {
      EXPECT_EQ(error.exit(), Exit::data) << error.what();
      EXPECT_NE(std::string(error.what()).find(path.filename().string()), std::string::npos) << error.what();
      found.error = error.what();
    }
    std::filesystem::remove(path);
    return found;
  }
};

TEST_F(BadFiles, CutAnywhereAreReadUpToThereAndNamed) {
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(layout.plugin + " " + layout.file);
    const Read whole = read(layout, layout.text);
    EXPECT_EQ(whole.dialogues, layout.dialogues) << whole.error;
    EXPECT_EQ(whole.named, 0u);
    size_t most = 0;
    for (size_t cut = 0; cut < layout.text.size(); cut += 1 + layout.text.size() / 150) {
      const Read found = read(layout, layout.text.substr(0, cut));
      EXPECT_LE(found.dialogues, layout.dialogues) << cut;
      // A malformed row of a table also invalidates the previous dialogue, because it may belong to it.
      EXPECT_TRUE(layout.plugin == "mesc" || found.dialogues >= most) << "what was whole is read, cut at " << cut;
      EXPECT_TRUE(!layout.shows_its_end || !found.error.empty() || found.named > 0) << "cut at " << cut;
      if (layout.dialogues > 1) most = found.dialogues;
    }
  }
}

TEST_F(BadFiles, ThatEndWithinARecordAreRefusedForNobodyKnowsWhatElseTheyHeld) {
  for (const Layout& layout : layouts()) {
    if (layout.file.ends_with(".txt") || layout.dialogues < 2) continue;
    const auto path = write(layout.file, layout.text.substr(0, layout.text.size() - layout.text.size() / 9));
    try {
      open(layout.plugin, path, {{"unit", "dialogue"}, {"max_unreadable", 0.9}});
      ADD_FAILURE() << layout.file << " is read";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("as if"), std::string::npos) << error.what();
      EXPECT_EQ(error.help(), "download the file again, or set max_unreadable = 1 to use the readable records");
    }
  }
}

TEST_F(BadFiles, OfAnotherEncodingAreNamed) {
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(layout.plugin + " " + layout.file);
    std::string wide = "\xFF\xFE";  // UTF-16, as saved by Windows
    for (const char c : layout.text) wide += {c, '\0'};
    const Read utf16 = read(layout, wide);
    EXPECT_NE(utf16.error.find(": is text in UTF-16, not in UTF-8"), std::string::npos) << utf16.error;

    std::string latin = layout.text;  // the first letter of a text has an accent
    latin[latin.find_last_of("abdx？。?")] = '\xE9';
    const Read latin1 = read(layout, latin);
    EXPECT_TRUE(!latin1.error.empty() || latin1.named > 0);
    EXPECT_LT(latin1.dialogues, layout.dialogues);

    const Read marked = read(layout, "\xEF\xBB\xBF" + layout.text);
    EXPECT_EQ(marked.dialogues, layout.dialogues) << "a byte order mark does no harm: " << marked.error;
    EXPECT_EQ(marked.named, 0u);
  }
}

}  // namespace
}  // namespace compeer
