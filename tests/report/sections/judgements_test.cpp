#include "report/sections/sections.h"

#include <gtest/gtest.h>

#include "../sample_runs.h"

namespace compeer::report {
namespace {

nlohmann::json judged(const std::string& id, const nlohmann::json& verdict) {
  return {{"id", id},
          {"history", {{{"role", "user"}, {"text", "I lost my job."}}}},
          {"reference", "When was that?"},
          {"candidates", {{{"history", "told"}, {"emotion", "angry"}, {"strategy", "question"}, {"reply", "Oh."}}}},
          {"steps", {{true, false, true}}},
          {"preference", "first"},
          {"judged", verdict}};
}

std::string written(const std::vector<RunData>& runs) {
  Markup out;
  write_judgements(out, runs);
  return out.take();
}

bool has(const std::string& html, const std::string& what) { return html.find(what) != std::string::npos; }

TEST(Judgements, StandBesideThoseOfAnnotators) {
  std::vector<RunData> runs = {sample::run("one", "data"), sample::run("two", "data")};
  runs[0].judged = {
      {"01-reward_accuracy", {judged("a", {{"steps", {"True", "True", "True"}}, {"preference", "first"}})}}};
  runs[1].judged = {
      {"01-consistency", {judged("a", {{"said", "True, False, True; second"}, {"contradictory", true}})}}};
  const auto html = written(runs);
  EXPECT_TRUE(has(html,
                  "<th scope=\"row\">emotion</th><td class=\"words\">angry</td><td class=\"words\">False</td>"
                  "<td class=\"words\">≠ True</td><td class=\"words\">–</td>"))
      << html;
  EXPECT_TRUE(has(html,
                  "<td class=\"words\">first</td><td class=\"words\">first</td>"
                  "<td class=\"words\">True, False, True; second (contradicts itself)</td>"))
      << html;
}

TEST(Judgements, OfSeveralStagesOfARunAreNamedByThem) {
  std::vector<RunData> runs = {sample::run("one", "data")};
  const auto record = judged("a", {{"steps", {"unreadable", "True", "True"}}, {"preference", "first"}});
  runs[0].judged = {{"01-prm", {record}}, {"02-unifireward", {record}}};
  EXPECT_TRUE(has(written(runs), "one, 02-unifireward"));
}

TEST(Judgements, SurviveRecordsOfAnyShape) {
  std::vector<RunData> runs = {sample::run("one", "data")};
  runs[0].judged = {{"01-x",
                     {{{"judged", 3}, {"candidates", "none"}},
                      {{"id", 7}, {"judged", {{"steps", "x"}}}, {"history", {3, "<b>"}}, {"steps", {1, 2}}}}}};
  EXPECT_FALSE(has(written(runs), "<b><"));
  EXPECT_EQ(written({sample::run("one", "data")}), "");
}

}  // namespace
}  // namespace compeer::report
