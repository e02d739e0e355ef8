// Chat models get no information about the origin of a record: tests every prompt of every stage, in both languages,
// with records that contain marks wherever something could leak.
#include <filesystem>
#include <fstream>
#include <set>

#include "asked.h"
#include "places.h"

namespace compeer::asked {
namespace {

namespace fs = std::filesystem;

// Texts that no prompt may contain. The words of dialogues are not marked.
const std::vector<std::string> marks = {"MARK",      "Case ",      "案例",    "spoilt", "rewritten", "/policy",
                                        "writer",    "esc_world/", "/a/",     "/b/",    "a~b",       "train",
                                        "candidate", "reference",  "source:", "{"};

json marked(const std::string& language) {
  json record = round("");
  record["id"] = "MARKsource/train/6/4/urp/a/spoilt/rewritten";
  record["dialogue"] = "MARKdialogue";
  record["source"] = "MARKsource";
  record["split"] = "train";
  record["language"] = language;
  record["rewritten"] = "MARKoriginal";
  record["labels"] = {{"strategy", "MARKlabel"}};
  record["provenance"] = {{"candidates", {{"model", "MARKmodel"}, {"spoilt", {"reply"}}}}};
  record["candidates"][0]["model"] = "MARKmodel";
  record["persona_as"] = {
      {"dominance", 1}, {"influence", 2}, {"steadiness", 3}, {"compliance", 4}, {"manner", "long sentences"}};
  record["history"][0]["pictures"] = {"MARKpicture.png"};
  for (const auto& [model, text] : {std::pair("MARKsft", "Tell me more."), {"MARKurp", "Go on."}})
    record["answers"][model] = {{"role", "assistant"}, {"text", text}};
  return record;
}

json card(const std::string& language) {
  return {{"id", "MARKcard"},       {"card", "Problem: sad"},      {"source", "MARKsource"},   {"res", "MARKcategory"},
          {"category", "MARKkind"}, {"language", language},        {"player", "A baker."},     {"scene", "It broke."},
          {"task", "to be heard"},  {"main_cha", "MARKcharacter"}, {"first_talk", "It broke."}};
}

// Returns all prompts and turns that a stage sends to chat models for such a record.
std::vector<std::string> shown(const std::string& stage, const json& record, json settings,
                               const std::vector<std::string>& parts) {
  Model model([](const std::string&, uint32_t) { return says("Change: 1\nResponse: 3"); });
  for (const auto& part : parts) settings[part] = named("it");
  auto plugin =
      built::open<Stage>(stage, settings, std::make_unique<World>(std::map<std::string, Model*>{{"it", &model}}));
  add_summary(plugin, {record});
  plugin::make(plugin, {record});
  EXPECT_FALSE(model.all_turns.empty()) << stage << " asks nothing";
  return model.all_turns;
}

void expect_blind(const std::string& stage, const std::vector<std::string>& texts) {
  for (const auto& text : texts) {
    for (const auto& mark : marks)
      EXPECT_EQ(text.find(mark), text.npos) << stage << " shows '" << mark << "':\n" << text;
  }
}

TEST(Blind, NoPromptTellsWhatARecordIs) {
  for (const std::string language : {"en", "zh"}) {
    const json record = marked(language), played = card(language);
    json dialogue = record;
    dialogue["turns"] = dialogue["history"];
    expect_blind("filter", shown("filter", record, {{"only", "rewritten"}}, {"chat"}));
    expect_blind("generate", shown("generate", record, {}, {"writer", "second_writer"}));
    expect_blind("annotate", shown("annotate", record, {}, {"annotator", "second_annotator", "third_annotator"}));
    expect_blind("persona", shown("persona", record, {}, {"chat"}));
    expect_blind("rewrite", shown("rewrite", record, {}, {"chat"}));
    expect_blind("rewrite", shown("rewrite", record, {{"as_persona", false}}, {"chat"}));
    expect_blind("answer", shown("answer", record, {{"name", "MARKname"}}, {"supporter"}));
    expect_blind("pairwise", shown("pairwise", record, {}, {"judge"}));
    expect_blind("sage", shown("sage", played, {{"rounds", 2}}, {"simulator", "supporter"}));
    expect_blind("esc_eval",
                 shown("esc_eval", played, {{"rounds", 1}}, {"role_player", "supporter", "judge", "second_judge"}));
  }
}

// A system turn is an instruction for the supporter; as a line of the dialogue it would look like the seeker's words.
// The tested model gets it as a system turn, unless the stage sets another one.
TEST(Blind, ASystemTurnIsNobodysWords) {
  for (const std::string language : {"en", "zh"}) {
    json record = marked(language);
    const json system = {{"role", "system"}, {"text", "MARKsystem: you are an expert."}};
    record["history"].insert(record["history"].begin(), system);
    expect_blind("filter", shown("filter", record, {}, {"chat"}));
    expect_blind("generate", shown("generate", record, {}, {"writer", "second_writer"}));
    expect_blind("annotate", shown("annotate", record, {}, {"annotator", "second_annotator", "third_annotator"}));
    expect_blind("persona", shown("persona", record, {}, {"chat"}));
    expect_blind("rewrite", shown("rewrite", record, {}, {"chat"}));
    expect_blind("pairwise", shown("pairwise", record, {}, {"judge"}));
    json dialogue = record;
    dialogue["turns"] = {system, record["history"][1], {{"role", "assistant"}, {"text", "What happened?"}}};
    dialogue.erase("answers");
    expect_blind("esc_eval", shown("esc_eval", dialogue, {}, {"judge"}));
    const auto asked = shown("answer", record, {{"name", "MARKname"}}, {"supporter"});
    EXPECT_EQ(asked, (std::vector<std::string>{"MARKsystem: you are an expert.", "I am sad "}));
    const auto file = fs::path(testing::TempDir()) / "compeer-system.txt";
    std::ofstream(file) << "Listen.";
    const auto other =
        shown("answer", record, {{"name", "MARKname"}, {"supporter_prompt", file.string()}}, {"supporter"});
    EXPECT_EQ(other, (std::vector<std::string>{"Listen.", "I am sad "}));
    fs::remove(file);
  }
}

// Prompt files that no stage above uses, such as that of consistency, and slots that a change might add.
TEST(Blind, NoPromptForModelsNamesARecord) {
  const fs::path folder = fs::path(COMPEER_SOURCE_DIR) / "plugins/empathy/prompts";
  size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    for (const char* slot : {"{id}", "{source}", "{split}", "{model}", "{dialogue_id}", "Case", "案例"})
      EXPECT_EQ(text.str().find(slot), std::string::npos) << entry.path() << " has " << slot;
    ++files;
  }
  EXPECT_GT(files, 40u);
}

TEST(Blind, PromptsAreThereInBothLanguages) {
  const fs::path folder = fs::path(COMPEER_SOURCE_DIR) / "plugins/empathy/prompts";
  const auto names = [&](const char* language) {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder / language)) all.insert(entry.path().filename());
    return all;
  };
  EXPECT_EQ(names("en"), names("zh"));
}

