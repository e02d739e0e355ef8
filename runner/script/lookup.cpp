// Finds settings and metrics by the names that scripts use for them.
#include "script/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/error.h"
#include "spec/dotted.h"
#include "spec/renamed.h"
#include "spec/text.h"

namespace compeer::script {

namespace {

// The innermost existing value on a path.
struct Reached {
  const spec::json* value;
  std::string path;
  bool whole;  // true if `value` is at the end of the path
};

Reached follow(const spec::json& values, const std::string& path) {
  Reached at{&values, "", true};
  for (auto step : spec::parse_path(path, "")) {
    if (const auto now = spec::present_name(at.path, *at.value, step.key); !now.empty()) step.key = now;
    if (at.value->is_object() && at.value->contains(step.key)) {
      at = {&at.value->at(step.key), spec::join(at.path, step.key), true};
    } else if (at.value->is_array() && step.is_index && step.index < at.value->size()) {
      at = {&at.value->at(step.index), spec::join(at.path, step.index), true};
    } else {
      return {at.value, at.path, false};
    }
  }
  return at;
}

std::string slashed(std::string name) {
  std::replace(name.begin(), name.end(), '.', '/');
  return name;
}

// True for metrics of stages, such as "01-sage/success/value".
bool is_of_stage(const std::string& name) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  return name.size() > 3 && digit(name[0]) && digit(name[1]) && name[2] == '-';
}

// "01-sage/success/value" -> "sage/success"
std::string in_short(std::string name) {
  if (is_of_stage(name)) name.erase(0, 3);
  const std::string value = "/value";
  if (name.ends_with(value)) name.erase(name.size() - value.size());
  return name;
}

// Returns the last `parts` parts of a name: ("sage/success", 1) -> "success".
std::string last_parts(const std::string& name, int64_t parts) {
  size_t from = name.size();
  while (parts-- > 0 && from != 0 && from != std::string::npos) from = name.rfind('/', from - 1);
  return from == 0 || from == std::string::npos ? name : name.substr(from + 1);
}

bool is_bound(const std::string& name) { return name.ends_with("/low") || name.ends_with("/high"); }

}  // namespace

const spec::json* look(const spec::json& values, const std::string& path) {
  const auto reached = follow(values, path);
  return reached.whole ? reached.value : nullptr;
}

void refuse_path(const std::string& owner, const spec::json& values, const std::string& path) {
  const auto reached = follow(values, path);
  std::vector<std::string> names;
  if (reached.value->is_object()) {
    for (const auto& [key, value] : reached.value->items()) names.push_back(spec::join(reached.path, key));
  }
  throw Error("", fmt::format("{} has no '{}'", owner, path), suggest(path, names));
}

std::string show(const spec::json& value) {
  return value.is_string() ? spec::printable(value.get<std::string>()) : spec::show(value);
}

spec::json visible(const spec::Spec& spec) {
  spec::Draft shown{spec.values, {}, {}};
  for (const auto& [path, file] : spec.texts) spec::set(shown, path, nullptr, "");
  return shown.values;
}

std::string find_figure(const std::vector<std::string>& names, const std::string& asked) {
  if (std::find(names.begin(), names.end(), asked) != names.end()) return asked;
  const auto wanted = in_short(slashed(asked)), end = "/" + wanted;
  std::vector<std::string> whole, top, ends;  // equal to `wanted`; at the top level of a stage; ending in `wanted`
  for (const auto& name : names) {
    const auto known = slashed(in_short(name));
    if (known == wanted) whole.push_back(name);
    if (!known.ends_with(end)) continue;
    ends.push_back(name);
    if (is_of_stage(name) && known.find('/') == known.size() - end.size()) top.push_back(name);
  }
  const auto& found = !whole.empty() ? whole : top.size() == 1 ? top : ends;
  if (found.size() > 1) {
    throw Error("", fmt::format("'{}' is ambiguous: it matches {} figures", asked, found.size()),
                fmt::format("use one of: {}", fmt::join(found, ", ")));
  }
  return found.empty() ? "" : found[0];
}

std::vector<std::string> metric_names(const RunResult& run) {
  std::vector<std::string> names;
  for (const auto& [name, value] : run.metrics) names.push_back(name);
  return names;
}

const Estimate* look_up(const RunResult& run, const std::string& figure) {
  const auto whole = run.metrics.find(figure);
  if (whole != run.metrics.end()) return &whole->second;
  const auto found = run.metrics.find(find_figure(metric_names(run), figure));
  return found == run.metrics.end() ? nullptr : &found->second;
}

const Estimate& metric(const RunResult& run, const std::string& figure) {
  if (const auto* found = look_up(run, figure)) return *found;
  refuse_metric(run, figure, metric_names(run));
}

void refuse_metric(const RunResult& run, const std::string& figure, const std::vector<std::string>& known) {
  throw Error("", fmt::format("run '{}' has no metric '{}'", run.name, figure), suggest_figure(figure, known));
}

bool may_have(const RunResult& run, const std::string& figure) {
  if (run.expected_metrics.empty() || !find_figure(run.expected_metrics, figure).empty()) return true;
  // "rewards/prm/*" stands for the columns of a plugin that can't be opened yet, "01-sage/*" for the metrics of a
  // stage. A name of one part may be a metric of a stage. It is not accepted as one of a reward, since then no misspelt
  // name would be found.
  const auto wanted = slashed(figure);
  const auto parted = wanted.rfind('/');
  return std::any_of(run.expected_metrics.begin(), run.expected_metrics.end(), [&](const std::string& name) {
    if (!name.ends_with("/*")) return false;
    const auto group = slashed(in_short(name.substr(0, name.size() - 2)));
    // A name of one part: true for a stage, whose number in_short() has removed.
    if (parted == std::string::npos) return group.size() + 2 < name.size();
    return wanted.starts_with(group + "/") || ("/" + group).ends_with("/" + wanted.substr(0, parted));
  });
}

std::string suggest_figure(const std::string& asked, const std::vector<std::string>& names) {
  std::vector<std::string> known, alike;
  const bool dotted = asked.find('.') != std::string::npos;
  const auto parts = 1 + std::count_if(asked.begin(), asked.end(), [](char c) { return c == '.' || c == '/'; });
  for (const auto& name : names) {
    if (is_bound(name)) continue;
    known.push_back(in_short(name));
    alike.push_back(last_parts(known.back(), parts));
    if (!dotted) continue;
    std::replace(known.back().begin(), known.back().end(), '/', '.');
    std::replace(alike.back().begin(), alike.back().end(), '/', '.');
  }
  const auto help = suggest(asked, known);
  const auto near = nearest(asked, alike);
  return near.empty() || help.starts_with("did you mean") ? help : fmt::format("did you mean '{}'? {}", near, help);
}

}  // namespace compeer::script
