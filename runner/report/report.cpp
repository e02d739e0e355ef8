// Assembles the page: its sections and their order, title, notices and style.
#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/load.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

struct PageSection {
  std::string id, heading, inside;
};

std::string training_heading(const std::string& task) {
  return task == "grpo" ? "Training by GRPO" : task == "sft" ? "Supervised fine-tuning" : "Training: " + task;
}

/// In page order. Empty sections are omitted.
std::vector<PageSection> sections(const std::vector<RunData>& runs, const Lineage& lineage,
                                  const std::optional<Sweep>& sweep, const std::vector<Frontier>& frontiers) {
  std::vector<PageSection> list;
  const auto add = [&](const std::string& id, const std::string& name, auto write) {
    Markup inside;
    write(inside);
    if (inside.size() > 0) list.push_back({id, name, inside.take()});
  };
  if (sweep) add("sweep", "Sweep", [&](Markup& out) { write_sweep(out, *sweep); });
  add("evaluations", "Evaluations", [&](Markup& out) { write_evaluations(out, runs, lineage); });
  add("frontiers", "Frontiers", [&](Markup& out) { write_frontiers(out, runs, lineage, frontiers); });
  std::set<std::string> tasks;
  for (const auto& run : runs) {
    if (run.task != "evaluate" && run.task != "data") tasks.insert(run.task);
  }
  for (const auto& task : tasks)  // grpo before sft
    add("training-" + (task.empty() ? "unknown" : task), training_heading(task),
        [&](Markup& out) { write_curves(out, runs, lineage, task); });
  add("samples", "Samples", [&](Markup& out) { write_samples(out, runs, lineage); });
  add("records", "Records of stages", [&](Markup& out) { write_stage_records(out, runs, lineage); });
  add("stages", "Records in and out of stages", [&](Markup& out) { write_stages(out, runs); });
  add("time", "Time", [&](Markup& out) { write_timings(out, runs, lineage); });
  add("differences", "Differences between runs", [&](Markup& out) { write_differences(out, runs, lineage); });
  add("specs", "Specs", [&](Markup& out) { write_specs(out, runs); });
  add("plugins", "Plugins", [&](Markup& out) { write_plugins(out, runs); });
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
    // Cut at a word: "quick-grpo-a" and "quick-grpo-ab" share "quick-grpo".
    const size_t word = start.find_last_of("-_");
    start.resize(word == std::string::npos ? 0 : word);
  }
  return start.empty() ? counted(runs.size(), "run", "runs") : start;
}

void write_notices(Markup& out, const std::vector<RunData>& runs) {
  const auto list = notices(runs);
  if (list.empty()) return;
  const auto aside = out.open("aside", {{"class", "notices"}, {"aria-labelledby", "notices-heading"}});
  out.element("h2", {{"id", "notices-heading"}}, "Notices");
  const auto ul = out.open("ul");
  for (const auto& notice : list) out.element("li", {}, notice);
}

/// Returns a style rule for each run, with which its box in the legend hides its lines without a script.
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
  // Defence in depth: nothing is fetched or executed even if a text should get past the escaping.
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

void write_section(Markup& out, const PageSection& section) {
  const auto whole = out.open("section", {{"id", section.id},
                                          {"class", section.id.starts_with("training") ? "curves" : "plain"},
                                          {"aria-labelledby", section.id + "-heading"}});
  out.element("h2", {{"id", section.id + "-heading"}}, section.heading);
  out.verbatim(section.inside);
}

/// Called before runs are read, so that an output that can't be written is reported immediately.
void prepare(const std::filesystem::path& output) {
  std::error_code code;
  if (std::filesystem::is_directory(output, code))
    throw Error(output.string(), "is a folder, not a file for the page", "", Exit::data);
  if (!output.has_parent_path()) return;
  std::filesystem::create_directories(output.parent_path(), code);
  if (code) throw Error(output.string(), "its folder can't be created: " + code.message(), "", Exit::failure);
}

/// Appends the folder to names that occur more than once, such as those of copies.
void tell_apart(std::vector<RunData>& runs) {
  std::map<std::string, int> times;
  for (const auto& run : runs) ++times[run.name];
  for (auto& run : runs) {
    if (times[run.name] > 1) run.name += " (" + run.folder.filename().string() + ")";
  }
}

}  // namespace

std::string page(const std::vector<RunData>& runs, const Options& options) {
  const Lineage lineage(runs);
  const auto sweep = options.sweep ? options.sweep : swept(runs);
  const std::string title = options.title.empty() ? title_of(runs) : options.title;
  const auto list = sections(runs, lineage, sweep, options.frontiers);
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
    write_notices(out, runs);
    {
      const auto nav = out.open("nav", {{"aria-label", "Sections"}});
      for (const auto& section : list) out.element("a", {{"href", "#" + section.id}}, section.heading);
    }
    for (const auto& section : list) write_section(out, section);
  }
  out.verbatim("\n");
  return out.take();
}

WrittenReport write_report(const std::vector<std::filesystem::path>& paths, const std::filesystem::path& output,
                           const Options& options) {
  prepare(output);
  std::vector<RunData> runs;
  for (const auto& folder : find_runs(paths)) runs.push_back(load_run(folder));
  tell_apart(runs);
  const std::string html = page(runs, options);
  write_file(output, html);

  WrittenReport written;
  written.bytes = html.size();
  for (const auto& run : runs) written.runs.push_back(run.name);
  written.notices = notices(runs);
  return written;
}

}  // namespace compeer::report
