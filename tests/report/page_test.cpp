#include "report/report.h"

#include <gtest/gtest.h>

#include <set>
#include <stack>

#include "sample_runs.h"

namespace compeer::report {
namespace {

/// Returns the first error in the markup, or "". Accepts only what page() may write: elements, attributes in double
/// quotes, the five entities, one document type, a style sheet.
class Checker {
 public:
  explicit Checker(const std::string& html) : text_(html) {}

  std::string fault() {
    const std::string type = "<!DOCTYPE html>\n";
    if (text_.compare(0, type.size(), type) != 0) return "no document type";
    at_ = type.size();
    while (at_ < text_.size() && fault_.empty()) text_[at_] == '<' ? tag() : character();
    if (fault_.empty() && !open_.empty()) return "never closed: " + open_.top();
    return fault_;
  }

  std::set<std::string> ids, references;
  std::multiset<std::string> elements;

 private:
  void fail(const std::string& what) { fault_ = what + " at: " + text_.substr(at_, 60); }

  void character() {
    if (text_[at_] == '&') {
      const auto end = text_.find(';', at_);
      const std::string name = end == std::string::npos ? "" : text_.substr(at_, end - at_ + 1);
      if (name != "&amp;" && name != "&lt;" && name != "&gt;" && name != "&quot;" && name != "&#39;")
        return fail("bad entity");
    }
    if (text_[at_] == '>' && !(open_.size() && open_.top() == "style")) return fail("stray >");
    ++at_;
  }

  void tag() {
    const auto end = text_.find('>', at_);
    if (end == std::string::npos) return fail("unclosed tag");
    const std::string inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (inside[0] == '/') {
      if (open_.empty() || open_.top() != inside.substr(1)) return fail("</" + inside.substr(1) + "> does not match");
      open_.pop();
      return;
    }
    const std::string name = inside.substr(0, inside.find_first_of(" /"));
    elements.insert(name);
    attributes(inside.substr(name.size()));
    if (inside.back() != '/') open_.push(name);
  }

  void attributes(std::string rest) {
    std::set<std::string> seen;
    while (!rest.empty() && rest != "/") {
      const auto equals = rest.find("=\""), close = rest.find('"', equals + 2);
      if (rest[0] != ' ' || equals == std::string::npos || close == std::string::npos)
        return fail("bad attribute " + rest);
      const std::string key = rest.substr(1, equals - 1), value = rest.substr(equals + 2, close - equals - 2);
      if (!seen.insert(key).second) return fail("attribute twice: " + key);
      if (value.find('<') != std::string::npos) return fail("< in attribute " + key);
      if (key == "id" && !ids.insert(value).second) return fail("id twice: " + value);
      if (key == "href" || key == "aria-labelledby") references.insert(value);
      rest = rest.substr(close + 1);
    }
  }

