// The layouts of published corpora, in small files written for this test.
#include <regex>

#include "corpus.h"

namespace compeer {
namespace {

using nlohmann::json;

class Layouts : public CorpusTest {
 protected:
  static const json& label(const Example& example, size_t turn, const std::string& name) {
    return example.record.at("labels").at(turn).at(name);
  }
};

const json dialogue_layout = {{"unit", "dialogue"}};

TEST_F(Layouts, EsconvAsItWasFirst) {
  const auto path = write("FailedESConv.json", R"([{"emotion_type": "fear", "problem_type": "Sleep Problems",
    "situation": "s", "survey_score": {"seeker": {"initial_emotion_intensity": "4"}, "supporter": {}}, "dialog": [
    {"speaker": "speaker", "annotation": {"feedback": "2"}, "content": "i\nlie awake\n"},
    {"speaker": "listener", "annotation": {"strategy": "Questions"}, "content": "since when?"},
    {"speaker": "listener", "annotation": {"strategy": "Direct Guidance"}, "content": "get up\n"},
    {"speaker": "listener", "annotation": {}, "content": "ok"}]}])");
  const auto example = all("esconv", path).at(0);
  EXPECT_EQ(told(example), "user: i\nlie awake|");
  EXPECT_EQ(example.answer, "since when?\nget up\nok");
  EXPECT_EQ(example.record.at("strategies"), (json{"Question", "Providing Suggestions", nullptr}));
  EXPECT_EQ(label(example, 0, "feedback"), json{2});
  EXPECT_TRUE(example.record.at("experience").is_null());
}

TEST_F(Layouts, EsconvRelabelled) {
  const json record = json::parse(R"({"emotion_type": "fear", "init_intensity": 4, "final_intensity": 3, "dialog": [
    {"text": "hi", "speaker": "usr", "vad": [0.1, 0.2, 0.3], "cause": "x", "feedback": null},
    {"text": "hello . why ?", "speaker": "sys", "strategy": "Greeting", "all_strategy": ["Greetings", "Question"]}]})");
  const auto example = all("esconv", write("multiesc_test.txt", record.dump())).at(0);
  EXPECT_EQ(example.record.at("strategies"), (json{"Greeting", "Question"}));
  EXPECT_EQ(example.record.at("survey").at("final_intensity"), 3);
  EXPECT_EQ(label(example, 0, "cause"), json{"x"});
}

TEST_F(Layouts, EsconvWithStepsMadeOfLabels) {
  const auto path = write("ESConv.json", R"([{"emotion_type": "fear", "problem_type": "Sleep Problems", "dialog": [
    {"speaker": "seeker", "annotation": {}, "content": "i lie awake"},
    {"speaker": "supporter", "annotation": {"strategy": "Question"}, "content": "since when?"},
    {"speaker": "supporter", "annotation": {"strategy": "Self-disclosure"}, "content": "so do i"},
    {"speaker": "supporter", "annotation": {"strategy": "Question"}, "content": "every night?"},
    {"speaker": "seeker", "annotation": {}, "content": "yes"},
    {"speaker": "supporter", "annotation": {}, "content": "without a label"},
    {"speaker": "seeker", "annotation": {}, "content": "well"},
    {"speaker": "supporter", "annotation": {"strategy": "Others"}, "content": "a <history> tag"}]}])");
  const auto examples = all("esconv", path, {{"steps", true}});
  EXPECT_EQ(examples.at(0).answer,
            "<history>Sleep Problems</history><emotion>fear</emotion><strategy>Question, Self-disclosure</strategy>\n"
            "since when?\nso do i\nevery night?");
  EXPECT_EQ(examples.at(1).answer, "");
  EXPECT_EQ(told(examples.at(1)), "user: i lie awake|assistant: since when?\nso do i\nevery night?|user: yes|");
  EXPECT_EQ(examples.at(2).answer, "");
  const auto dialogues = refused("esconv", path, {{"steps", true}, {"unit", "dialogue"}});
  EXPECT_TRUE(
      dialogues.ends_with("esconv: has 'steps' for the supporter's turns, but unit = \"dialogue\"\n  help: set unit = "
                          "\"turn\", or leave 'steps' out (exit 3)"))
      << dialogues;
}

