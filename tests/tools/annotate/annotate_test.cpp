// The page written by compeer data annotate, in a browser.
#include <map>

#include "../../program.h"
#include "base/files.h"
#include "browser.h"
#include "places.h"
#include "records.h"
#include "tools/annotate/records.h"

namespace compeer::annotate {
namespace {

using nlohmann::json;

const std::string evil = "</script><script>document.title='owned'</script><!--<b onload=alert(1)>&amp;{{title}}";

class Annotate : public Program {
 protected:
  void SetUp() override {
    if (Browser::program().empty()) GTEST_SKIP() << "no Chromium in PATH";
  }
  // Makes the page for records with these ids.
  fs::path page(const std::vector<std::string>& ids, const std::string& options = "", const std::string& more = "") {
    std::string lines;
    for (const auto& id : ids) lines += record_line(id, more);
    write("cer.jsonl", lines);
    EXPECT_TRUE(told("data annotate cer.jsonl --out notes " + options).ends_with("exit 0"));
    return folder() / "notes" / "annotate.html";
  }
  static std::vector<json> lines_of(const fs::path& file) {
    std::ifstream in(file);
    std::vector<json> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
    return lines;
  }
  static std::string text(Browser& browser, const std::string& selector) {
    return browser.value("document.querySelector('" + selector + "').innerText");
  }
  // Types the annotator's name, which the page asks for first.
  static void begin(Browser& browser, const std::string& name) {
    browser.value("document.getElementById('annotator').value = ''");
    browser.value("document.getElementById('annotator').focus()");
    browser.press(name);
    browser.value("document.activeElement.blur()");
  }
  // Returns the id of the record on the page: the last word of its texts.
  static std::string shown(Browser& browser) {
    const auto reply = text(browser, "#replies .said");
    return reply.substr(reply.rfind(' ') + 1);
  }
  // True if reply A of the current item is the second candidate.
  static bool swapped(Browser& browser) { return text(browser, "#replies .said").starts_with("two"); }
};

TEST_F(Annotate, ShowsTextsAsTextAndLoadsNothing) {
  const auto file = page({"a"}, "--annotator Ann", evil);
  Browser browser(folder());
  browser.open(file);
  EXPECT_EQ(browser.value("document.title"), "Judging replies");
  EXPECT_EQ(browser.value("document.scripts.length"), 2);
  EXPECT_EQ(text(browser, "#history dd"), "I lost my job." + evil);
  EXPECT_EQ(browser.value("document.querySelectorAll('#replies .said').length"), 2);
  EXPECT_EQ(browser.value("performance.getEntriesByType('resource').length"), 0);
  EXPECT_EQ(browser.value("document.documentElement.outerHTML.includes('writer-')"),
            false);  // the page hides the authors
}

TEST_F(Annotate, TakesAnswersByKeyAndKeepsThem) {
  const auto file = page({"a", "b", "c"}, "--annotator Ann");
  bool first = false, second = false;
  std::vector<std::string> judged;
  {
    Browser browser(folder());
    browser.open(file);
    EXPECT_EQ(text(browser, "#count"), "0 of 3 judged");
    first = swapped(browser);
    judged.push_back(shown(browser));
    browser.press("tftfft1");  // A: True False True, B: False False True, A is better; then the focus is on "Next"
    EXPECT_EQ(text(browser, "#status"), "This item is judged.");
    EXPECT_EQ(browser.value("document.activeElement.id"), "next");
    browser.press("n");
    second = swapped(browser);
    judged.push_back(shown(browser));
    browser.press("tttttf");
    EXPECT_EQ(text(browser, "#count"), "1 of 3 judged");
    browser.press("kf4");  // back to the last step, which stays False; then "neither"
    browser.press("nt");   // one of the answers of the third item
    browser.close();
  }
  Browser browser(folder());
  browser.open(file);
  EXPECT_EQ(text(browser, "#count"), "2 of 3 judged");
  EXPECT_EQ(text(browser, "#place"), "Item 3 of 3");
  EXPECT_EQ(browser.value("document.querySelectorAll(':checked[type=radio]').length"), 1);

  browser.press("e");
  const auto file_of_answers = browser.download();
  const auto exported = lines_of(file_of_answers);
  ASSERT_EQ(exported.size(), 2u);
  EXPECT_FALSE(exported[0].contains("id") || exported[0].contains("swapped"));
  EXPECT_EQ(exported[0].at("annotator"), "Ann");
  EXPECT_EQ(exported[0].at("steps"), json({{true, false, true}, {false, false, true}})) << "as they stand on the page";
  EXPECT_EQ(exported[0].at("preference"), "first");
  EXPECT_EQ(exported[1].at("steps"), json({{true, true, true}, {true, true, false}}));
  EXPECT_EQ(exported[1].at("preference"), "neither");
  // The imported answers are in the records' order, whatever the order on the page.
  const auto records = read_records(folder() / "cer.jsonl");
  const auto read = read_export(file_of_answers, records);
  using Step = std::array<bool, 3>;
  const Step one{true, false, true}, two{false, false, true};
  EXPECT_EQ(read[0].steps, first ? (StepAnswers{two, one}) : (StepAnswers{one, two}));
  EXPECT_EQ(read[0].preference, first ? "second" : "first");
  const Step all{true, true, true}, most{true, true, false};
  EXPECT_EQ(read[1].steps, second ? (StepAnswers{most, all}) : (StepAnswers{all, most}));
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(records.records[read[i].record].at("id"), judged[i]);
  EXPECT_EQ(text(browser, "#status"), "Exported: 2. Not judged yet: 1");
}

TEST_F(Annotate, ComparesRepliesWithoutStepsAndShowsPictures) {
  fs::copy_file(fs::path(COMPEER_SOURCE_DIR) / "tests/golden/vl/images/image0.png", folder() / "sad.png");
  write("pairs.jsonl", pair_line("a", "sad.png") + pair_line("b", "", true));
  EXPECT_TRUE(told("data annotate pairs.jsonl --out notes --annotator Ann").ends_with("exit 0"));
  Browser browser(folder());
  browser.open(folder() / "notes" / "annotate.html");
  EXPECT_EQ(browser.value("document.querySelectorAll('fieldset').length"), 1);
  EXPECT_EQ(browser.value("document.body.innerText.includes('three steps')"), false);
  bool turned = false;
  for (int item = 0; item < 2; ++item) {
    const bool seen = shown(browser) == "a";
    EXPECT_EQ(browser.value("document.querySelectorAll('#history img').length"), seen ? 1 : 0);
    if (seen) {
      EXPECT_EQ(browser.value("document.querySelector('#history img').naturalWidth > 0"), true);
      turned = swapped(browser);
    }
    browser.press(seen ? "j1n" : "j3n");
  }
  browser.press("e");
  const auto records = read_records(folder() / "pairs.jsonl");
  const auto read = read_export(browser.download(), records);
  ASSERT_EQ(read.size(), 2u);
  for (const auto& one : read) {
    EXPECT_TRUE(one.steps.empty());
    EXPECT_EQ(one.preference, one.record == 1 ? "both good" : turned ? "second" : "first");
  }
}

TEST_F(Annotate, ShowsNoPictureFromElsewhere) {
  fs::create_directories(folder() / "mine");
  fs::copy_file(fs::path(COMPEER_SOURCE_DIR) / "tests/golden/vl/images/image0.png", folder() / "mine/private.png");
  fs::create_directories(folder() / "got");
  const auto file = (folder() / "mine/private.png").string();
  for (const auto& name : {file, std::string("../mine/private.png")}) {
    write("got/pairs.jsonl", pair_line("a", name));
    const auto said = told("data annotate got/pairs.jsonl --out notes");
    EXPECT_TRUE(
        said.ends_with("is a picture outside of the folder got\n  help: name the folder of pictures: --media "
                       "DIR\nexit 4"))
        << said;
    EXPECT_FALSE(fs::exists(folder() / "notes"));
  }
  EXPECT_TRUE(told("data annotate got/pairs.jsonl --out notes --media mine").ends_with("exit 0"));
}

TEST_F(Annotate, ComparesACandidateWithTheReference) {
  std::string lines;
  for (int i = 0; i < 8; ++i) {
    json record = json::parse(record_line(std::to_string(i)));
    record["candidates"].erase(1);
    record["reference"] = "two";  // swapped() looks for this text
    lines += record.dump() + "\n";
  }
  write("one.jsonl", lines);
  EXPECT_TRUE(told("data annotate one.jsonl --out notes --annotator Ann").ends_with("exit 0"));
  Browser browser(folder());
  browser.open(folder() / "notes" / "annotate.html");
  std::vector<std::string> expected;
  for (int i = 0; i < 8; ++i) {
    expected.push_back(swapped(browser) ? "first" : "second");
    browser.press("tft1n");
  }
  browser.press("e");
  const auto read = read_export(browser.download(), read_records(folder() / "one.jsonl"));
  ASSERT_EQ(read.size(), 8u);
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(read[i].steps, (StepAnswers{{true, false, true}}));
    EXPECT_EQ(read[i].preference, expected[i]) << i;
  }
  EXPECT_NE(expected, std::vector<std::string>(8, expected[0]));
}

TEST_F(Annotate, AsksForANameAndLetsItBeTyped) {
  const auto file = page({"a"});
  Browser browser(folder());
  browser.open(file);
  EXPECT_EQ(browser.value("document.querySelector('main').hidden"), true) << "nothing is shown to nobody";
  browser.press("ttt");
  browser.value("document.getElementById('annotator').focus()");
  browser.press("Pete n");  // in this field, keys are letters
  EXPECT_EQ(browser.value("document.getElementById('annotator').value"), "Pete n");
  browser.value("document.activeElement.blur()");
  EXPECT_EQ(browser.value("document.querySelector('main').hidden"), false);
  browser.press("ttt");
  EXPECT_EQ(browser.value("document.querySelectorAll(':checked[type=radio]').length"), 3);
  browser.value("document.getElementById('annotator').value = ''");
  browser.press("e");
  EXPECT_EQ(text(browser, "#alert"), "Enter your name before you export.");
  EXPECT_EQ(browser.value("document.activeElement.id"), "annotator");
}

// Two annotators in one browser.
TEST_F(Annotate, KeepsEachPersonsAnswersApart) {
  const auto file = page({"a", "b"});
  {
    Browser browser(folder());
    browser.open(file);
    begin(browser, "ann");
    browser.press("tttttt1");
    EXPECT_EQ(text(browser, "#count"), "1 of 2 judged");
    begin(browser, "bob");
    EXPECT_EQ(text(browser, "#count"), "0 of 2 judged");
    EXPECT_EQ(text(browser, "#alert"), "The answers of ann stay with that name: enter it again to continue them.");
    browser.press("ffffff2");
    browser.close();
  }
  Browser browser(folder());
  browser.open(file);
  EXPECT_EQ(browser.value("document.getElementById('annotator').value"), "bob") << "who was last goes on";
  begin(browser, "ann");
  EXPECT_EQ(browser.value("document.querySelectorAll(':checked[value=True]').length"), 6);
}

// A page made without an annotator derives the random order from the name typed in, and keeps it.
TEST_F(Annotate, DrawsItsOrderForWhomItIsTold) {
  std::vector<std::string> ids;
  for (int i = 0; i < 20; ++i) ids.push_back(std::to_string(100 + i));
  const auto file = page(ids);
  const auto order = [&](const std::string& name) {
    fs::create_directories(folder() / name);
    Browser browser(folder() / name);
    browser.open(file);
    begin(browser, name);
    browser.press(std::string(ids.size(), 'p'));  // the page reopens at the last position
    std::string all;
    for (size_t i = 0; i < ids.size(); ++i) {
      all += text(browser, "#replies .said") + "\n";
      browser.press("n");
    }
    browser.close();
    return all;
  };
  const auto ann = order("ann"), bob = order("bob"), cy = order("cy");
  EXPECT_NE(ann, bob);
  EXPECT_NE(ann, cy);
  EXPECT_NE(bob, cy);
  EXPECT_EQ(ann, order("ann")) << "begun and kept";
  fs::remove_all(folder() / "ann");
  EXPECT_EQ(ann, order("ann")) << "drawn anew";
}

TEST_F(Annotate, CanBeUsedWithoutSingleKeys) {
  const auto file = page({"a", "b"}, "--annotator Ann");
  Browser browser(folder());
  browser.open(file);
  browser.value("document.getElementById('keys-on').click()");
  browser.press("t");
  EXPECT_EQ(browser.value("document.querySelectorAll(':checked[type=radio]').length"), 0);
  browser.value("document.querySelector('[type=radio]').click()");
  browser.value("document.getElementById('next').click()");
  browser.value("document.getElementById('previous').click()");
  EXPECT_EQ(browser.value("document.querySelectorAll(':checked[type=radio]').length"), 1);
  // Every control has an accessible name for screen readers.
  EXPECT_EQ(browser.value("[...document.querySelectorAll('input')].every((i) => i.labels.length === 1)"), true);
  EXPECT_EQ(browser.value("[...document.querySelectorAll('fieldset')].every((f) => f.querySelector('legend'))"), true);
}

// From two annotators over a third one to the merged records.
TEST_F(Annotate, GoesRoundWithMerge) {
  const auto file = page({"a", "b", "c"});
  const auto judged = [&](const fs::path& opened, const std::string& name,
                          const std::map<std::string, std::string>& keys) {
    fs::create_directories(folder() / name);
    Browser browser(folder() / name);
    browser.open(opened);
    begin(browser, name);
    for (size_t i = 0; i < keys.size(); ++i) browser.press(keys.at(shown(browser)) + "n");
    browser.press("e");
    return browser.download().string();
  };
  const auto ann = judged(file, "ann", {{"a", "tttttt3"}, {"b", "tttttt3"}, {"c", "tttttt3"}});
  const auto bob = judged(file, "bob", {{"a", "tttttt3"}, {"b", "tttttf3"}, {"c", "tttttt4"}});
  auto said = told("data merge " + ann + " " + bob + " --out notes");
  EXPECT_NE(said.find("1 merged, 0 dropped, 2 open, 0 judged by fewer than two\n"), std::string::npos) << said;
  EXPECT_NE(said.find("notes/third.html is for a third annotator\nexit 0"), std::string::npos) << said;

  const auto third = judged(folder() / "notes" / "third.html", "cy", {{"b", "tttttt3"}, {"c", "tttttt3"}});
  EXPECT_TRUE(third.ends_with("-third-cy.jsonl")) << third;
  said = told("data merge " + ann + " " + bob + " " + third + " --out notes");
  EXPECT_NE(said.find("3 merged, 0 dropped, 0 open, 0 judged by fewer than two\nexit 0"), std::string::npos) << said;
  for (const json& record : lines_of(folder() / "notes" / "merged.jsonl")) {
    EXPECT_EQ(record.at("steps"), json({{true, true, true}, {true, true, true}})) << record.at("id");
    EXPECT_EQ(record.at("preference"), "both good");
    EXPECT_EQ(record.at("annotators").size(), record.at("id") == "a" ? 2u : 3u);
  }
}

}  // namespace
}  // namespace compeer::annotate
