// compeer data annotate and merge, as commands on files.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "../../program.h"
#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "records.h"
#include "tools/annotate/page.h"

namespace compeer::annotate {
namespace {

using nlohmann::json;

class Merge : public Program {
 protected:
  Merge() {
    write("cer.jsonl", record_line("a") + record_line("b") + record_line("c"));
    EXPECT_TRUE(told("data annotate cer.jsonl --out notes").ends_with("exit 0"));
  }
  // Returns a line of answers: "111010 both good" is three steps per candidate, then the preference.
  std::string judged(const std::string& annotator, const std::string& id, const std::string& answers) {
    json line{{"file", sha256_file(folder() / "cer.jsonl")}, {"id", id}, {"annotator", annotator}};
    for (size_t c = 0; c < 2; ++c)
      for (size_t k = 0; k < 3; ++k) line["steps"][c][k] = answers.at(3 * c + k) == '1';
    line["preference"] = answers.substr(7);
    return line.dump() + "\n";
  }
  std::string merge(const std::string& arguments) { return told("data merge " + arguments + " --out notes"); }
  void start_anew() { std::filesystem::remove_all(folder() / "notes"); }
  std::string output(const std::string& name) { return read_file(folder() / "notes" / name); }
};

TEST_F(Merge, KeepsTheFileForTheExports) {
  EXPECT_EQ(output("records.jsonl"), read_file(folder() / "cer.jsonl"));
  EXPECT_EQ(
      told("data annotate notes/records.jsonl --out notes"),
      "notes/annotate.html\n3 records; open the page in a browser, and merge its exports with `compeer data merge`\n"
      "exit 0");
}

TEST_F(Merge, IsNotDeprivedOfItsRecordsByAnotherPage) {
  const auto page = output("annotate.html");
  write("others.jsonl", record_line("d"));
  EXPECT_EQ(told("data annotate others.jsonl --out notes"),
            "compeer: error: notes/records.jsonl: contains other records, which are needed to merge the exports of "
            "their page\n"
            "  help: choose another --out, or delete the file if no export is outstanding\nexit 3");
  EXPECT_EQ(output("records.jsonl"), read_file(folder() / "cer.jsonl"));
  EXPECT_EQ(output("annotate.html"), page);
}

TEST_F(Merge, TakesWhatTwoAgreeOnAndAsksAThirdForTheRest) {
  write("ann",
        judged("ann", "a", "111000 first") + judged("ann", "b", "111000 first") + judged("ann", "c", "111111 first"));
  write("bob", judged("bob", "a", "111000 first") + judged("bob", "b", "111001 first"));
  const auto said = merge("ann bob");
  EXPECT_NE(said.find("1 merged, 0 dropped, 1 open, 1 judged by fewer than two\n"), said.npos) << said;
  const json record = json::parse(output("merged.jsonl"));
  EXPECT_EQ(record.at("id"), "a");
  EXPECT_EQ(record.at("dialogue"), "d");  // unchanged field of the record
  EXPECT_EQ(record.at("steps"), json({{true, true, true}, {false, false, false}}));
  EXPECT_EQ(record.at("preference"), "first");
  EXPECT_EQ(record.at("annotators")[1],
            (json{{"annotator", "bob"}, {"steps", record.at("steps")}, {"preference", "first"}}));
  const auto third = output("third.html");
  EXPECT_NE(third.find("one replies in b"), third.npos);
  EXPECT_EQ(third.find("one replies in a"), third.npos);
  write("cy", judged("cy", "b", "111000 first"));
  merge("ann bob cy");
  EXPECT_FALSE(std::filesystem::exists(folder() / "notes" / "third.html")) << "nothing is left for a third annotator";
  const auto all = output("merged.jsonl");
  EXPECT_EQ(merge("ann cy"),
            "compeer: error: notes/merged.jsonl: contains 1 records that these exports do not merge\n"
            "  help: pass all exports, including earlier ones, or choose another --out\nexit 4");
  EXPECT_EQ(output("merged.jsonl"), all);
}

TEST_F(Merge, TakesPairsWithoutSteps) {
  write("pairs.jsonl", pair_line("a"));
  start_anew();
  EXPECT_TRUE(told("data annotate pairs.jsonl --out notes").ends_with("exit 0"));
  const auto line = [&](const std::string& annotator) {
    return json{{"file", sha256_file(folder() / "pairs.jsonl")},
                {"id", "a"},
                {"annotator", annotator},
                {"steps", json::array()},
                {"preference", "second"}}
               .dump() +
           "\n";
  };
  write("ann", line("ann"));
  write("bob", line("bob"));
  EXPECT_EQ(merge("ann bob").find("history"), std::string::npos) << "nobody was asked";
  const json record = json::parse(output("merged.jsonl"));
  EXPECT_EQ(record.at("preference"), "second");
  EXPECT_FALSE(record.contains("steps"));
}

TEST_F(Merge, AsksNobodyWhereRepliesAreTheSameOrSayNothing) {
  const auto pair = [](const std::string& id, const std::string& first, const std::string& second) {
    auto record = json::parse(pair_line(id));
    record["candidates"][0]["reply"] = first, record["candidates"][1]["reply"] = second;
    return record.dump() + "\n";
  };
  const auto judgement = [](const std::string& hash, const std::string& annotator) {
    return json{{"file", hash},
                {"id", "asked"},
                {"annotator", annotator},
                {"steps", json::array()},
                {"preference", "second"}}
               .dump() +
           "\n";
  };
  write("pairs.jsonl", pair("same", "Yes.", " Yes.\n") + pair("asked", "Yes.", "No.") + pair("silent", " ", "No.") +
                           pair("mute", "", "\n") + pair("second mute", "Yes.", ""));
  start_anew();
  EXPECT_EQ(told("data annotate pairs.jsonl --out notes"),
            "notes/annotate.html\n1 records, and 4 that need no judgement; open the page in a browser, and merge its "
            "exports with `compeer data merge`\nexit 0");
  const auto hash = sha256_file(folder() / "pairs.jsonl");
  write("ann", judgement(hash, "ann"));
  write("bob", judgement(hash, "bob"));
  const auto said = merge("ann bob");
  EXPECT_NE(said.find("5 merged, 0 dropped, 0 open, 0 judged by fewer than two\n"), said.npos) << said;
  std::istringstream lines(output("merged.jsonl"));
  std::map<std::string, std::string> preferences;
  for (std::string line; std::getline(lines, line);) {
    const json record = json::parse(line);
    preferences[record.at("id")] = record.at("preference");
    EXPECT_EQ(record.at("annotators").size(), record.at("id") == "asked" ? 2u : 0u);
  }
  EXPECT_EQ(preferences, (std::map<std::string, std::string>{{"same", "both good"},
                                                             {"asked", "second"},
                                                             {"silent", "second"},
                                                             {"mute", "neither"},
                                                             {"second mute", "first"}}));
  write("same.jsonl", pair("same", "Yes.", "Yes."));
  start_anew();
  EXPECT_EQ(told("data annotate same.jsonl --out notes"),
            "compeer: error: same.jsonl: contains no record that needs a judgement: the replies of each are equal, or "
            "one is empty\n"
            "exit 4");
}

TEST_F(Merge, NamesAPictureThatIsNotThere) {
  write("pairs.jsonl", pair_line("a", "sad.png"));
  start_anew();
  const auto said = told("data annotate pairs.jsonl --out notes");
  EXPECT_NE(said.find("sad.png"), said.npos) << said;
  EXPECT_TRUE(said.ends_with("exit 4")) << said;
}

TEST_F(Merge, DropsWhatHasNoMajority) {
  write("ann", judged("ann", "a", "111000 first") + judged("ann", "b", "110000 first"));
  write("bob", judged("bob", "a", "111000 second") + judged("bob", "b", "011000 second"));
  write("cy", judged("cy", "a", "011000 neither") + judged("cy", "b", "111000 second"));
  const auto said = merge("ann bob cy --json");
  const json found = json::parse(said.substr(0, said.find('\n')));
  EXPECT_EQ(found.at("merged"), 1);
  EXPECT_EQ(found.at("dropped_by_reason"), (json{{"no majority on the preference", 1}}));
  EXPECT_EQ(json::parse(output("merged.jsonl")).at("steps")[0], json({true, true, true}));
  EXPECT_EQ(json::parse(output("dropped.jsonl")).at("id"), "a");
  // Preferences: none of three pairs agrees for record a, one for record b.
  EXPECT_NEAR(found.at("agreement").at("preference").at("observed_agreement").get<double>(), 1.0 / 6, 1e-12);
  EXPECT_EQ(found.at("agreement").at("emotion").at("n"), 4);  // two candidates of two records
}

TEST_F(Merge, LeavesAThirdOutOfTheAgreement) {
  write("ann",
        judged("ann", "a", "111111 first") + judged("ann", "b", "111111 first") + judged("ann", "c", "111110 first"));
  write("bob",
        judged("bob", "a", "111111 first") + judged("bob", "b", "111110 first") + judged("bob", "c", "111110 first"));
  write("cy", judged("cy", "b", "011110 first"));
  const auto said = merge("ann bob cy --json");
  const json found = json::parse(said.substr(0, said.find('\n')));
  EXPECT_EQ(found.at("agreement").at("history").at("observed_agreement"), 1.0);
  EXPECT_NEAR(found.at("agreement").at("strategy").at("observed_agreement").get<double>(), 5.0 / 6, 1e-12);
}

TEST_F(Merge, NamesExportsThatDontFit) {
  auto line = json::parse(judged("ann", "a", "111000 first"));
  const auto wrong = [&](const std::string& key, const json& value) {
    auto changed = line;
    changed[key] = value;
    write("ann", judged("ann", "b", "111000 first") + changed.dump() + "\n");
    return merge("ann");
  };
  const std::string start = "compeer: error: ann: has a line that can't be used:\nann:2: ";
  EXPECT_EQ(wrong("file", "0123"),
            "compeer: error: ann: belongs to another file of records\n"
            "  help: name the records of its page with --file; the file must be unchanged since the page was "
            "written\nexit 4");
  EXPECT_EQ(wrong("id", "z"), start + "is about 'z', but there is no such record\nexit 4");
  EXPECT_EQ(wrong("annotator", ""), start + "has an empty 'annotator'\nexit 4");
  EXPECT_EQ(wrong("annotator", " "), start + "has an empty 'annotator'\nexit 4");
  EXPECT_EQ(wrong("steps", {true}), start + "has 'steps' of 1 candidates, not 2\nexit 4");
  EXPECT_EQ(wrong("steps", {{true, true, nullptr}, {true, true, true}}),
            start + "has 'steps' that are not three values true or false\nexit 4");
  EXPECT_EQ(wrong("preference", "third"),
            start + "has the preference 'third', which is not one of first, second, both good, neither\nexit 4");
  write("ann", "");
  EXPECT_EQ(merge("ann"), "compeer: error: ann: contains no judgements\nexit 4");
}

TEST_F(Merge, RefusesTwoOpinionsOfOneAnnotator) {
  write("ann", judged("ann", "a", "111000 first"));
  write("again", judged("ann", "a", "111000 first") + judged("ann", "b", "111000 first"));
  write("notes/merged.jsonl", "of yesterday");
  EXPECT_EQ(merge("ann again"),
            "compeer: error: ann: all judgements are by 'ann'\n"
            "  help: pass exports of at least two annotators\nexit 4");
  EXPECT_EQ(output("merged.jsonl"), "of yesterday");
  write("other", judged("ann", "a", "111000 second"));
  EXPECT_EQ(merge("ann other"),
            "compeer: error: other: contains a judgement of 'a' by 'ann' that differs from that in ann\n"
            "  help: pass only the last export of each annotator, and use a different name for each annotator\nexit 4");
}

TEST_F(Merge, NamesRecordsThatCantBeJudged) {
  const auto wrong = [&](const std::function<void(json&)>& change) {
    json record = json::parse(record_line("z"));
    change(record);
    write("bad.jsonl", record_line("y") + record.dump() + "\n");
    const auto said = told("data annotate bad.jsonl --out bad");
    EXPECT_TRUE(said.ends_with("exit 4")) << said;
    return said.substr(said.find('\n') + 1, said.rfind('\n') - said.find('\n') - 1);
  };
  EXPECT_EQ(wrong([](json& r) { r["id"] = "y"; }), "bad.jsonl:2: has the id 'y' of line 1");
  EXPECT_EQ(wrong([](json& r) { r["id"] = 5; }), "bad.jsonl:2: has no text 'id'");
  EXPECT_EQ(wrong([](json& r) { r.erase("history"); }), "bad.jsonl:2: has no list 'history'");
  EXPECT_EQ(wrong([](json& r) { r["history"][0] = "hi"; }), "bad.jsonl:2: a turn of 'history' has no text 'role'");
  EXPECT_EQ(wrong([](json& r) { r["candidates"].clear(); }), "bad.jsonl:2: has 0 candidates, not one or two");
  EXPECT_EQ(wrong([](json& r) { r["candidates"].erase(1); }), "bad.jsonl:2: has no text 'reference'");
  EXPECT_EQ(wrong([](json& r) { r["candidates"][1]["emotion"] = nullptr; }),
            "bad.jsonl:2: candidate 2 has no text 'emotion'");
  write("bad.jsonl", "");
  EXPECT_EQ(told("data annotate bad.jsonl --out bad"), "compeer: error: bad.jsonl: contains no records\nexit 4");
}

TEST_F(Merge, TakesACandidateAgainstTheReference) {
  json record = json::parse(record_line("a"));
  record["candidates"].erase(1);
  record["reference"] = "I see.";
  EXPECT_EQ(replies(record), json({"I see.", "one replies in a"}));
  write("cer.jsonl", record.dump() + "\n");
  start_anew();
  EXPECT_TRUE(told("data annotate cer.jsonl --out notes").ends_with("exit 0"));
  json line{{"file", sha256_file(folder() / "cer.jsonl")}, {"id", "a"}, {"preference", "second"}};
  line["steps"] = json::array({{true, false, true}});
  for (const std::string name : {"ann", "bob"}) {
    line["annotator"] = name;
    write(name, line.dump());
  }
  const auto said = merge("ann bob");
  EXPECT_NE(said.find("1 merged, 0 dropped"), said.npos) << said;
  EXPECT_EQ(json::parse(output("merged.jsonl")).at("steps"), line.at("steps"));
}

// Contents of a page: the records in order, and which reply comes first.
struct Shown {
  std::vector<std::string> items, texts;
  std::string first;  // 'o' or 't' per item: candidate one or two comes first
};

Shown shown(const std::string& page) {
  const auto from = page.find("id=\"data\">") + 10;
  const json data = json::parse(page.substr(from, page.find("</script>", from) - from));
  Shown all;
  for (const json& item : data.at("items")) {
    all.items.push_back(item.at("item"));
    const std::string reply = item.at("replies")[0];
    all.texts.push_back(reply.substr(reply.rfind(' ') + 1));
    all.first += reply[0];
    EXPECT_EQ(item.at("candidates")[0].at("emotion").get<std::string>()[0], reply[0]) << "steps stand by their reply";
  }
  return all;
}

TEST_F(Merge, DrawsOrdersForEachAnnotator) {
  std::string lines;
  for (int i = 0; i < 200; ++i) lines += record_line(std::to_string(i));
  write("many.jsonl", lines);
  const auto file = read_records(folder() / "many.jsonl");
  std::vector<size_t> all;
  for (size_t i = 0; i < 200; ++i) all.push_back(i);
  const auto order = [&](uint64_t seed, const std::string& annotator) {
    return shown(annotation_page({"t", "n", annotator, "", seed}, file, all));
  };
  const auto ann = order(1, "ann"), bob = order(1, "bob"), cy = order(1, "cy");
  EXPECT_EQ(ann.items, order(1, "ann").items);
  EXPECT_NE(ann.texts, order(2, "ann").texts);
  for (const auto& [one, other] : {std::pair(ann, bob), {ann, cy}, {bob, cy}}) {
    EXPECT_NE(one.texts, other.texts);
    EXPECT_NE(one.first, other.first);
    EXPECT_EQ(std::set(one.texts.begin(), one.texts.end()), std::set(other.texts.begin(), other.texts.end()));
  }
  const auto two_first = std::count(ann.first.begin(), ann.first.end(), 't');
  EXPECT_GT(two_first, 75);
  EXPECT_LT(two_first, 125);
}

// Ids reveal models, sources and modifications of a record; they must not be in the page or its export.
TEST_F(Merge, ThePageTellsNothingOfARecordButWhatIsToBeJudged) {
  json record = json::parse(record_line("MARKsource/test/6/4/MARKurp~MARKsft/spoilt/rewritten"));
  record["dialogue"] = "MARKdialogue";
  record["split"] = record["rewritten"] = record["source"] = "MARK";
  for (json& candidate : record["candidates"]) {
    candidate["model"] = "MARKmodel";
    candidate["reply"] = "I see.";
  }
  write("MARKurp-against-MARKsft.jsonl", record.dump() + "\n" + record_line("b"));
  EXPECT_TRUE(told("data annotate MARKurp-against-MARKsft.jsonl --out blind").ends_with("exit 0"));
  const auto page = read_file(folder() / "blind" / "annotate.html");
  for (const char* mark : {"MARK", "spoilt", "rewritten", "swapped", "turned\":", "writer-"})
    EXPECT_EQ(page.find(mark), page.npos) << mark;
}

// The answers of two annotators who see everything in different orders are mapped back to the same order.
TEST_F(Merge, UndoesThePagesOrders) {
  const auto file = read_records(folder() / "cer.jsonl");
  // Both annotators judge the steps of candidate one right, those of two wrong, and the reply of one better.
  const auto judge = [&](const std::string& annotator) {
    const auto page = shown(annotation_page({"t", "n", annotator, "", 1}, file, {0, 1, 2}));
    std::string lines;
    for (size_t i = 0; i < page.items.size(); ++i) {
      const bool one_first = page.first[i] == 'o';
      const json right{true, true, true}, wrong{false, false, false};
      lines += json{{"file", file.hash},
                    {"item", page.items[i]},
                    {"annotator", annotator},
                    {"steps", one_first ? json{right, wrong} : json{wrong, right}},
                    {"preference", one_first ? "first" : "second"}}
                   .dump() +
               "\n";
    }
    write(annotator, lines);
    return page.first;
  };
  std::set<std::string> orders;
  for (const char* annotator : {"ann", "bob", "cy"}) orders.insert(judge(annotator));
  EXPECT_GT(orders.size(), 1u);
  EXPECT_NE(merge("ann bob cy").find("3 merged, 0 dropped"), std::string::npos);
  std::istringstream lines(output("merged.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const json record = json::parse(line);
    EXPECT_EQ(record.at("steps"), json({{true, true, true}, {false, false, false}}));
    EXPECT_EQ(record.at("preference"), "first");
  }
  auto foreign = json::parse(read_file(folder() / "ann").substr(0, read_file(folder() / "ann").find('\n')));
  foreign["item"] = "0123";
  write("foreign", foreign.dump());
  EXPECT_NE(merge("foreign").find("foreign:1: is about item '0123', but there is no such record"), std::string::npos);
}

}  // namespace
}  // namespace compeer::annotate
