#include "report/lineage.h"

#include <algorithm>
#include <map>

#include "report/svg.h"

namespace compeer::report {

namespace {

namespace fs = std::filesystem;

/// results/A/checkpoints/last -> results/A; empty for any other path.
fs::path run_of_checkpoint(const fs::path& model) {
  for (fs::path path = model; path.has_relative_path(); path = path.parent_path()) {
    if (path.filename() == "checkpoints") return path.parent_path();
    if (path == path.parent_path()) break;
  }
  return {};
}

std::optional<size_t> parent_of(const std::vector<RunData>& runs, size_t child) {
  const fs::path from = run_of_checkpoint(runs[child].start_model());
  if (from.empty()) return {};
  std::optional<size_t> found;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (i == child || runs[i].folder.filename() != from.filename()) continue;
    std::error_code code;
    if (fs::equivalent(runs[i].folder, from, code)) return i;
    if (!found) found = i;
  }
  return found;
}

/// The spec without what tells repetitions of one experiment apart. `depth` ends what would go round in circles.
std::string key_of(const std::vector<RunData>& runs, const std::vector<std::optional<size_t>>& parents, size_t run,
                   int depth = 0) {
  nlohmann::json spec = runs[run].spec;
  if (!spec.is_object() || spec.empty()) return runs[run].folder.string();
  spec.erase("name");
  spec.erase("seed");
  if (parents[run] && depth < 8) {
    spec["model"]["path"] = key_of(runs, parents, *parents[run], depth + 1);
    if (spec.contains("inputs")) spec["inputs"].erase("model.path");  // its pin: other weights for every seed
  }
  return spec.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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

/// How many words all names share, at the front or (reversed) at the end, leaving at least one to each.
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

Lineage::Lineage(const std::vector<RunData>& runs) : runs_(runs) {
  std::vector<std::string> names;
  for (size_t i = 0; i < runs.size(); ++i) {
    parents_.push_back(parent_of(runs, i));
    names.push_back(runs[i].name);
  }
  for (size_t i = 0; i < runs.size(); ++i) keys_.push_back(key_of(runs, parents_, i));
  labels_ = short_labels(names);

  choose_styles();
}

void Lineage::choose_styles() {
  std::map<std::string, size_t> by_key;
  styles_.resize(runs_.size());
  const auto choose = [&](size_t run) { styles_[run] = by_key.emplace(keys_[run], by_key.size()).first->second; };
  // Fine-tuning has plots of its own: the runs that are compared get the plainest looks.
  for (const bool tuning : {false, true}) {
    for (size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].task != "evaluate" && (runs_[i].task == "sft") == tuning) choose(i);
    }
  }
  for (size_t i = 0; i < runs_.size(); ++i) {
    if (runs_[i].task == "evaluate" && !parents_[i]) choose(i);
  }
  if (by_key.size() > styles_told_apart) {
    for (size_t& style : styles_) style += styles_told_apart;
  }
  for (size_t i = 0; i < runs_.size(); ++i) {
    if (runs_[i].task == "evaluate" && parents_[i]) styles_[i] = styles_[*parents_[i]];
  }
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