  const std::string& text_;
  size_t at_ = 0;
  std::stack<std::string> open_;
  std::string fault_;
};

void expect_sound(const std::vector<RunData>& runs) {
  const std::string html = page(runs);
  Checker checker(html);
  EXPECT_EQ(checker.fault(), "");
  for (const auto& reference : checker.references) {
    std::istringstream names(reference);
    for (std::string name; names >> name;)
      EXPECT_TRUE(checker.ids.contains(name[0] == '#' ? name.substr(1) : name)) << name;
  }
}

bool has(const std::string& html, const std::string& what) { return html.find(what) != std::string::npos; }

TEST(Page, IsWellFormed) {
  expect_sound(sample::quickstart());
  expect_sound(sample::sweep(3, 2, 40));
  expect_sound(sample::sweep(14, 1, 40));
  expect_sound({sample::sft("alone")});
  expect_sound({});
}

TEST(Page, SurvivesRunsOfEveryKindOfBrokenness) {
  auto runs = sample::quickstart();
  runs[0].columns.clear();  // no rows
  runs[1].columns["reward"].assign(80, NAN);
  runs[1].columns["loss"] = {1, INFINITY, -INFINITY, NAN};  // shorter than the other columns
  runs[2] = RunData{};                                      // a run without any readable data
  runs[2].folder = "results/lost";
  runs[2].name = "lost";
  runs[3].summary["reward"] = {NAN, NAN, NAN, 0};
  runs[4].summary.clear();
  runs[5].spec = nlohmann::json::object();
  runs[6].spec["sampling"] = "not a table";
  runs[7].groups.clear();
  runs[8].groups[0].completions.clear();
  runs[8].state = "running";
  expect_sound(runs);
  for (size_t i = 0; i < runs.size(); ++i) expect_sound({runs[i]});
}

TEST(Page, EscapesEveryText) {
  const std::string evil = "<script>alert('x')</script>\" onload=\"y";
  auto runs = sample::quickstart();
  for (auto& run : runs) {
    run.name = run.sha256 = run.started = run.host = run.software = evil;
    run.state = "stopped";
    run.failure = record::ErrorRecord{0, evil, evil, evil, evil, evil, evil};
    run.problems = run.warnings = {evil};
    run.spec[evil] = evil;
    run.spec["model"]["path"] = evil;
    run.origins[evil] = evil;
    run.plugins.push_back({{"kind", evil}, {"name", evil}, {"version", evil}, {"sha256", evil}});
    run.columns["rewards/" + evil + "/" + evil] = {1, 2, 3};
    run.columns["seconds/" + evil] = {1, 2, 3};
    run.columns[evil] = {3, 2, 1};
    run.summary[evil] = {1, 0, 2, 3};
    for (auto& group : run.groups) {
      group.example_id = group.prompt = evil;
      for (auto& completion : group.completions)
        completion.text = "<" + evil + ">" + evil, completion.values.emplace_back(evil, 1);
    }
  }
  const std::string html = page(runs, {evil});
  Checker checker(html);
  EXPECT_EQ(checker.fault(), "");
  EXPECT_FALSE(checker.elements.contains("script"));
  EXPECT_FALSE(has(html, "\" onload"));
  EXPECT_TRUE(has(html, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
}

TEST(Page, AsksNothingOfTheNetwork) {
  const std::string html = page(sample::quickstart());
  for (size_t at = html.find("://"); at != std::string::npos; at = html.find("://", at + 1))
    EXPECT_TRUE(html.substr(0, at).ends_with("xmlns=\"http")) << html.substr(at - 40, 80);
  for (const char* word : {"<link", "<img", "<script", "<iframe", "@import", "url(", "src="})
    EXPECT_FALSE(has(html, word)) << word;
}

TEST(Page, ForbidsScriptsAndTheNetwork) {
  EXPECT_TRUE(has(page(sample::quickstart()),
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; style-src"));
}

TEST(Page, BeginsEvaluationsWithAPicture) {
  const std::string html = page(sample::quickstart());
  const auto picture = html.find("evaluation-1-dots-1");
  ASSERT_NE(picture, std::string::npos);
  EXPECT_LT(picture, html.find("Differences, with 95 % intervals"));
}

TEST(Page, IsAFunctionOfTheRuns) { EXPECT_EQ(page(sample::quickstart()), page(sample::quickstart())); }

TEST(Page, StaysSmall) {
  EXPECT_LT(page(sample::quickstart()).size(), 600'000u);
  EXPECT_LT(page(sample::sweep(50, 1, 1000)).size(), 2'000'000u);
  auto runs = sample::sweep(10, 5, 1000);
  EXPECT_LT(page(runs).size(), 2'000'000u);
  for (size_t i = 0; i < 50; ++i)  // an evaluation of each run
    runs.push_back(sample::tested("sage-" + runs[i].name, runs[i].name, 1, 50, 2, 0.1));
  EXPECT_LT(page(runs).size(), 3'000'000u);
}

TEST(Page, HasItsSectionsInOrderAndNoEmptyOnes) {
  const std::string html = page(sample::quickstart());
  size_t before = 0;
  for (const char* id :
       {"evaluations", "training-grpo", "training-sft", "samples", "time", "differences", "specs", "plugins"}) {
    const size_t at = html.find("<section id=\"" + std::string(id) + "\"");
    ASSERT_NE(at, std::string::npos) << id;
    EXPECT_GT(at, before);
    before = at;
  }
  EXPECT_FALSE(has(page({sample::sft("alone")}), "<section id=\"evaluations\""));
  EXPECT_FALSE(has(page({sample::sft("alone")}), "<section id=\"differences\""));
}

TEST(Page, ShowsWhatEvaluationsCameTo) {
  expect_sound(sample::study());
  const std::string html = page(sample::study());
  for (const char* id : {"evaluations", "records", "stages"})
    EXPECT_TRUE(has(html, "<section id=\"" + std::string(id) + "\"")) << id;
  EXPECT_FALSE(has(html, "training-data"));  // a data run's rows are its stages, not training steps
}

TEST(Page, IsNamedAfterWhatTheRunsShare) {
  EXPECT_TRUE(has(page(sample::quickstart()), "<h1>quickstart</h1>"));
  EXPECT_TRUE(has(page(sample::quickstart(), {"A study"}), "<title>A study</title>"));
  EXPECT_TRUE(has(page({sample::run("a", "sft"), sample::run("b", "sft")}), "<h1>2 runs</h1>"));
}

TEST(Page, SaysWhichRunsFailed) {
  auto runs = sample::quickstart();
  EXPECT_FALSE(has(page(runs), "Notices"));
  runs[1].state = "failed";
  EXPECT_TRUE(has(page(runs), "quickstart-grpo-none: failed at step 80 of 80."));
}

TEST(Page, ShowsTheSamePromptAnsweredByAllRuns) {
  auto runs = sample::quickstart();
  runs[3].groups.erase(runs[3].groups.begin());  // the first run lacks test-0
  const std::string html = page(runs);
  const size_t samples = html.find("<section id=\"samples\"");
  const size_t first = html.find("<b>test-1</b>", samples);
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(html.substr(samples, first - samples).find("<b>test-0</b>"), std::string::npos);
  EXPECT_TRUE(has(html, "你一个人扛了这么久"));
  EXPECT_TRUE(has(html, "<span class=\"tag\">history</span>"));
}

TEST(Page, BeginsWithWhatWasSwept) {
  const std::string html = page({sample::grpo("a", "none", ""), sample::grpo("b", "redundancy", "")});
  const size_t swept = html.find("<section id=\"sweep\"");
  ASSERT_NE(swept, std::string::npos);
  EXPECT_LT(swept, html.find("<section id=\"training-grpo\""));
  EXPECT_TRUE(has(html, "<a href=\"#sweep\">Sweep</a>"));
}

// On a narrow screen a wide table scrolls; its caption does not.
TEST(Page, WrapsTheCaptionsOfWideTables) {
  const auto html = page(sample::quickstart());
  EXPECT_TRUE(has(html, "\n.scroll { overflow-x: auto; margin: 1.8rem 0; container-type: inline-size; }\n"));
  const auto rule = html.substr(html.find("\ncaption {"), 200);
  EXPECT_TRUE(has(rule.substr(0, rule.find('}')), "max-width: 100cqw; position: sticky; left: 0;")) << rule;
  EXPECT_TRUE(has(html, "<div class=\"scroll\" role=\"group\"")) << "around every table";
}

TEST(Page, TakesSeedsOfAnEvaluationTogether) {
  std::vector<RunData> runs;
  for (const int seed : {1, 2, 3}) {
    runs.push_back(
        sample::evaluation("eval-seed-" + std::to_string(seed), "models/m", false, 0.5 + 0.01 * seed, 0.3, 0.08));
    runs.back().spec["seed"] = seed;
  }
  const std::string html = page(runs);
  // 0.51, 0.52, 0.53: deviation 0.01, half interval 4.303 * 0.01 / sqrt(3) = 0.0248
  EXPECT_TRUE(has(html, "eval (3 seeds)"));
  EXPECT_TRUE(has(html, "0.520 <small>0.495 to 0.545</small>")) << html.substr(html.find("Reward and its"), 3000);
}

TEST(Page, NamesWhatNeverChangesInsteadOfDrawingIt) {
  auto run = sample::grpo("r", "none", "");
  for (size_t i = 0; i < run.rows(); ++i) run.columns["loss"][i] = i % 2 ? 3e-17 : -1e-17;  // rounding noise
  for (size_t i = 0; i < run.rows(); ++i) run.columns["lr"][i] = i % 2 ? 2e-9 : 1e-9;       // small, but not noise
  const std::string html = page({run});
  const std::string beginning = "Constant, not drawn: ";
  ASSERT_TRUE(has(html, beginning));
  const auto sentence =
      html.substr(html.find(beginning), html.find("</p>", html.find(beginning)) - html.find(beginning));
  for (const char* told : {"redundancy length gate 0.98", "clipped 0", "loss 0"})
    EXPECT_TRUE(has(sentence, told)) << sentence;
  EXPECT_FALSE(has(sentence, "learning rate")) << sentence;
}

/// Returns the page from this heading to the next.
std::string part(const std::string& html, const std::string& heading) {
  const size_t from = html.find(heading);
  return from == std::string::npos ? "" : html.substr(from, html.find("<h3", from + 1) - from);
}

TEST(Page, ShowsValidationUnderAHeadingOfItsOwn) {
  for (const auto& run : {sample::sft("r", 60), sample::grpo("r", "none", "", 60)}) {
    const std::string html = page({sample::validated(run, 10, 20)});
    EXPECT_TRUE(has(part(html, "<h3>Validation</h3>"), run.task == "sft" ? ">loss<" : ">reward<"));
    EXPECT_FALSE(has(part(html, "<h3>Redundancy</h3>"), "validation"));
  }
  EXPECT_FALSE(has(page({sample::validated(sample::sft("r", 60), 10, 20)}), "Redundancy"));
}

TEST(Page, ShowsTheBestLookBesideMeansOverRows) {
  const std::string html = page({sample::validated(sample::sft("r", 60), 10, 20)});
  const auto table = html.substr(html.find("<caption>At the end of training"));
  EXPECT_TRUE(has(table, "<td class=\"number\">1.94</td>"));
  EXPECT_TRUE(has(table, ">20 <small>of 60</small></td>")) << table.substr(0, 1200);
  EXPECT_FALSE(has(page({sample::sft("r", 60)}), "best step"));
}

TEST(Page, SurvivesValidationOfEveryKindOfBrokenness) {
  auto run = sample::validated(sample::sft("r", 60), 10, 20);
  run.columns.erase("validation/loss");
  expect_sound({run});
  run.columns["validation/best_step"] = {1, 2, 3};
  expect_sound({run});
  run.summary["validation/best_step"] = {};
  expect_sound({run, sample::validated(sample::sft("s", 60), 10, 20)});
}

TEST(Page, TablesTooWideForAnUprightPageSaySo) {
  const std::string html = page(sample::quickstart());
  const size_t last_rows = html.find("aria-label=\"At the end of training");  // 19 columns
  EXPECT_TRUE(html.substr(0, last_rows).ends_with("<div class=\"scroll wide\" role=\"group\" tabindex=\"0\" "));
  const size_t before_after = html.find("aria-label=\"Differences, with");  // 5 columns
  EXPECT_TRUE(html.substr(0, before_after).ends_with("<div class=\"scroll\" role=\"group\" tabindex=\"0\" "));
}

TEST(Page, TablesHaveHeadersForRowsAndColumns) {
  const std::string html = page(sample::study());
  for (const char* header : {"<th scope=\"col\"", "<th scope=\"row\"", "<th scope=\"rowgroup\"", "<caption>"})
    EXPECT_TRUE(has(html, header)) << header;
}

}  // namespace
}  // namespace compeer::report
