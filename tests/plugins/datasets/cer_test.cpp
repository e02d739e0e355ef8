#include <filesystem>
#include <fstream>

#include "built.h"
#include "compeer/dataset.h"
#include "compeer/formed_dataset.h"

namespace compeer {
namespace {

using nlohmann::json;

json record(const std::string& id, std::vector<bool> steps, const std::string& preference, const std::string& split) {
  return {{"id", id},
          {"split", split},
          {"history", {{{"role", "user"}, {"text", "i am sad"}}}},
          {"reference", "tell me more"},
          {"candidates", {{{"history", "early"}, {"emotion", "sadness"}, {"strategy", "question"}, {"reply", "why?"}}}},
          {"steps", {steps}},
          {"preference", preference}};
}

class Cer : public testing::Test {
 protected:
  Cer() {
    lines({record("a", {true, true, true}, "second", "train").dump(),
           record("b", {true, false, true}, "both good", "train").dump(),
           record("c", {true, true, true}, "first", "train").dump(),
           record("d", {false, false, false}, "neither", "test").dump()});
  }
  void lines(const std::vector<std::string>& all) {
    std::ofstream out(file_);
    for (const auto& line : all) out << line << "\n";
  }
  plugin::Plugin<Dataset> open(json settings) {
    settings["path"] = file_.string();
    return built::open<Dataset>("cer", settings);
  }
  static int64_t size(plugin::Plugin<Dataset>& data, const std::string& split = "train") {
    return data.call("size", [&](Dataset& d) { return d.size(split); });
  }
  static Example get(plugin::Plugin<Dataset>& data, int64_t index, const std::string& split = "train") {
    return data.call("get", [&](Dataset& d) { return d.get(split, index); });
  }
  const std::filesystem::path file_ = std::filesystem::path(testing::TempDir()) / "cer_test.jsonl";
};

TEST_F(Cer, GivesAPolicyWhatIsRightAndPreferred) {
  auto data = open({});
  ASSERT_EQ(size(data), 1);
  EXPECT_EQ(get(data, 0).answer,
            "<history>early</history><emotion>sadness</emotion><strategy>question</strategy>\nwhy?");
  EXPECT_EQ(get(data, 0).target_turns, 1);
}

TEST_F(Cer, TellsTheFormOfAJudgesQuestions) {
  const auto form = [&](json settings) {
    auto data = open(std::move(settings));
    return dynamic_cast<const FormedDataset&>(data.object()).form();
  };
  EXPECT_TRUE(form({}).is_null()) << "a policy is asked nothing";
  EXPECT_TRUE(form({{"view", "record"}}).is_null());
  EXPECT_EQ(form({{"view", "unifireward"}}), (json{{"judge",
                                                    {{"view", "unifireward"},
                                                     {"prompts", nullptr},
                                                     {"prompts_sha256", nullptr},
                                                     {"step_words", {"True", "False"}},
                                                     {"preference_words", {"first", "second", "both good", "neither"}},
                                                     {"reads", false},
                                                     {"reads_replies", false}}}}));
  const std::string prompts = COMPEER_SOURCE_DIR "/plugins/empathy/prompts/en";
  const auto prm = form({{"view", "prm"}, {"prompts", prompts}}).at("judge");
  EXPECT_EQ(prm.at("view"), "prm");
  EXPECT_EQ(prm.at("prompts"), prompts);
  EXPECT_EQ(prm.at("prompts_sha256").get<std::string>().size(), 64u);
  EXPECT_FALSE(prm.contains("preference_words") || prm.contains("reads_replies")) << "it is asked about no reply";
  EXPECT_FALSE(form({{"view", "orm"}}).at("judge").contains("step_words"));
}

TEST_F(Cer, ReadsMoreFilesBehindTheFirst) {
  const auto more = std::filesystem::path(testing::TempDir()) / "cer_more.jsonl";
  std::ofstream(more) << record("e", {true, true, true}, "second", "train").dump() << "\n";
  auto data = open({{"more", {more.string()}}, {"view", "record"}});
  ASSERT_EQ(size(data), 4);
  EXPECT_EQ(get(data, 3).id, "e");
  std::ofstream(more) << "{}\n";
  try {
    open({{"more", {more.string()}}});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("1 records can't be read\n  " + more.string() + ", record 1: "),
              std::string::npos)
        << error.what();
  }
}

TEST_F(Cer, MayBeAFileOfTheCurrentFolder) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(file_.parent_path());
  EXPECT_NO_THROW(built::open<Dataset>("cer", {{"path", file_.filename().string()}}));
  std::filesystem::current_path(before);
}