TEST(Blind, PromptsOfOnesOwnMayNotNameARecordEither) {
  const fs::path folder = fs::path(testing::TempDir()) / "compeer-blind";
  fs::create_directories(folder / "en");
  std::ofstream(folder / "en" / "persona.txt") << "Case {id}\n{dialogue}";
  Model model([](const std::string&, uint32_t) { return says(""); });
  try {
    make("persona", model, {round("a")}, {{"prompts", folder.string()}});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("unknown slot {id}"), std::string::npos) << error.problem();
    EXPECT_EQ(error.help(), "leave it out: the model must not know which record the prompt is about");
  }
  fs::remove_all(folder);
}

// The player of esc_world needs the case id, so it has its own prompts.
TEST(Blind, OnlyAPlayerOfGeneratedDialoguesIsToldTheCase) {
  Model player([](const std::string&, uint32_t) { return says("keep"); });
  auto plugin = built::open<Stage>("filter", {{"chat", {{"plugin", "esc_world"}, {"name", "it"}}}},
                                   std::make_unique<World>(std::map<std::string, Model*>{{"it", &player}}));
  plugin::make(plugin, {dialogue("esc_world/test/000004")});
  EXPECT_TRUE(player.prompts.at(0).starts_with("Case esc_world/test/000004\n")) << player.prompts[0];
}

}  // namespace
}  // namespace compeer::asked