TEST_F(Layouts, EsconvSraAsPairsThatPeopleRated) {
  const auto judged = [](const std::string& who, const std::string& rating, const std::string& second) {
    return R"({"conv_id": "c-1_Offer Hope", "strategy": "Offer Hope", "annotator": )" + who +
           R"(, "model-preference": ")" + rating +
           R"(", "model1_response": "all will be well.", "model2_response": ")" + second +
           R"(", "history": "<br><b>seeker</b>: hi\n<i>you</i><br><b>supporter</b>: hello\n"})";
  };
  const auto path = write("annotation-results.json", "[" + judged("1", "-4", "no.") + "," + judged("1", "0", "yes.") +
                                                         "," + judged("2", "-3", "no.") + "]");
  const auto examples = all("esconv_sra", path);
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(told(examples[0]), "user: hi\n<i>you</i>|assistant: hello|");
  EXPECT_EQ(examples[0].answer, "all will be well.");
  EXPECT_EQ(examples[0].record.at("candidates")[0].at("reply"), "no.");
  EXPECT_EQ(examples[0].record.at("people").dump(), R"({"raters":[1,2],"ratings":[-4,-3]})");
  EXPECT_EQ(examples[0].record.at("dialogue"), "c-1");
  EXPECT_EQ(examples[1].record.at("people").at("ratings"), json{0});

  // max_unreadable counts judgements: one of four can't be read, the other three are of one pair.
  const auto cut = write("cut.json", "[" + judged("1", "-4", "no.") + "," + judged("2", "0", "no.") + "," +
                                         judged("3", "1", "no.") + "," + judged("4", "5", "no.") + "]");
  EXPECT_EQ(all("esconv_sra", cut, {{"max_unreadable", 0.25}}).size(), 1u);
  // The first judgement of a pair is skipped; the second one is still read.
  const auto nobodys = std::regex_replace(judged("1", "-4", "no."), std::regex("<b>seeker</b>"), "<b>nobody</b>");
  const auto left = all("esconv_sra", write("nobody.json", "[" + nobodys + "," + judged("2", "1", "no.") + "]"),
                        {{"max_unreadable", 0.5}});
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].record.at("people").dump(), R"({"raters":[2],"ratings":[1]})");
  EXPECT_NE(refused("esconv_sra", write("empty.json", "[]")).find("contains no judgement"), std::string::npos);

  const auto unrated = refused("esconv_sra", write("bad.json", "[" + judged("1", "5", "no.") + "]"));
  EXPECT_NE(unrated.find("has no 'model-preference' from -4 to 4"), std::string::npos) << unrated;
  EXPECT_NE(unrated.find("check that 'path' is annotation-results.json of ESConv-SRA"), std::string::npos) << unrated;
}

