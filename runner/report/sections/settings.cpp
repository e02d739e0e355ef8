#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/comparing/settings.h"
#include "report/drawing/numbers.h"
#include "report/drawing/passages.h"
#include "report/drawing/table.h"
#include "report/sections/sections.h"

namespace compeer::report {

namespace {

constexpr size_t longest_value = 400, most_specs = 60, longest_source = 30'000, most_sources = 8;

void write_spec(Markup& out, const RunData& run) {
  const auto details = out.open("details", {{"class", "spec"}});
  out.element("summary", {}, run.name);
  PageTable table{"Spec of " + run.name + (run.sha256.empty() ? "" : ", SHA-256 " + run.sha256),
                  "setting",
                  {{"value", "", "", false}, {"from", "", "", false}},
                  {{"", {}}}};
  for (const auto& [path, value] : flattened(run.spec)) {
    const auto origin = run.origins.find(path);
    const std::string from = origin != run.origins.end() && origin->is_string() ? origin->get<std::string>() : "";
    table.groups[0].rows.push_back({path, "", {}, {{cut(value, longest_value), ""}, {from, ""}}});
  }
  write(out, table);
}

/// The scripts and files that specs were made from, each text once.
void write_sources(Markup& out, const std::vector<RunData>& runs) {
  std::set<std::pair<std::string, std::string>> written;
  for (const auto& run : runs) {
    for (const auto& source : run.sources) {
      if (written.size() == most_sources || !written.insert(source).second) continue;
      const auto details = out.open("details", {{"class", "spec"}});
      out.element("summary", {}, source.first);
      out.element("pre", {{"tabindex", "0"}}, cut(source.second, longest_source));
    }
  }
}

std::string field(const nlohmann::json& plugin, const char* key) {
  return plugin.is_object() && plugin.contains(key) && plugin[key].is_string() ? plugin[key].get<std::string>() : "";
}

void write_plugins(Markup& out, const std::vector<RunData>& runs) {
  std::map<std::vector<std::string>, std::vector<std::string>> used;  // kind, name, version, hash -> runs
  for (const auto& run : runs) {
    for (const auto& plugin : run.plugins)
      used[{field(plugin, "kind"), field(plugin, "name"), field(plugin, "version"), field(plugin, "sha256")}].push_back(
          run.name);
  }
  if (used.empty()) return;
  PageTable table{"Plugins",
                  "plugin",
                  {{"version", "", "", false}, {"SHA-256", "", "", false}, {"used by", "", "", false}},
                  {{"", {}}}};
  for (const auto& [plugin, names] : used) {
    const std::string by = names.size() == runs.size() ? "all runs"
                           : names.size() > 6          ? fmt::format("{} runs", names.size())
                                                       : fmt::format("{}", fmt::join(names, ", "));
    table.groups[0].rows.push_back(
        {plugin[0] + "/" + plugin[1], "", {}, {{plugin[2], ""}, {plugin[3].substr(0, 16), ""}, {by, ""}}});
  }
  write(out, table);
}

}  // namespace

void write_differences(Markup& out, const std::vector<RunData>& runs, const Lineage& lineage) {
  std::set<std::string> tasks;
  for (const auto& run : runs) tasks.insert(run.task);
  for (const auto& task : tasks) {
    std::vector<const RunData*> of_task;
    for (const auto& run : runs) {
      if (run.task == task && !run.spec.empty()) of_task.push_back(&run);
    }
    const auto paths = changed(of_task);
    if (of_task.size() < 2 || paths.empty()) continue;
    PageTable table{fmt::format("Settings that differ between the {} runs", task), "run", {}, {{"", {}}}};
    for (const auto& path : paths) table.columns.push_back({path, "", "", false});
    for (const auto* run : of_task) {
      const auto flat = flattened(run->spec);
      TableRow row{run->name, "", lineage.style(static_cast<size_t>(run - runs.data())), {}};
      for (const auto& path : paths)
        row.cells.push_back({flat.contains(path) ? cut(unquoted(flat.at(path)), longest_value) : "–", ""});
      table.groups[0].rows.push_back(row);
    }
    write(out, table);
  }
}

void write_specs(Markup& out, const std::vector<RunData>& runs) {
  size_t written = 0;
  for (const auto& run : runs) {
    if (!run.spec.empty() && written++ < most_specs) write_spec(out, run);
  }
  write_sources(out, runs);
  if (written > most_specs)
    out.element("p", {{"class", "how"}}, fmt::format("{} more in the run folders.", written - most_specs));
}

void write_provenance(Markup& out, const std::vector<RunData>& runs) {
  PageTable table{"Where and with what",
                  "run",
                  {{"spec", "SHA-256", "", false},
                   {"started", "UTC", "", false},
                   {"ranks", "", ""},
                   {"threads", "of a rank", ""},
                   {"program", "", "", false}},
                  {{"", {}}}};
  for (const auto& run : runs) {
    const auto number = [&](const char* key) {
      return run.spec.contains(key) && run.spec[key].is_number_integer() ? run.spec[key].get<int64_t>() : int64_t{0};
    };
    const int64_t ranks = run.ranks > 0 ? run.ranks : number("ranks");
    table.groups[0].rows.push_back({run.name,
                                    run.host,
                                    {},
                                    {{run.sha256.substr(0, 16), ""},
                                     {run.started, ""},
                                     {ranks > 0 ? fmt::format("{}", ranks) : "–", ""},
                                     {number("threads") > 0 ? fmt::format("{}", number("threads")) : "–", ""},
                                     {run.software, ""}}});
  }
  write(out, table);
  write_plugins(out, runs);
}

}  // namespace compeer::report
