// Finds the parents, repetitions and styles of runs.
#include "report/comparing/lineage.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/hash.h"
#include "report/drawing/plots.h"
#include "report/runs/load.h"

namespace compeer::report {

namespace {

namespace fs = std::filesystem;

void erase_seeds(nlohmann::json& value) {
  if (value.is_object()) value.erase("seed");
  if (!value.is_structured()) return;
  for (auto& inner : value) erase_seeds(inner);
}

std::string text_of(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<std::string> words(const std::string& name) {
  std::vector<std::string> parts;
  for (size_t from = 0; from < name.size();) {
    const size_t to = std::min(name.find_first_of("-_", from + 1), name.size());
    parts.push_back(name.substr(from, to - from));
    from = to;
  }
  return parts;
}

/// Returns the number of words that all names share at the front or end, leaving at least one word of each.
size_t shared(const std::vector<std::vector<std::string>>& names, bool at_end) {
  size_t n = 0;
  while (std::all_of(names.begin(), names.end(), [&](const auto& name) {
    const auto& first = names.front();
    return n + 1 < name.size() && n + 1 < first.size() &&
           (at_end ? name[name.size() - 1 - n] == first[first.size() - 1 - n] : name[n] == first[n]);
  }))
    ++n;
  return n;
}

}  // namespace

Lineage::Lineage(const std::vector<RunData>& runs) : runs_(runs), keys_(runs.size()) {
  for (size_t i = 0; i < runs.size(); ++i) {
    auto parent = run_of(runs[i].start_model());
    if (parent == i) parent.reset();
    parents_.push_back(parent);
  }
  for (size_t i = 0; i < runs.size(); ++i) find_key(i);
  choose_styles();
}

std::optional<size_t> Lineage::run_of(const std::string& path) const {
  if (path.empty()) return {};
  const fs::path from = run_folder(path);
  const bool inside = from != path;
  std::optional<size_t> found;
  for (size_t i = 0; i < runs_.size(); ++i) {
    if (runs_[i].folder.filename() != from.filename()) continue;
    std::error_code code;
    if (fs::equivalent(runs_[i].folder, from, code)) return i;
    if (!found && inside) found = i;
  }
  return found;
}

std::string Lineage::without_seeds(const nlohmann::json& part) const {
  nlohmann::json common = part;
  each_text(common, [&](const std::string&, nlohmann::json& text) {
    const auto path = text.get<std::string>();
    if (const auto run = run_of(path)) text = keys_[*run];
    if (const auto known = used_keys_.find(path); known != used_keys_.end()) text = known->second;
  });
  erase_seeds(common);
  return text_of(common);
}

/// Keys of the runs that this one uses are computed first. A run whose key is still being computed is part of a cycle.
const std::string& Lineage::find_key(size_t run) {
  if (!keys_[run].empty()) return keys_[run];
  keys_[run] = runs_[run].folder.string();
  if (runs_[run].spec.is_object() && !runs_[run].spec.empty()) keys_[run] = key_of(runs_[run].spec, run);
  return keys_[run];
}

/// Returns the key of the run that `path` belongs to, or "" if it is unknown. For a run that is not in the report, the
/// key is computed from its spec. `run` is the run that uses the path.
std::string Lineage::find_used_key(const std::string& path, size_t run) {
  if (const auto reported = run_of(path)) return *reported == run ? "" : find_key(*reported);
  const auto known = used_keys_.find(path);
  if (known != used_keys_.end()) return known->second;
  const auto found = runs_[run].used_specs.find(path);
  if (found == runs_[run].used_specs.end()) return "";
  used_keys_[path] = path;  // ends recursion in a cycle
  return used_keys_[path] = key_of(found->second, run);
}

/// Returns the hash of a spec without its name and seeds, and with keys of runs in place of paths into their folders.
/// Omits the fingerprints of these paths, because weights differ with every seed.
std::string Lineage::key_of(nlohmann::json spec, size_t run) {
  spec.erase("name");
  nlohmann::json inputs = nlohmann::json::object();
  if (spec.contains("inputs")) inputs = std::exchange(spec["inputs"], nullptr);
  each_text(spec, [&](const std::string& path, nlohmann::json& text) {
    const auto used = find_used_key(text.get<std::string>(), run);
    if (used.empty()) return;
    text = used;
    if (inputs.is_object()) inputs.erase(path);
  });
  erase_seeds(spec);
  spec["inputs"] = inputs;
  return sha256(text_of(spec));
}

void Lineage::choose_styles() {
  std::map<std::string, size_t> by_key;
  styles_.resize(runs_.size());
  const auto judges = [&](size_t run) { return runs_[run].task == "evaluate" && parents_[run]; };
  // Fine-tuning runs have plots of their own, so the runs that are compared get the first styles.
  for (const std::string turn : {"", "sft", "evaluate", "data"}) {
    for (size_t i = 0; i < runs_.size(); ++i) {
      const auto& task = runs_[i].task;
      const bool named = task == "sft" || task == "evaluate" || task == "data";
      if ((named ? task : "") == turn && !judges(i)) styles_[i] = by_key.emplace(keys_[i], by_key.size()).first->second;
    }
  }
  for (size_t i = 0; i < runs_.size(); ++i) {
    if (by_key.size() > styles_told_apart) styles_[i] += styles_told_apart;
  }
  for (size_t i = 0; i < runs_.size(); ++i) {
    if (judges(i)) styles_[i] = styles_[*parents_[i]];
  }
}

std::vector<RunGroup> run_groups(const std::vector<RunData>& runs, const Lineage& lineage,
                                 const std::vector<size_t>& which) {
  std::vector<RunGroup> kinds;
  std::map<std::string, size_t> places;
  for (const size_t run : which) {
    const auto [place, is_new] = places.emplace(lineage.key(run), kinds.size());
    if (is_new) kinds.push_back({"", "", lineage.style(run), {}});
    kinds[place->second].runs.push_back(run);
  }
  std::vector<std::string> names;
  for (auto& kind : kinds) {
    std::vector<std::string> repetitions;
    for (const size_t run : kind.runs) repetitions.push_back(runs[run].name);
    names.push_back(common_start(repetitions));
    kind.name = names.back() + (kind.runs.size() > 1 ? " (" + std::to_string(kind.runs.size()) + " seeds)" : "");
  }
  const auto labels = short_labels(names);
  for (size_t i = 0; i < kinds.size(); ++i) kinds[i].label = labels[i];
  return kinds;
}

std::string common_start(const std::vector<std::string>& names) {
  if (names.size() == 1) return names.front();
  std::string start = names.front();
  for (const auto& name : names)
    start.erase(std::mismatch(start.begin(), start.end(), name.begin(), name.end()).first, start.end());
  while (!start.empty() && std::string("-_.").find(start.back()) != std::string::npos) start.pop_back();
  for (const std::string word : {"-seed", "_seed", "-s", "_s"}) {
    if (start.size() > word.size() && start.ends_with(word)) start.resize(start.size() - word.size());
  }
  return start.empty() ? names.front() : start;
}

std::vector<std::string> short_labels(const std::vector<std::string>& names) {
  if (names.size() < 2) return names;
  std::vector<std::vector<std::string>> split;
  for (const auto& name : names) split.push_back(words(name));
  const size_t front = shared(split, false);
  for (auto& name : split) name.erase(name.begin(), name.begin() + front);
  const size_t back = shared(split, true);
  std::vector<std::string> labels;
  for (const auto& name : split) {
    std::string label;
    for (size_t i = 0; i + back < name.size(); ++i) label += name[i];
    if (front > 0 && label.size() > 1 && (label[0] == '-' || label[0] == '_')) label.erase(0, 1);
    labels.push_back(label);
  }
  return labels;
}

}  // namespace compeer::report