TEST_F(Layouts, MescTable) {
  const std::string heading =
      "Utterance,Speaker,Emotion,Strategy,Dialogue_ID,Utterance_ID,Season,Episode,StartTime,EndTime\r\n";
  const std::string first =
      "I told you.,Client,sadness,undefined,0,0,1,2,\"00:00:54,097\",\"00:00:55,113\"\r\n"
      "\"Told me, what?\",Therapist,neutral,open question,0,1,1,2,\"00:00:55,260\",\"00:00:56,263\"\r\n";
  const std::string second =
      "Well.,Client,joy,undefined,1,0,1,2,\"00:01:00,000\",\"00:01:01,000\"\r\n"
      "Yes?,Therapist,neutral,Advisement,1,1,1,2,\"00:01:02,000\",\"00:01:03,000\"";
  const auto examples = all("mesc", write("MESC.csv", heading + first + second), {{"test", 0}, {"valid", 0}});
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].id, "mesc/MESC/0/0");
  EXPECT_EQ(examples[0].answer, "Told me, what?");
  EXPECT_EQ(examples[0].record.at("strategy"), "Open question");
  EXPECT_EQ(examples[0].record.at("episode"), 2);
  EXPECT_EQ(label(examples[0], 0, "emotion"), json{"sadness"});
  EXPECT_EQ(label(examples[0], 0, "start"), json{"00:00:54,097"});
  EXPECT_EQ(examples[1].record.at("dialogue"), "mesc/MESC/1");

  // A malformed row invalidates its dialogue, because the other utterances would no longer be consecutive.
  auto dataset =
      open("mesc", write("cut.csv", heading + first + second.substr(0, second.size() - 3)), {{"max_unreadable", 1}});
  ASSERT_EQ(dataset.object().unreadable().size(), 1u);
  EXPECT_EQ(dataset.object().unreadable()[0].record, 4);
  EXPECT_EQ(dataset.object().unreadable()[0].reason, "is incomplete: the file ends within it, as if cut off");
  dataset =
      open("mesc", write("gap.csv", heading + first + second.substr(second.find('\n') + 1)), {{"max_unreadable", 0.5}});
  EXPECT_EQ(dataset.object().unreadable().at(0).reason, "row 4 is not utterance 0 of dialogue 1");
  EXPECT_NE(refused("mesc", write("empty.csv", "")).find("the file is empty"), std::string::npos);
  EXPECT_NE(refused("mesc", write("few.csv", heading + "a,b\n")).find("row 2 has 2 fields, but the heading has 10"),
            std::string::npos);
}

// Otherwise line breaks and tags would distinguish human replies from those of models.
TEST_F(Layouts, MescSubtitlesAsPlainText) {
  const auto path =
      write("MESC.csv",
            "Utterance,Speaker,Emotion,Strategy,Dialogue_ID,Utterance_ID,Season,Episode,StartTime,EndTime\n"
            "\"We saw <I>a\nfilm\",Client,joy,undefined,0,0,1,2,a,b\n"
            "yesterday</I>.,Client,joy,undefined,0,1,1,2,a,b\n"
            "\"<i>That</i> one,\",Therapist,joy,Restatement,0,2,1,2,a,b\n"
            "with <font color=red>3 < 4</font>?,Therapist,joy,Others,0,3,1,2,a,b\n");
  const auto example = all("mesc", path).at(0);
  EXPECT_EQ(told(example), "user: We saw a film yesterday.|");
  EXPECT_EQ(example.answer, "That one, with 3 < 4?");
}

TEST_F(Layouts, MescWithDescriptions) {
  const auto path = write("val.json", R"([{"problem_type": "Childhood Shadow ", "situation": "s", "dialog": [
    {"text": "Hello.The speaker seems sad. The emotion state is low.", "speaker": "user", "emotion": "anger"},
    {"text": "<i>Hm</i> The emotion state of the speaker is calm.", "speaker": "sys", "emotion": "neutral", "strategy": "Restatement"},
    {"text": "No", "speaker": "user", "emotion": "neutral"},
    {"text": "Yes", "speaker": "sys", "emotion": "neutral", "strategy": "Others"}]}])");
  const auto example = all("mesc", path).at(1);
  EXPECT_EQ(example.id, "mesc/val/1/1");
  EXPECT_EQ(told(example), "user: Hello.|assistant: Hm|user: No|");
  EXPECT_EQ(label(example, 0, "visual"), json{"The speaker seems sad. The emotion state is low."});
  EXPECT_EQ(label(example, 1, "visual"), json{"The emotion state of the speaker is calm."});
  EXPECT_EQ(label(example, 2, "visual"), json::array({nullptr}));
  EXPECT_EQ(example.record.at("problem"), "childhood shadow");
}

