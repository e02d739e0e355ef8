// Calls plugins and checks their results.
#include "plugin/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace compeer::plugin {

namespace {

// Checks the results of one call of a plugin.
class ResultCheck {
 public:
  ResultCheck(const Identity& identity, const char* method) : identity_(identity), method_(method) {}

  [[noreturn]] void refuse(const std::string& what, const std::string& help) const {
    plugin::refuse(identity_, method_, what, help);
  }

  /// Throws NotFinite for the first number that is not finite. `place(i)` describes the position of number i.
  template <class Number, class Where>
  void finite(std::span<const Number> numbers, Where&& place, bool or_nan = false) const {
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (std::isfinite(numbers[i]) || (or_nan && std::isnan(numbers[i]))) continue;
      const char* name = std::isnan(numbers[i]) ? "NaN" : numbers[i] > 0 ? "+infinity" : "-infinity";
      throw NotFinite(identity_, method_, std::string("returned ") + name + " " + place(i),
                      "every number must be finite: look for a division by zero, a logarithm of zero, or a number "
                      "beyond 3.4e38");
    }
  }

  std::vector<std::string> names(std::vector<std::string> names, size_t least) const {
    constexpr auto ok = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    if (names.size() < least) refuse("returned no names", "a reward has at least one part, the reward itself");
    for (auto name = names.begin(); name != names.end(); ++name) {
      const bool only_dots = name->find_first_not_of('.') == std::string::npos;  // also true for the empty name
      if (only_dots || name->size() > 64 || name->find_first_not_of(ok) != std::string::npos) {
        refuse("returned the name '" + *name + "'", "use up to 64 letters, digits, '_', '-' and '.', not only dots");
      }
      if (std::find(names.begin(), name, *name) != name) refuse("returned the name '" + *name + "' twice", "");
    }
    return names;
  }

 private:
  const Identity& identity_;
  const char* method_;
};

// Completions are numbered from 0, as in run records.
std::string numbered(size_t completion) { return "completion " + std::to_string(completion) + " (the first is 0)"; }

// Returns the columns of one group, checked and in the order of `names`: exactly these columns, each with one number
// per completion, rounded to `Number`.
template <class Number>
Scores checked(const Scores& given, const std::vector<std::string>& names, size_t completions, bool or_nan,
               const ResultCheck& door) {
  for (const auto& [name, column] : given.columns()) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      door.refuse("returned a column '" + name + "', which is not one of its columns", suggest(name, names));
  }
  Scores all;
  for (const auto& name : names) {
    const auto found = std::find_if(given.columns().begin(), given.columns().end(),
                                    [&](const auto& column) { return column.first == name; });
    const size_t count = found == given.columns().end() ? 0 : found->second.size();
    if (count != completions) {
      door.refuse(fmt::format("returned {} numbers in column '{}' for {} completions", count, name, completions),
                  "return one number for each completion in every column, in the order of the completions");
    }
    auto& column = all[name];
    for (size_t i = 0; i < completions; ++i) column.push_back(static_cast<Number>(found->second[i]));
  }
  // Checked completion by completion, so that the message names the first faulty one.
  for (size_t i = 0; i < completions; ++i) {
    for (const auto& name : names) {
      const auto place = [&](size_t) { return "in column '" + name + "' of " + numbered(i); };
      door.finite<double>({&all.at(name)[i], 1}, place, or_nan);
    }
  }
  all.note = given.note;
  return all;
}

bool same(const std::vector<Completion>& a, const std::vector<Completion>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Completion& x, const Completion& y) {
    return x.text == y.text && x.tokens == y.tokens && x.finished == y.finished &&
           x.least_log_prob == y.least_log_prob && x.token_ids == y.token_ids && x.log_probs == y.log_probs;
  });
}

}  // namespace

int64_t records_in(Plugin<Dataset>& dataset, const std::string& split, const std::string& setting) {
  const auto size_of = [&](const std::string& name) {
    return dataset.call("size", [&](Dataset& d) { return d.size(name); });
  };
  if (const auto size = size_of(split); size > 0) return size;
  std::string held;
  bool is_usual = false;
  for (const char* usual : {"train", "valid", "test"}) {
    if (const auto size = size_of(usual); size > 0)
      held += fmt::format("{}{} in {}", held.empty() ? "there are " : ", ", size, usual);
    is_usual |= split == usual;
  }
  throw Error("datasets/" + dataset.identity().name, fmt::format("has no records in split '{}'", split),
              fmt::format("set {} to a split with records; {}{}", setting, held.empty() ? "none has any" : held,
                          is_usual ? "; check that the file of the split exists and has the right name" : ""),
              Exit::data);
}

