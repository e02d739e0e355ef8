#include "spec/renamed.h"

#include "base/hash.h"
#include "fake_catalog.h"
#include "spec/draft.h"
#include "spec/history.h"
#include "spec/spec.h"
#include "spec/text.h"

namespace compeer::spec {
namespace {

FakeCatalog catalog() {
  FakeCatalog made;
  made.add("chat", "local", R"({"concurrency": {"type": "integer", "default": 16}})");
  made.add("chat", "other", R"({"together": {"type": "integer", "default": 1}})");
  made.add("rewards", "orm", R"({
    "score_by": {"type": "string", "default": "answer"},
    "max_unreadable": {"type": "number", "default": 0.1},
    "chat": {"type": "plugin", "kind": "chat", "default": null}})");
  made.add("rewards", "own", R"({"by": {"type": "string", "default": "me"}, "score_by": {"type": "string"}})");
  return made;
}

const std::string judged = "cut_off = 0.5\n[[rewards]]\nplugin = \"orm\"\nby = \"likelihood\"\n";  // from line 7 on

std::string before_grpo(const std::string& more) {
  return "name = \"x\"\ntask = \"grpo\"\n[dataset]\nplugin = \"esc_world\"\n[[rewards]]\nplugin = \"format\"\n" + more;
}

Draft draft(const std::string& text) { return parse_toml(text, "x.toml"); }

// Resolves a draft; `notes` gets the notes.
Spec resolved(const Draft& draft, std::vector<std::string>* notes = nullptr) {
  return resolve(draft, catalog(),
                 {"results", nullptr, [&](const std::string& text) { notes ? notes->push_back(text) : void(); }});
}

std::vector<std::string> notes_of(const Draft& draft) {
  std::vector<std::string> notes;
  resolved(draft, &notes);
  return notes;
}

TEST(Renamed, SettingsOfATomlFileKeepTheirValuesAndOrigins) {
  const auto made = draft(before_grpo(judged + "chat = {plugin = \"local\", together = 4}\n[grpo]\ntogether = 2\n"));
  EXPECT_EQ(made.values.at("rewards").dump(),
            R"([{"plugin":"format","truncated_factor":0.5},)"
            R"({"chat":{"concurrency":4,"plugin":"local"},"plugin":"orm","score_by":"likelihood"}])");
  EXPECT_EQ(made.values.at("grpo").dump(), R"({"groups_per_reduction":2})");
  EXPECT_EQ(made.origins.at("grpo.groups_per_reduction"), "x.toml:13");
  EXPECT_FALSE(made.origins.contains("grpo.together"));
  EXPECT_EQ(notes_of(made), (std::vector<std::string>{
                                "x.toml:13: 'grpo.together' is now called 'grpo.groups_per_reduction'",
                                "x.toml:7: 'rewards[0].cut_off' is now called 'rewards[0].truncated_factor'",
                                "x.toml:10: 'rewards[1].by' is now called 'rewards[1].score_by'",
                                "x.toml:11: 'rewards[1].chat.together' is now called 'rewards[1].chat.concurrency'"}));
  EXPECT_EQ(resolved(made).origins.at("rewards[1].chat.concurrency"), "x.toml:11");
}

TEST(Renamed, ChangesReplaceValuesUnderEitherName) {
  const auto base = draft(before_grpo(judged + "[grpo]\ntogether = 2\n"));
  const auto made = with(base, {parse_set("grpo.together=3"),
                                parse_set("rewards.1.most_unreadable=0.5"),
                                {"rewards[1]", {{"by", "answer"}}, "s.lua:3"}});
  EXPECT_EQ(made.values.at("grpo").dump(), R"({"groups_per_reduction":3})");
  EXPECT_EQ(made.values.at("rewards")[1].dump(), R"({"max_unreadable":0.5,"plugin":"orm","score_by":"answer"})");
  EXPECT_EQ(made.origins.at("rewards[1].score_by"), "s.lua:3");
  EXPECT_EQ(with(made, {parse_set("grpo.groups_per_reduction=4")}).values.at("grpo").dump(),
            R"({"groups_per_reduction":4})");
  EXPECT_EQ(with(base, {parse_set("grpo.together=null")}).values.at("grpo").dump(), R"({"groups_per_reduction":null})");
  EXPECT_EQ(notes_of(with(draft(smallest()), {parse_set("grpo.together=3")})),
            std::vector<std::string>{"--set: 'grpo.together' is now called 'grpo.groups_per_reduction'"});
  EXPECT_TRUE(notes_of(with(draft(smallest()), {parse_set("grpo.groups_per_reduction=3")})).empty());
}

TEST(Renamed, ChangesAreReadWithThePluginThatTheyMeet) {
  const auto base = draft(before_grpo(judged + "chat = \"local\"\n"));
  EXPECT_EQ(with(base, {{"rewards[1].chat.together", 4, "--set"}}).values.at("rewards")[1].at("chat").dump(),
            R"({"concurrency":4,"plugin":"local"})");
  EXPECT_EQ(with(base, {{"rewards[1].chat.plugin", "other", "--set"}, {"rewards[1].chat.together", 4, "--set"}})
                .values.at("rewards")[1]
                .at("chat")
                .dump(),
            R"({"plugin":"other","together":4})");
  const Change list{"rewards", json::parse(R"([{"plugin":"own","by":"you"},{"plugin":"orm","by":"answer"}])"), ""};
  EXPECT_EQ(with(base, {list}).values.at("rewards").dump(),
            R"([{"by":"you","plugin":"own"},{"plugin":"orm","score_by":"answer"}])");
}

TEST(Renamed, WordsBecomeTrueOrFalse) {
  const auto reweighting = [](const std::string& line) {
    return draft("[reweighting]\nplugin = \"redundancy\"\n" + line).values.at("reweighting").dump();
  };
  EXPECT_EQ(reweighting("echo = \"left_out\"\n"), R"({"ignore_user_words":true,"plugin":"redundancy"})");
  EXPECT_EQ(reweighting("echo = \"counted\"\n"), R"({"ignore_user_words":false,"plugin":"redundancy"})");
  EXPECT_EQ(reweighting("slip = 0.1\n"), R"({"min_token_probability":0.1,"plugin":"redundancy"})");
}

TEST(Renamed, BothNamesAreRefused) {
  const std::string expected = "|unknown key 'grpo.together'|it is now called 'groups_per_reduction': set only that|3";
  EXPECT_EQ(complaint([] { resolved(draft(smallest("together = 2\ngroups_per_reduction = 3\n"))); }),
            "x.toml:8" + expected);
  EXPECT_EQ(
      complaint([] {
        resolved(with(draft(smallest()), {parse_set("grpo.together=2"), parse_set("grpo.groups_per_reduction=3")}));
      }),
      "--set" + expected);
}

TEST(Renamed, MergedDraftsKeepTheirNotes) {
  const auto made = merge(draft(smallest("together = 2\n")), parse_toml("[grpo]\ncispo_most = 4\n", "y.toml"));
  EXPECT_EQ(notes_of(made),
            (std::vector<std::string>{"y.toml:2: 'grpo.cispo_most' is now called 'grpo.cispo_max'",
                                      "x.toml:8: 'grpo.together' is now called 'grpo.groups_per_reduction'"}));
}

// Returns the spec.json that the version before would have written for a spec of this version.
std::string text_of_version_before(const Spec& spec) {
  auto file = json::parse(spec.file_text());
  const auto rename = [](json& table, const char* now, const char* before) {
    table[before] = table.at(now);
    table.erase(now);
  };
  rename(file["spec"]["grpo"], "groups_per_reduction", "together");
  rename(file["spec"]["rewards"][1], "score_by", "by");
  rename(file["origins"], "grpo.groups_per_reduction", "grpo.together");
  file["sha256"] = sha256(canonical_json(file["spec"]));
  return file.dump();
}

TEST(Renamed, StoredSpecsOfTheVersionBeforeHaveThePresentHash) {
  const auto spec = resolved(draft(before_grpo(judged + "[grpo]\ntogether = 2\n")));
  const auto text = text_of_version_before(spec);
  const auto back = Spec::from_file_text(text);
  EXPECT_EQ(back.sha256(), spec.sha256());
  EXPECT_EQ(back.origins, spec.origins);
  EXPECT_TRUE(diff(back, spec).empty());
  EXPECT_EQ(resolved(back.draft()).sha256(), spec.sha256());
  EXPECT_TRUE(notes_of(back.draft()).empty()) << "nobody has to change a stored spec";

  const auto before = json::parse(text).at("sha256").get<std::string>();
  ASSERT_EQ(back.history.size(), 1u);
  EXPECT_EQ(change_text(back.history[0]),
            "2 settings were renamed by a newer version of compeer, such as \"grpo.together\" to "
            "\"grpo.groups_per_reduction\" (spec " +
                before.substr(0, 16) + "... before, " + spec.sha256().substr(0, 16) + "... after)");
  EXPECT_TRUE(is_spec_of_run(json::parse(back.file_text()), before)) << "run.h5 has the hash of before";
  EXPECT_EQ(Spec::from_file_text(back.file_text()).history, back.history);
}

TEST(Renamed, AStoredSpecIsCheckedAsItWasWritten) {
  auto file = json::parse(text_of_version_before(resolved(draft(before_grpo(judged + "[grpo]\ntogether = 2\n")))));
  file["spec"]["grpo"]["together"] = 3;
  EXPECT_TRUE(starts(complaint([&] { Spec::from_file_text(file.dump()); }), "spec.json|its spec has the hash "));
}

}  // namespace
}  // namespace compeer::spec