TEST_F(Layouts, AvamergWithheld) {
  const auto path = write("test.json", R"([
    {"conversation_id": "00003", "turns": []},
    {"conversation_id": "00007", "turns": [
      {"turn_id": "2", "context": "c", "dialogue_history": [{"index": 0, "role": "speaker", "utterance": "a"},
        {"index": 1, "role": "listener", "utterance": "b"}, {"index": 2, "role": "speaker", "utterance": "c"},
        {"index": 3, "role": "listener", "utterance": "d"}, {"index": 4, "role": "speaker", "utterance": "e"}]},
      {"turn_id": "0", "context": "c", "dialogue_history": [{"index": 0, "role": "speaker", "utterance": "a"}]}]}])");
  auto dataset = open("avamerg", path);
  const auto examples = all(dataset, {"test"});
  ASSERT_EQ(examples.size(), 2u) << "turns that the corpus lists";
  EXPECT_EQ(examples[0].id, "avamerg/test/00007/0");
  EXPECT_EQ(told(examples[0]), "user: a|");
  EXPECT_EQ(examples[0].answer, "b");
  EXPECT_EQ(examples[1].id, "avamerg/test/00007/2");
  EXPECT_EQ(told(examples[1]), "user: a|assistant: b|user: c|assistant: d|user: e|");
  EXPECT_EQ(examples[1].answer, "");
  EXPECT_EQ(examples[1].record.at("rounds"), 3);
  EXPECT_EQ(examples[1].record.at("situation"), "c");
  EXPECT_EQ(all("avamerg", path, dialogue_layout).size(), 2u) << "one of them without a turn";
}

TEST_F(Layouts, AvamergThatContradictsItself) {
  const auto path = write("test.json", R"([{"conversation_id": "1", "turns": [
      {"turn_id": "0", "context": "c", "dialogue_history": [{"index": 0, "role": "speaker", "utterance": "other"}]},
      {"turn_id": "1", "context": "c", "dialogue_history": [{"index": 0, "role": "speaker", "utterance": "a"},
        {"index": 1, "role": "listener", "utterance": "b"}, {"index": 2, "role": "speaker", "utterance": "c"}]}]}])");
  auto dataset = open("avamerg", path, {{"max_unreadable", 0.5}});
  EXPECT_EQ(all(dataset).size(), 1u);
  EXPECT_EQ(dataset.object().unreadable().at(0).reason,
            "has a turn 0 whose history is not a prefix of the last turn's history");
}

TEST_F(Layouts, AvamergWhole) {
  const auto path = write("train.json", R"([{"conversation_id": "01", "topic": "Work",
    "speaker_profile": {"age": "young", "gender": "male", "timbre": "high", "ID": 28},
    "listener_profile": {"age": "young", "gender": "female", "timbre": "mid", "ID": 18},
    "turns": [{"turn_id": "0", "context": "c", "dialogue_history": [{"index": 0, "role": "speaker", "utterance": "a"}],
      "response": "b", "chain_of_empathy": {"speaker_emotion": "sad", "event_scenario": "e", "emotion_cause": "f",
      "goal_to_response": "g"}}]}])");
  const auto example = all("avamerg", path).at(0);
  EXPECT_EQ(example.answer, "b");
  EXPECT_EQ(label(example, 0, "media"), (json{"dia01utt0_28.wav", "dia01utt0_28.mp4"}));
  EXPECT_EQ(example.record.at("answer").at("media"), (json{"dia01utt1_18.wav", "dia01utt1_18.mp4"}));
  const auto still = write("dia01utt0_28.png", "a picture");
  EXPECT_TRUE(example.history[0].pictures.empty());
  EXPECT_EQ(all("avamerg", path, {{"media", still.parent_path().string()}}).at(0).history[0].pictures,
            std::vector<std::string>{still});
  EXPECT_EQ(example.record.at("answer").at("emotion"), json{"sad"});
  EXPECT_EQ(example.record.at("answer").at("goal"), json{"g"});
  EXPECT_EQ(example.record.at("topic"), "Work");
  EXPECT_EQ(example.record.at("persona").at("supporter").at("gender"), "female");
  EXPECT_EQ(example.record.at("strategies"), json::array());
}

