// Files of every layout, cut anywhere and in the wrong encoding: what can be read is, what can't is named, nothing
// falls over.
#include "corpus.h"

namespace compeer {
namespace {

using nlohmann::json;

struct Layout {
  std::string plugin, file, text;
  size_t dialogues = 2;
  bool shows_its_end = true;  // a file of JSON lines or plain text may be cut between two without a trace
};

// Two dialogues of each, or one where a file is one.
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
  /// The number of dialogues, and of what is named as unreadable; or the error.
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
      // A broken row of a table takes the dialogue before it along: it may have belonged to that one.
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
    std::string wide = "\xFF\xFE";  // UTF-16, as Windows saves it
    for (const char c : layout.text) wide += {c, '\0'};
    const Read utf16 = read(layout, wide);
    EXPECT_NE(utf16.error.find(": is text in UTF-16, not in UTF-8"), std::string::npos) << utf16.error;

    std::string latin = layout.text;  // its first letter of a text with an accent
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
