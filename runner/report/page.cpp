#include "report/page.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>

#include "report/comparing/evaluations.h"
#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/sections/sections.h"
#include "report/sections/sweep.h"

namespace compeer::report {

namespace {

constexpr const char* sweep_id = "sweep";

struct PageSection {
  std::string id, heading;
  std::function<void(Markup&)> write;
};

std::string training_heading(const std::string& task) {
  return task == "grpo" ? "Training by GRPO" : task == "sft" ? "Supervised fine-tuning" : "Training: " + task;
}

/// In page order; those that turn out to be empty are left out.
std::vector<PageSection> sections(const std::vector<RunData>& runs, const Lineage& lineage,
                                  const std::optional<Sweep>& sweep, const std::vector<Frontier>& frontiers) {
  std::vector<PageSection> list;
  if (sweep) list.push_back({sweep_id, "Sweep", [&](Markup& out) { write_sweep(out, *sweep); }});
  list.push_back({"frontiers", "Frontiers", [&](Markup& out) { write_frontiers(out, runs, lineage, frontiers); }});
  list.push_back({"evaluations", "Evaluations", [&](Markup& out) { write_evaluations(out, runs, lineage); }});
  std::set<std::string> tasks;
  for (const auto& run : runs) {
    if (run.task != "evaluate" && run.task != "data") tasks.insert(run.task);
  }
  for (const auto& task : tasks)  // grpo before sft
    list.push_back({"training-" + (task.empty() ? "unknown" : task), training_heading(task),
                    [&, task](Markup& out) { write_curves(out, runs, lineage, task); }});
  list.push_back({"samples", "Samples", [&](Markup& out) { write_samples(out, runs, lineage); }});
  list.push_back({"transcripts", "Transcripts", [&](Markup& out) { write_transcripts(out, runs, lineage); }});
  list.push_back({"judgements", "Judgements", [&](Markup& out) { write_judgements(out, runs); }});
  list.push_back({"stages", "What became of records", [&](Markup& out) { write_funnel(out, runs); }});
  list.push_back({"time", "Time", [&](Markup& out) { write_timings(out, runs, lineage); }});
  list.push_back(
      {"differences", "What differs between runs", [&](Markup& out) { write_differences(out, runs, lineage); }});
  list.push_back({"specs", "Specs", [&](Markup& out) { write_specs(out, runs); }});
  list.push_back({"provenance", "Provenance", [&](Markup& out) { write_provenance(out, runs); }});
  return list;
}

std::string counted(size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string subtitle(const std::vector<RunData>& runs) {
  std::map<std::string, size_t> tasks;
  std::string first;
  for (const auto& run : runs) {
    ++tasks[run.task.empty() ? "unknown" : run.task];
    if (!run.started.empty() && (first.empty() || run.started < first)) first = run.started;
  }
  std::string text = counted(runs.size(), "run", "runs");
  for (const auto& [task, n] : tasks) text += fmt::format(" · {} {}", n, task);
  return first.empty() ? text : text + " · started " + first.substr(0, 10);
}

std::string title_of(const std::vector<RunData>& runs) {
  if (runs.empty()) return "No runs";
  std::string start = runs.front().name;
  for (const auto& run : runs)
    start.resize(std::mismatch(start.begin(), start.end(), run.name.begin(), run.name.end()).first - start.begin());
  if (runs.size() > 1) {
    // Back to the end of a word: "quick-grpo-a" and "quick-grpo-ab" share "quick-grpo".
    const size_t word = start.find_last_of("-_");
    start.resize(word == std::string::npos ? 0 : word);
  }
  return start.empty() ? counted(runs.size(), "run", "runs") : start;
}

void write_findings(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  const auto section = out.open("section", {{"id", "findings"}, {"aria-labelledby", "findings-heading"}});
  out.element("h2", {{"id", "findings-heading"}}, "Findings");
  write_picture(out, runs, lineage);
  const auto list = findings(runs, lineage);
  for (const auto& finding : list) {
    const auto paragraph = out.open("p", {{"class", "finding"}});
    out.element("strong", {}, finding.heading + ".");
    for (const auto& sentence : finding.sentences) out.text(" " + sentence);
  }
  if (list.empty()) out.element("p", {}, "No two runs can be compared; the sections below have the figures of each.");
  if (run_evaluations(runs, lineage, Seeds::apart).empty()) return;
  out.element(
      "p", {{"class", "how"}},
      "Brackets: 95 % intervals over prompts, of one trained model each; they say nothing about other seeds. "
      "“No clear difference”: the interval of the difference holds zero. Differences are taken prompt by prompt where "
      "both runs answered the same prompts. Nothing is corrected for looking at several metrics.");
  write_changes(out, runs, lineage);
}

void write_notices(Markup& out, const std::vector<RunData>& runs) {
  const auto list = notices(runs);
  if (list.empty()) return;
  const auto aside = out.open("aside", {{"class", "notices"}, {"aria-labelledby", "notices-heading"}});
  out.element("h2", {{"id", "notices-heading"}}, "To be aware of");
  const auto ul = out.open("ul");
  for (const auto& notice : list) out.element("li", {}, notice);
}

/// A style rule for each run: the box in the legend hides its lines, without a script.
std::string hiding_rules(const std::vector<RunData>& runs, const Lineage& lineage) {
  std::set<size_t> styles;
  for (size_t i = 0; i < runs.size(); ++i) styles.insert(lineage.style(i));
  std::string rules;
  for (const size_t i : styles)
    rules += fmt::format("body:has(#show-{0}:not(:checked)) .curves .plot .r{0}{{display:none}}", i);
  return rules;
}

void write_head(Markup& out, const std::string& title, const std::string& rules) {
  const auto head = out.open("head");
  out.empty("meta", {{"charset", "utf-8"}});
  // Nothing is fetched and nothing runs, should a text ever get past the escaping.
  out.empty("meta",
            {{"http-equiv", "Content-Security-Policy"},
             {"content", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"}});
  out.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  out.empty("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  out.element("title", {}, title);
  const auto style = out.open("style");
  out.verbatim(style_sheet());
  out.verbatim(rules);
}

void write_section(Markup& out, const PageSection& section, const std::string& inside) {
  const auto whole = out.open("section", {{"id", section.id},
                                          {"class", section.id.starts_with("training") ? "curves" : "plain"},
                                          {"aria-labelledby", section.id + "-heading"}});
  out.element("h2", {{"id", section.id + "-heading"}}, section.heading);
  out.verbatim(inside);
}

}  // namespace

std::string page(const std::vector<RunData>& runs, const std::string& wanted_title, const std::optional<Sweep>& asked,
                 const std::vector<Frontier>& frontiers) {
  const Lineage lineage(runs);
  const auto sweep = asked ? asked : swept(runs);
  const std::string title = wanted_title.empty() ? title_of(runs) : wanted_title;
  std::vector<std::pair<PageSection, std::string>> filled;
  for (const auto& section : sections(runs, lineage, sweep, frontiers)) {
    Markup inside;
    section.write(inside);
    if (inside.size() > 0) filled.emplace_back(section, inside.take());
  }

  Markup out;
  out.verbatim("<!DOCTYPE html>\n");
  {
    const auto html = out.open("html", {{"lang", "en"}, {"xmlns", "http://www.w3.org/1999/xhtml"}});
    write_head(out, title, hiding_rules(runs, lineage));
    const auto body = out.open("body");
    {
      const auto header = out.open("header");
      out.element("p", {{"class", "kicker"}}, "Compeer report");
      out.element("h1", {}, title);
      out.element("p", {{"class", "subtitle"}}, subtitle(runs));
    }
    const auto main = out.open("main");
    for (const auto& [section, inside] : filled) {
      if (section.id == sweep_id) write_section(out, section, inside);  // what was asked stands first
    }
    write_findings(out, runs, lineage);
    write_notices(out, runs);
    {
      const auto nav = out.open("nav", {{"aria-label", "Sections"}});
      for (const auto& [section, inside] : filled) out.element("a", {{"href", "#" + section.id}}, section.heading);
    }
    for (const auto& [section, inside] : filled) {
      if (section.id != sweep_id) write_section(out, section, inside);
    }
  }
  out.verbatim("\n");
  return out.take();
}

}  // namespace compeer::report
