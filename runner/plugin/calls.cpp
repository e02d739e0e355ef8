#include "plugin/calls.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <span>

namespace compeer::plugin {

namespace {

// The door of one call: what comes back from a plugin is looked at here, once.
class Door {
 public:
  Door(const Identity& identity, const char* method) : identity_(identity), method_(method) {}

  [[noreturn]] void refuse(const std::string& what, const std::string& help) const {
    plugin::refuse(identity_, method_, what, help);
  }

  /// `place` says where number i stands.
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
      const bool only_dots = name->find_first_not_of('.') == std::string::npos;  // or empty
      if (only_dots || name->size() > 64 || name->find_first_not_of(ok) != std::string::npos) {
        refuse("returned the name '" + *name + "'",
               "a name is up to 64 letters, digits, '_', '-' and '.', not dots alone");
      }
      if (std::find(names.begin(), name, *name) != name) refuse("returned the name '" + *name + "' twice", "");
    }
    return names;
  }

 private:
  const Identity& identity_;
  const char* method_;
};

// Completions are counted from 0, as in the record of a run.
std::string numbered(size_t completion) { return "completion " + std::to_string(completion) + " (the first is 0)"; }

using Rows = std::vector<const Scores::Row*>;

// What a plugin has added, by group. A completion is known by its address.
std::vector<Rows> rows_of(const Scores& scores, std::span<const Group> groups, const Door& door) {
  std::vector<Rows> all(groups.size());
  for (const auto& row : scores.rows()) {
    const auto whose = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      const std::less<> before;
      const auto* first = group.completions.data();
      return !before(row.completion, first) && before(row.completion, first + group.completions.size());
    });
    if (whose == groups.end()) {
      door.refuse("added a row for a completion that is not in the group",
                  "pass the element itself, not a copy: for (const auto& completion : group.completions)");
    }
    all[static_cast<size_t>(whose - groups.begin())].push_back(&row);
  }
  return all;
}

/// What a plugin has added about the completions of a group, in their order and that of `columns`.
class Table {
 public:
  Table(const Door& door, const std::vector<std::string>& columns) : door_(door), columns_(columns) {}

  template <class Number>
  at::Tensor tensor(const Rows& rows, const std::vector<Completion>& completions, at::ScalarType type,
                    bool or_nan) const {
    const auto values = in_order(rows, completions);
    const auto count = static_cast<int64_t>(completions.size());
    auto table = at::empty({count, static_cast<int64_t>(columns_.size())}, type);
    auto* const numbers = table.mutable_data_ptr<Number>();
    for (size_t i = 0; i < values.size(); ++i) numbers[i] = static_cast<Number>(*values[i]);
    door_.finite<Number>(
        {numbers, values.size()}, [&](size_t i) { return cell(i); }, or_nan);
    return table;
  }

 private:
  using Values = std::vector<std::optional<double>>;

  Values in_order(const Rows& rows, const std::vector<Completion>& completions) const {
    Values values(completions.size() * columns_.size());
    for (const Scores::Row* row : rows)
      fill(values, static_cast<size_t>(row->completion - completions.data()), row->columns);
    const auto missing = std::find(values.begin(), values.end(), std::nullopt);
    if (missing != values.end()) {
      door_.refuse("gave no number " + cell(static_cast<size_t>(missing - values.begin())),
                   "add a row for each completion, with a number for every column");
    }
    return values;
  }

  void fill(Values& values, size_t completion, const Scores::Columns& columns) const {
    for (const auto& [name, number] : columns) {
      const auto column = std::find(columns_.begin(), columns_.end(), name);
      if (column == columns_.end()) {
        door_.refuse("gave a number for '" + name + "' of " + numbered(completion) + ", which is none of its columns",
                     suggest(name, columns_));
      }
      const size_t i = completion * columns_.size() + static_cast<size_t>(column - columns_.begin());
      if (values[i]) door_.refuse("gave two numbers " + cell(i), "add each completion once, and each column once");
      values[i] = number;
    }
  }

  std::string cell(size_t i) const {
    return "in column '" + columns_[i % columns_.size()] + "' of " + numbered(i / columns_.size());
  }

  const Door& door_;
  const std::vector<std::string>& columns_;
};

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
              fmt::format("{} names a split; {}{}", setting, held.empty() ? "none has any" : held,
                          is_usual ? "; is its file missing, or named otherwise?" : ""),
              Exit::data);
}

LeftOutCount left_out(Plugin<Dataset>& dataset) {
  const auto all = dataset.call("unreadable", [](Dataset& d) { return d.unreadable(); });
  LeftOutCount found{static_cast<int64_t>(all.size()), ""};
  if (!all.empty())
    found.text = fmt::format("datasets/{} leaves out {} record{} that can't be read; the first: {}, record {}: {}",
                             dataset.identity().name, all.size(), all.size() == 1 ? "" : "s", all[0].file,
                             all[0].record, all[0].reason);
  return found;
}

std::vector<std::string> columns(Plugin<Reward>& reward) {
  auto names = reward.call("columns", [](Reward& r) { return r.columns(); });
  if (names.empty()) names = reward.descriptor().columns;
  if (names.empty()) names = {"reward"};
  return Door(reward.identity(), "columns").names(names, 1);
}