TEST_F(Cer, PutsTheReferenceBehindRightSteps) {
  auto data = open({{"keep", "reference"}});
  ASSERT_EQ(size(data), 2);
  EXPECT_EQ(get(data, 1).id, "c");
  EXPECT_EQ(get(data, 1).answer,
            "<history>early</history><emotion>sadness</emotion><strategy>question</strategy>\ntell me more");
  auto all = open({{"keep", "all"}});
  EXPECT_EQ(size(all), 3);
}

TEST_F(Cer, TeachesAThoughtInPlaceOfStepsOrNone) {
  auto none = open({{"reasoning", "none"}});
  EXPECT_EQ(get(none, 0).answer, "why?");
  auto thought = open({{"reasoning", "thought"}});
  const auto answer = get(thought, 0).answer;
  EXPECT_TRUE(answer.starts_with("<think>") && answer.ends_with(".</think>\nwhy?")) << answer;
  for (const char* part : {"early.", "sadness.", "question."}) EXPECT_NE(answer.find(part), answer.npos) << answer;
  EXPECT_EQ(get(thought, 0).answer, answer);
}

TEST_F(Cer, TeachesToReadRepliesByAllThatWereWrittenWithTheirSteps) {
  auto spoilt = record("e", {true, true, true}, "second", "train"), other = record("f", {}, "second", "train");
  spoilt["provenance"]["candidates"]["spoilt"] = {"reply"};
  other["rewritten"] = "a";
  other["steps"] = {{true, true, true}};
  lines({record("a", {true, true, true}, "second", "train").dump(), spoilt.dump(), other.dump(),
         record("b", {true, false, true}, "first", "train").dump()});
  auto data = open({{"reads_replies", true}, {"rewritten", "left_out"}});
  ASSERT_EQ(size(data), 4);
  EXPECT_EQ(get(data, 0).id, "a");
  EXPECT_EQ(get(data, 1).id, "e");
  EXPECT_EQ(get(data, 2).id, "a/reply");
  const auto reply = get(data, 3);
  EXPECT_EQ(reply.id, "b/reply");
  ASSERT_EQ(reply.history.size(), 1u);
  EXPECT_EQ(reply.history[0].role + ": " + reply.history[0].text, "user: why?") << "of the steps, not the reference";
  EXPECT_EQ(reply.answer, "<history>early</history><emotion>sadness</emotion><strategy>question</strategy>");
}

TEST_F(Cer, LeavesOutOrReplacesWhatWasRewritten) {
  auto other = record("a/rewritten", {true, true, true}, "second", "train");
  other["rewritten"] = "a";
  other["reference"] = "say more";
  lines({record("a", {true, true, true}, "second", "train").dump(), other.dump(),
         record("b", {true, false, true}, "both good", "train").dump()});
  const auto ids = [&](const char* rewritten) {
    auto data = open({{"view", "record"}, {"rewritten", rewritten}});
    std::string all;
    for (int64_t i = 0; i < size(data); ++i) all += get(data, i).id + " ";
    return all;
  };
  EXPECT_EQ(ids("kept"), "a a/rewritten b ");
  EXPECT_EQ(ids("left_out"), "a b ");
  EXPECT_EQ(ids("replaced"), "a a b ") << "as many as kept";
}

TEST_F(Cer, GivesStagesTheRecordsAsTheyStand) {
  auto data = open({{"view", "record"}});
  ASSERT_EQ(size(data), 3);
  EXPECT_EQ(get(data, 1).answer, "tell me more");
  EXPECT_EQ(get(data, 1).record, record("b", {true, false, true}, "both good", "train"));
}