LeftOutCount left_out(Plugin<Dataset>& dataset) {
  const auto all = dataset.call("unreadable", [](Dataset& d) { return d.unreadable(); });
  LeftOutCount found{static_cast<int64_t>(all.size()), ""};
  if (!all.empty())
    found.text = fmt::format("datasets/{} omits {} record{} that can't be read; the first: {}, record {}: {}",
                             dataset.identity().name, all.size(), all.size() == 1 ? "" : "s", all[0].file,
                             all[0].record, all[0].reason);
  return found;
}

std::vector<std::string> columns(Plugin<Reward>& reward) {
  auto names = reward.call("columns", [](Reward& r) { return r.columns(); });
  if (names.empty()) names = reward.descriptor().columns;
  if (names.empty()) names = {"reward"};
  return ResultCheck(reward.identity(), "columns").names(names, 1);
}

namespace {

// Calls the plugin once for all groups and checks the result group by group.
std::vector<GroupScores> scored_together(Plugin<Reward>& reward, std::span<const Group> groups,
                                         const std::vector<std::string>& names) {
  const ResultCheck door(reward.identity(), "score");
  std::vector<std::vector<Completion>> before;
  for (const Group& group : groups) before.push_back(group.completions);
  const auto given = reward.call("score", [&](Reward& r) { return r.score_all(groups); });
  const bool abstains = reward.call("abstains", [](Reward& r) { return r.abstains(); });
  if (given.size() != groups.size()) {
    door.refuse(fmt::format("returned scores of {} groups instead of {}", given.size(), groups.size()),
                "return one for each group, in the order of the groups");
  }
  std::vector<GroupScores> all(groups.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    try {
      const auto& completions = groups[g].completions;
      if (!same(before[g], completions))
        door.refuse("modified the completions", "modify a copy: other rewards receive the same completions");
      all[g].scores = checked<float>(given[g], names, completions.size(), abstains, door);
    } catch (const PluginError&) {
      all[g].failure = std::current_exception();
    }
  }
  return all;
}

}  // namespace

std::vector<GroupScores> score(Plugin<Reward>& reward, std::span<const Group> groups,
                               const std::vector<std::string>& names) {
  if (groups.empty()) return {};
  std::exception_ptr failure;
  bool its_own = false;
  try {
    return scored_together(reward, groups, names);
  } catch (const PluginError& error) {
    if (is_stop(error.exit())) throw;
    failure = std::current_exception();
    its_own = error.plugin() == reward.identity().title();
  }
  std::vector<GroupScores> all(groups.size());
  if (groups.size() == 1 || !its_own) {
    for (GroupScores& one : all) one.failure = failure;
    return all;
  }
  for (size_t g = 0; g < groups.size(); ++g) all[g] = std::move(score(reward, groups.subspan(g, 1), names).front());
  const bool none_alone = std::none_of(all.begin(), all.end(), [](const auto& one) { return one.failure != nullptr; });
  if (none_alone) all.front().failure = failure;
  return all;
}

Scores score(Plugin<Reward>& reward, const Group& group, const std::vector<std::string>& names) {
  auto scored = std::move(score(reward, std::span<const Group>(&group, 1), names).front());
  if (scored.failure) std::rethrow_exception(scored.failure);
  return scored.scores;
}

std::string culprit(Plugin<Reward>& reward, const Group& group, const std::vector<std::string>& names,
                    const PluginError& failure) {
  const bool its_own = failure.plugin() == reward.identity().title() && failure.exit() == Exit::plugin;
  if (!its_own || failure.problem().find("completion") != std::string::npos) return "";
  std::vector<size_t> found;
  for (size_t i = 0; i < group.completions.size(); ++i) {
    const std::vector<Completion> one{group.completions[i]};
    try {
      score(reward, {group.example, one}, names);
    } catch (const PluginError& alone) {
      if (alone.problem() == failure.problem()) found.push_back(i);
    }
  }
  if (found.empty()) return "";
  const bool all = found.size() > 1 && found.size() == group.completions.size();
  return all ? "every completion" : numbered(found.front());
}