TEST_F(Layouts, LabelsThatAreNullLoseNoDialogue) {
  const auto esconv = all("esconv", write("ESConv.json", R"([{"survey_score": null, "dialog": [
    {"speaker": "seeker", "annotation": null, "content": "a"}, {"speaker": "supporter", "annotation": null, "content": "b"}]},
    {"survey_score": {"seeker": {"empathy": "3"}}, "dialog": [
    {"speaker": "seeker", "content": "a"}, {"speaker": "supporter", "content": "b"}]}])"),
                          dialogue_layout);
  ASSERT_EQ(esconv.size(), 2u);
  EXPECT_EQ(label(esconv[0], 1, "strategy"), json{nullptr});
  EXPECT_TRUE(esconv[0].record.at("survey").at("empathy").is_null());
  EXPECT_EQ(esconv[1].record.at("survey").at("empathy"), 3);
  const auto avamerg =
      all("avamerg", write("AvaMERG.json", R"([{"conversation_id": "1", "speaker_profile": null, "turns": [
    {"turn_id": 10000000000, "chain_of_empathy": null, "response": "b",
     "dialogue_history": [{"role": "speaker", "utterance": "a"}]}]}])"));
  ASSERT_EQ(avamerg.size(), 1u);
  EXPECT_TRUE(avamerg[0].record.at("persona").at("seeker").is_null());
  EXPECT_EQ(avamerg[0].record.at("answer").at("emotion"), json{nullptr});
}

TEST_F(Layouts, AvamergWithVideos) {
  const auto path = write("videos.json", R"([{"conversation_id": "5", "turn": {"turn_id": "0", "context": "c",
    "dialogue": [{"index": 0, "role": "speaker", "text": "a", "video_path": "x\\y.mp4"},
      {"index": 1, "role": "listener_response", "text": "b", "video_path": "x\\z.mp4"}],
    "chain_of_empathy": {"speaker_emotion": "excited"}}, "topic": "t"}])");
  const auto example = all("avamerg", path).at(0);
  EXPECT_EQ(told(example) + example.answer, "user: a|b");
  EXPECT_EQ(label(example, 0, "media"), json{"x/y.mp4"});
  EXPECT_EQ(example.record.at("answer").at("emotion"), json{"excited"});
}

TEST_F(Layouts, SoulchatByEitherTopic) {
  const auto path = write("train.json", R"([
    {"id": 0, "normalizedTag": "婚恋", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "你好"},
      {"role": "assistant", "content": "请说"}]},
    {"id": 5, "topic": "情绪", "messages": [{"role": "user", "content": "x"}]},
    {"id": 5, "topic": "情绪", "messages": []}])");
  auto dataset = open("soulchat", path, {{"max_unreadable", 0.5}});
  const auto examples = all(dataset);
  ASSERT_EQ(examples.size(), 1u) << "the second has no complete round";
  EXPECT_EQ(told(examples[0]) + examples[0].answer, "system: s|user: 你好|请说");
  EXPECT_EQ(examples[0].record.at("topic"), "婚恋");
  EXPECT_EQ(examples[0].record.at("language"), "zh");
  EXPECT_EQ(dataset.object().unreadable().at(0).reason, "has the same id '5' as record 2");
}

TEST_F(Layouts, SmileOneFileEach) {
  write("data/0.json", R"([{"role": "client", "content": "a", "annotation": [{"sentence": "a", "label": ""}]},
                           {"role": "counselor", "content": "b", "annotation": []}])");
  write("data/100.json", R"([{"role": "client", "content": "c"}])");
  auto dataset = open("smile", folder(), dialogue_layout);
  EXPECT_EQ(all(dataset).size(), 2u);
  EXPECT_EQ(all("smile", folder()).at(0).id, "smile/data/0/0");
  write("data/7.json", "[{\"role\": \"client\", \"cont");
  EXPECT_NE(refused("smile", folder()).find("data/7.json, record 1: is not JSON: it ends too early"),
            std::string::npos);
}