TEST_F(Cer, TeachesAJudgeAllFourAnswersOfAConversation) {
  auto data = open({{"view", "unifireward"}, {"order", "reference_first"}});
  ASSERT_EQ(size(data), 3);
  const auto example = get(data, 1);
  EXPECT_EQ(example.target_turns, 4);
  EXPECT_EQ(example.answer, "both good");
  std::string said;
  for (const auto& turn : example.history) said += turn.role + ": " + turn.text + "\n";
  EXPECT_EQ(said,
            "user: i am sad\nuser: <history>early</history>\nassistant: True\nuser: <emotion>sadness</emotion>\n"
            "assistant: False\nuser: <strategy>question</strategy>\nassistant: True\nuser: tell me more\nwhy?\n");
}

TEST_F(Cer, ShowsTheReadingBehindEachStep) {
  auto read = record("a", {true, true, true}, "first", "train");
  read["reading"] = {{"history", "late"}, {"strategy", "question"}};
  lines({read.dump()});
  auto data = open({{"view", "unifireward"}, {"reads", true}});
  const auto history = get(data, 0).history;
  EXPECT_EQ(history[1].text, "<history>early</history><history>late</history>");
  EXPECT_EQ(history[3].text, "<emotion>sadness</emotion>") << "of which there is no reading";
  lines({record("a", {true, true, true}, "first", "train").dump()});
  auto without = open({{"view", "unifireward"}, {"reads", true}, {"max_unreadable", 1}});
  const auto all = without.call("unreadable", [](Dataset& d) { return d.unreadable(); });
  EXPECT_EQ(all.at(0).reason, "has no 'reading': run the stage read");
}

TEST_F(Cer, ShowsWhatTheRepliesDo) {
  auto read = record("a", {true, true, true}, "first", "train");
  read["reading"] = {{"history", "late"},
                     {"reference", {{"strategy", "advice"}}},
                     {"reply", {{"emotion", "anger"}, {"least_log_prob", -7.5}}}};
  lines({read.dump()});
  const json settings{{"view", "unifireward"}, {"reads_replies", true}, {"order", "reference_first"}};
  auto data = open(settings);
  const auto history = get(data, 0).history;
  EXPECT_EQ(history[1].text, "<history>early</history>") << "how the dialogue was read is another setting";
  EXPECT_EQ(history[7].text, "tell me more\nwhy?\n<strategy>advice</strategy>\n<emotion>anger</emotion>unclear");
  read["reading"].erase("reply");
  lines({read.dump()});
  auto more = settings;
  more["max_unreadable"] = 1;
  auto without = open(more);
  const auto all = without.call("unreadable", [](Dataset& d) { return d.unreadable(); });
  EXPECT_EQ(all.at(0).reason, "has no 'reading' of its replies: run the stage read with replies = true");
  read["reading"]["reply"]["least_log_prob"] = "low";
  lines({read.dump()});
  auto wrong = open(more);
  EXPECT_EQ(wrong.call("unreadable", [](Dataset& d) { return d.unreadable(); }).at(0).reason,
            "has no number in 'reading.reply.least_log_prob'");
}

TEST_F(Cer, ShowsRepliesInAnOrderThatFollowsFromTheName) {
  std::vector<std::string> many;
  for (int i = 0; i < 400; ++i) many.push_back(record(std::to_string(i), {true, true, true}, "first", "train").dump());
  lines(many);
  auto data = open({{"view", "orm"}});
  int swapped = 0;
  for (int i = 0; i < 400; ++i) {
    const auto example = get(data, i);
    const bool other_way = example.history.back().text == "why?\ntell me more";
    EXPECT_EQ(example.answer, other_way ? "second" : "first");
    swapped += other_way ? 1 : 0;
  }
  EXPECT_NEAR(swapped, 200, 50) << "five deviations";
}

TEST_F(Cer, GivesAProcessModelEachStepByItself) {
  auto data = open({{"view", "prm"}});
  ASSERT_EQ(size(data), 9);
  const auto step = get(data, 4);
  EXPECT_EQ(step.id, "b/1");
  ASSERT_EQ(step.history.size(), 2u);
  EXPECT_EQ(step.history[1].text, "<emotion>sadness</emotion>");
  EXPECT_EQ(step.answer, "False");
  EXPECT_EQ(step.target_turns, 1);
  EXPECT_EQ(size(data, "test"), 3);
  EXPECT_EQ(size(data, "nowhere"), 0);
}