std::vector<std::string> factors(Plugin<Reweighting>& reweighting) {
  const ResultCheck door(reweighting.identity(), "factors");
  auto names = door.names(reweighting.call("factors", [](Reweighting& r) { return r.factors(); }), 0);
  if (std::find(names.begin(), names.end(), "reward") != names.end())
    door.refuse("returned the name 'reward'",
                "give the factor another name: the column 'reward' is the reweighted reward");
  return names;
}

Scores reweight(Plugin<Reweighting>& reweighting, const Group& group, std::span<const double> rewards,
                const std::vector<std::string>& names) {
  const ResultCheck door(reweighting.identity(), "reweight");
  std::vector<std::string> columns{"reward"};
  columns.insert(columns.end(), names.begin(), names.end());
  const auto given = reweighting.call("reweight", [&](Reweighting& r) { return r.reweight(group, rewards); });
  return checked<double>(given, columns, group.completions.size(), false, door);
}

std::vector<std::vector<double>> compare(Plugin<Similarity>& similarity, const std::vector<std::string>& a,
                                         const std::vector<std::string>& b,
                                         const std::optional<std::vector<std::string>>& said) {
  const char* method = said ? "compare_ignoring" : "compare";
  const ResultCheck door(similarity.identity(), method);
  auto cosines =
      similarity.call(method, [&](Similarity& s) { return said ? s.compare_ignoring(*said, a, b) : s.compare(a, b); });
  if (cosines.size() != a.size())
    door.refuse(fmt::format("returned {} rows instead of {}", cosines.size(), a.size()),
                "return one for each text of the first list");
  for (size_t i = 0; i < a.size(); ++i) {
    const std::span<const double> row = cosines[i];
    if (row.size() != b.size()) {
      door.refuse(fmt::format("returned {} numbers instead of {} for text {} of the first list (the first is 0)",
                              row.size(), b.size(), i),
                  "return one for each text of the second list");
    }
    const auto place = [&](size_t j) {
      return fmt::format("for text {} of the first list and {} of the second (the first is 0)", i, j);
    };
    door.finite<double>(row, place);
    for (size_t j = 0; j < b.size(); ++j) {
      if (std::abs(row[j]) > 1 + 1e-6)
        door.refuse("returned " + std::to_string(row[j]) + " " + place(j), "return cosines in [-1, 1]");
    }
  }
  return cosines;
}

namespace {

void check(const ResultCheck& door, const Outcome& outcome, size_t number) {
  const std::string whose = " for record " + std::to_string(number) + " (the first is 0)";
  for (const nlohmann::json& record : outcome.records) {
    const bool named = record.is_object() && record.contains("id") && record.at("id").is_string();
    if (!named || record.at("id").get_ref<const std::string&>().empty())
      door.refuse("returned a record without an id" + whose, "return records that are objects with an \"id\"");
  }
  const bool goes_on = outcome.unchanged || !outcome.records.empty();
  if (goes_on == !outcome.dropped.empty()) {
    door.refuse(goes_on ? "returned records and a reason" + whose : "returned neither records nor a reason" + whose,
                "set 'dropped', the reason, if and only if there are no records");
  }
  if (outcome.unchanged && !outcome.records.empty())
    door.refuse("returned records and marked the record as unchanged" + whose, "return one or the other");
  for (const auto& [name, value] : outcome.counts) {
    if (!std::isfinite(value)) door.refuse("counted '" + name + "' as " + std::to_string(value) + whose, "");
  }
}

}  // namespace

std::vector<Outcome> make(Plugin<Stage>& stage, const std::vector<nlohmann::json>& records) {
  const ResultCheck door(stage.identity(), "make");
  auto outcomes = stage.call("make", [&](Stage& s) { return s.make(records); });
  if (outcomes.size() != records.size()) {
    door.refuse(
        "returned " + std::to_string(outcomes.size()) + " outcomes for " + std::to_string(records.size()) + " records",
        "return one for each record, in the order of the records");
  }
  for (size_t i = 0; i < outcomes.size(); ++i) check(door, outcomes[i], i);
  return outcomes;
}

}  // namespace compeer::plugin