TEST_F(Layouts, CpsycounTexts) {
  const auto path =
      write("case_1.txt",
            "来访者：你好。\r\n\r\n心理咨询师：可以这样：\r\n\r\n1. 倾听：多听。\r\n\r\n（沉默了一会儿）\r\n\r\n"
            "妈妈：我也在。\n来访者（小李）：好。\n心理咨询师（扮演妈妈）：嗯。\n来访者");
  const auto example = all("cpsycoun", path, dialogue_layout).at(0);
  EXPECT_EQ(told(example), "user: 你好。|assistant: 可以这样：\n1. 倾听：多听。|user: 好。|assistant: 嗯。|");
  EXPECT_EQ(label(example, 1, "aside"), (json{"（沉默了一会儿）", "妈妈：我也在。"}));
  EXPECT_EQ(label(example, 2, "as"), json{"小李"});
  EXPECT_EQ(label(example, 3, "as"), json{"扮演妈妈"});
  EXPECT_EQ(example.id, "cpsycoun/case_1");
  EXPECT_NE(refused("cpsycoun", write("x.txt", "1. 倾听：\n")).find("contains no line that begins with 来访者："),
            std::string::npos);
  EXPECT_NE(refused("cpsycoun", write("gbk.txt", "\xC0\xB4")).find("is not UTF-8 at byte 0"), std::string::npos);
}

TEST_F(Layouts, CpsycounTextsOfOtherEditors) {
  const std::string text = "　　来访者：你好。\r\u00A0心理咨询师　：请坐。\r　（沉默）\r来访者 ：好。\r";
  const auto example = all("cpsycoun", write("case_2.txt", text), dialogue_layout).at(0);
  EXPECT_EQ(told(example), "user: 你好。|assistant: 请坐。|user: 好。|");
  EXPECT_EQ(label(example, 1, "aside"), json{"（沉默）"});
}

TEST_F(Layouts, CpsycounLists) {
  write("Love&Marriage/1.json", R"(["求助者：a", "支持者：b"])");
  const auto example = all("cpsycoun", folder()).at(0);
  EXPECT_EQ(told(example) + example.answer, "user: a|b");
  EXPECT_EQ(example.record.at("topic"), "Love&Marriage");
  EXPECT_EQ(example.record.at("dialogue"), "cpsycoun/Love&Marriage/1");
  EXPECT_NE(refused("cpsycoun", write("2.json", R"(["求助者：a", "b"])")).find("line 2 does not begin with"),
            std::string::npos);
}

TEST_F(Layouts, EscotAnswersWithItsReasoning) {
  const auto path = write("test.json", R"([{"id": 944, "original_data": {"dialog": [
      {"speaker": "seeker", "content": "a"}, {"speaker": "supporter", "content": "b"}, {"speaker": "seeker", "content": "c"}],
      "strategy": "Reflection of Feelings", "response": "d"},
    "cot_data": {"emotion": "e", "emotion_stimuli": "f", "individual_appraisal": "g",
      "recognized_strategy": "Reflection of Feelings", "strategy_reason": "h"}}])");
  const auto examples = all("escot", path);
  ASSERT_EQ(examples.size(), 1u);
  EXPECT_EQ(told(examples[0]) + examples[0].answer, "user: a|assistant: b|user: c|d");
  EXPECT_EQ(examples[0].id, "escot/test/944/1");
  EXPECT_EQ(examples[0].record.at("strategy"), "Reflection of Feelings");
  EXPECT_EQ(examples[0].record.at("answer").at("appraisal"), json{"g"});
}

TEST_F(Layouts, EmollmRounds) {
  const auto path = write("data.json", R"([{"conversation": [{"system": "s", "input": "a", "output": "b"},
    {"input": "c", "output": "d"}]}])");
  const auto examples = all("emollm", path);
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(told(examples[1]) + examples[1].answer, "system: s|user: a|assistant: b|user: c|d");
}

}  // namespace
}  // namespace compeer