// Returns a record with a turn that has these images.
json shown(const std::string& id, const json& pictures) {
  auto one = record(id, {true, true, true}, "second", "train");
  one["history"][0]["pictures"] = pictures;
  return one;
}

TEST_F(Cer, ShowsThePicturesOfATurnIfAsked) {
  const auto media = file_.parent_path() / "cer_media";
  std::filesystem::create_directories(media);
  const auto cat = (media / "cat.png").string(), dog = (file_.parent_path() / "cer_dog.png").string();
  for (const auto& file : {cat, dog}) std::ofstream(file) << "a picture";
  lines({shown("a", {"cat.png", dog}).dump(), shown("b", json::array()).dump()});
  const json asked = {{"pictures", "shown"}, {"media", media.string()}};
  for (const char* view : {"policy", "record", "unifireward", "orm"}) {
    auto settings = asked;
    settings["view"] = view;
    auto data = open(settings);
    EXPECT_EQ(get(data, 0).history[0].pictures, (std::vector<std::string>{cat, dog})) << view;
    EXPECT_TRUE(get(data, 1).history[0].pictures.empty());
    EXPECT_EQ(get(data, 0).record.at("history")[0].at("pictures"), (json{cat, dog})) << "as stages see it";
  }
  auto without = open({{"view", "record"}, {"media", media.string()}});
  EXPECT_TRUE(get(without, 0).history[0].pictures.empty());
  EXPECT_FALSE(get(without, 0).record.at("history")[0].contains("pictures"));
}

TEST_F(Cer, NamesRecordsWhosePicturesAreNotThere) {
  lines({shown("a", {"cer_none.png"}).dump(), shown("b", "x.png").dump(), shown("c", {1}).dump()});
  auto data = open({{"pictures", "shown"}, {"max_unreadable", 1}});
  const auto all = data.call("unreadable", [](Dataset& d) { return d.unreadable(); });
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].reason, "shows " + (file_.parent_path() / "cer_none.png").string() + ", which does not exist")
      << "relative to the file of records";
  EXPECT_EQ(all[1].reason, "has 'pictures' that are not a list of files");
  EXPECT_EQ(all[2].reason, "has 'pictures' that are not a list of files");
  auto blind = open({{"max_unreadable", 1}});
  EXPECT_EQ(size(blind), 1) << "left out, it need not be there";
}

TEST_F(Cer, ShowsNoPicturesFromElsewhere) {
  const auto media = file_.parent_path() / "cer_media";
  std::filesystem::create_directories(media);
  lines({shown("a", {"/etc/passwd"}).dump(), shown("b", {"../../../../../../etc/passwd"}).dump()});
  auto data = open({{"pictures", "shown"}, {"media", media.string()}, {"max_unreadable", 1}});
  const auto all = data.call("unreadable", [](Dataset& d) { return d.unreadable(); });
  ASSERT_EQ(all.size(), 2u);
  for (const auto& one : all) {
    EXPECT_EQ(one.reason,
              "shows /etc/passwd, outside of " + media.string() + "; set 'media' to the folder of the pictures");
  }
}

TEST_F(Cer, NamesRecordsThatItCanNotRead) {
  auto broken = record("b", {true, true, true}, "best", "train");
  auto bare = record("c", {true, true, true}, "first", "train");
  bare.erase("steps");
  auto no_reply = record("d", {true, true, true}, "first", "train");
  no_reply["candidates"][0].erase("reply");
  lines({record("a", {true, true, true}, "first", "train").dump(), broken.dump(), bare.dump(), no_reply.dump(),
         "{\"id\": "});
  auto data = open({{"view", "unifireward"}, {"max_unreadable", 1}});
  const auto all = data.call("unreadable", [](Dataset& d) { return d.unreadable(); });
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].record, 2);
  EXPECT_TRUE(all[0].reason.starts_with("has an invalid preference: ")) << all[0].reason;
  EXPECT_EQ(all[1].reason, "has no labels ('steps', 'preference')");
  EXPECT_EQ(all[2].reason, "has no 'reply'");
  EXPECT_EQ(all[3].record, 5);
  try {
    open({{"view", "unifireward"}});
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::data);
    EXPECT_NE(std::string(error.what()).find("4 records can't be read\n  record 2: has an invalid preference: "),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace compeer