namespace {

// The plugin is called for all groups at once; what it gave each of them is looked at group by group.
std::vector<GroupScores> scored_together(Plugin<Reward>& reward, std::span<const Group> groups,
                                         const std::vector<std::string>& names) {
  const Door door(reward.identity(), "score");
  std::vector<std::vector<Completion>> before;
  for (const Group& group : groups) before.push_back(group.completions);
  Scores scores;
  reward.call("score", [&](Reward& r) { r.score(groups, scores); });
  const bool abstains = reward.call("abstains", [](Reward& r) { return r.abstains(); });
  const auto rows = rows_of(scores, groups, door);
  std::vector<GroupScores> all(groups.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    try {
      if (!same(before[g], groups[g].completions))
        door.refuse("wrote into the completions", "other rewards get the same: change a copy");
      all[g].table = Table(door, names).tensor<float>(rows[g], groups[g].completions, at::kFloat, abstains);
    } catch (const PluginError&) {
      all[g].failure = std::current_exception();
    }
  }
  for (const auto& [group, note] : scores.notes()) {
    const auto found =
        std::find_if(groups.begin(), groups.end(), [group = group](const Group& one) { return &one == group; });
    if (found == groups.end())
      door.refuse("noted something of a group that it was not given", "pass the element itself");
    all[static_cast<size_t>(found - groups.begin())].note = note;
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

at::Tensor score(Plugin<Reward>& reward, const Group& group, const std::vector<std::string>& names) {
  auto scored = std::move(score(reward, std::span<const Group>(&group, 1), names).front());
  if (scored.failure) std::rethrow_exception(scored.failure);
  return scored.table;
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
  const Door door(reweighting.identity(), "factors");
  auto names = door.names(reweighting.call("factors", [](Reweighting& r) { return r.factors(); }), 0);
  if (std::find(names.begin(), names.end(), "reward") != names.end())
    door.refuse("returned the name 'reward'", "the column 'reward' is the new reward: give the factor another name");
  return names;
}

at::Tensor reweight(Plugin<Reweighting>& reweighting, const Group& group, const at::Tensor& rewards,
                    const std::vector<std::string>& names) {
  const Door door(reweighting.identity(), "reweight");
  std::vector<std::string> columns{"reward"};
  columns.insert(columns.end(), names.begin(), names.end());
  const auto given = rewards.contiguous();
  const std::span<const double> values{given.const_data_ptr<double>(), group.completions.size()};
  Scores reweighted;
  reweighting.call("reweight", [&](Reweighting& r) { r.reweight(group, values, reweighted); });
  const auto rows = rows_of(reweighted, {&group, 1}, door).front();
  return Table(door, columns).tensor<double>(rows, group.completions, at::kDouble, false);
}

std::vector<std::vector<double>> compare(Plugin<Similarity>& similarity, const std::vector<std::string>& a,
                                         const std::vector<std::string>& b,
                                         const std::optional<std::vector<std::string>>& said) {
  const char* method = said ? "compare_beyond" : "compare";
  const Door door(similarity.identity(), method);
  auto cosines =
      similarity.call(method, [&](Similarity& s) { return said ? s.compare_beyond(*said, a, b) : s.compare(a, b); });
  if (cosines.size() != a.size())
    door.refuse(fmt::format("returned {} rows instead of {}", cosines.size(), a.size()),
                "one for each text of the first list");
  for (size_t i = 0; i < a.size(); ++i) {
    const std::span<const double> row = cosines[i];
    if (row.size() != b.size()) {
      door.refuse(fmt::format("returned {} numbers instead of {} for text {} of the first list (the first is 0)",
                              row.size(), b.size(), i),
                  "one for each text of the second list");
    }
    const auto place = [&](size_t j) {
      return fmt::format("for text {} of the first list and {} of the second (the first is 0)", i, j);
    };
    door.finite<double>(row, place);
    for (size_t j = 0; j < b.size(); ++j) {
      if (std::abs(row[j]) > 1 + 1e-6)
        door.refuse("returned " + std::to_string(row[j]) + " " + place(j), "a cosine lies in [-1, 1]");
    }
  }
  return cosines;
}

namespace {

void check(const Door& door, const Outcome& outcome, size_t number) {
  const std::string whose = " for record " + std::to_string(number) + " (the first is 0)";
  for (const nlohmann::json& record : outcome.records) {
    const bool named = record.is_object() && record.contains("id") && record.at("id").is_string();
    if (!named || record.at("id").get_ref<const std::string&>().empty())
      door.refuse("made a record without an id" + whose, "a record is an object with an \"id\"");
  }
  const bool goes_on = outcome.unchanged || !outcome.records.empty();
  if (goes_on == !outcome.dropped.empty()) {
    door.refuse(goes_on ? "gave records and a reason" + whose : "gave neither records nor a reason" + whose,
                "'dropped' says why there are no records");
  }
  if (outcome.unchanged && !outcome.records.empty())
    door.refuse("gave records and says the record is unchanged" + whose, "give one or the other");
  for (const auto& [name, value] : outcome.counts) {
    if (!std::isfinite(value)) door.refuse("counted '" + name + "' as " + std::to_string(value) + whose, "");
  }
}

}  // namespace

std::vector<Outcome> make(Plugin<Stage>& stage, const std::vector<nlohmann::json>& records) {
  const Door door(stage.identity(), "make");
  auto outcomes = stage.call("make", [&](Stage& s) { return s.make(records); });
  if (outcomes.size() != records.size()) {
    door.refuse(
        "gave " + std::to_string(outcomes.size()) + " outcomes for " + std::to_string(records.size()) + " records",
        "one for each, in their order");
  }
  for (size_t i = 0; i < outcomes.size(); ++i) check(door, outcomes[i], i);
  return outcomes;
}

}  // namespace compeer::plugin
