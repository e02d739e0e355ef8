// Entries of spec.json about changes to a run after it began: extended runs, replaced plugins, changed inputs.
#include "spec/history.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "spec/check.h"
#include "spec/core_schema.h"
#include "spec/text.h"

namespace compeer::spec {

namespace {

std::string short_hash(const json& hash) { return printable(hash.get<std::string>().substr(0, 16), 100) + "..."; }

json history_in(const std::string& file_text) {
  const json file = parse_json(file_text);
  const json list = file.is_object() ? file.value("history", json::array()) : json::array();
  return list.is_array() ? list : json::array();
}

// The new number of steps: the default if the setting is unset.
int64_t number_of_steps(const std::string& task, const Change& change) {
  const auto& field = *find(find_section(task)->parameter.fields, "steps");
  json value = change.value.is_null() ? *field.default_value : change.value;
  if (const auto wrong = normalise(field, value))
    throw Error(change.origin, fmt::format("'{}.steps' {}", task, wrong->what), wrong->help);
  return value.get<int64_t>();
}

void refuse_other_bits(const Spec& spec, const std::string& steps, int64_t before, uint64_t done) {
  if (const json& schedule = spec.values.at("optimizer").at("schedule"); schedule != "constant")
    throw Error(steps,
                fmt::format("can't be changed in a run that has started, because 'optimizer.schedule' is {}: its "
                            "learning rates depend on the number of steps",
                            show(schedule)),
                "start a new run of that length: compeer run RUN_DIR --set " + steps + "=N --set name=NAME");
  const json& every = spec.values.at("validation").at("every");
  if (done == static_cast<uint64_t>(before) && !every.is_null() && before % every.get<int64_t>() != 0)
    throw Error(steps,
                fmt::format("can't be changed, because step {} was validated only as the last one: 'validation.every' "
                            "is {}, so a longer run does not validate it",
                            before, show(every)),
                "start a new run of that length: compeer run RUN_DIR --set " + steps + "=N --set name=NAME");
}

}  // namespace

std::string change_text(const json& change) {
  const auto what = printable(change.at("what").get<std::string>(), 100);
  const json &before = change.at("before"), &after = change.at("after");
  const auto step = change.at("step").get<uint64_t>();
  if (what.starts_with("plugin "))
    return fmt::format("after step {} the {} was replaced by another build (SHA-256 {} before, {} after)", step, what,
                       short_hash(before), short_hash(after));
  if (what.starts_with("contents of "))
    return fmt::format("after step {} the {} were replaced by others (pin {} before, {} after)", step, what,
                       short_hash(before), short_hash(after));
  const auto specs = fmt::format("(spec {} before, {} after)", short_hash(change.at("spec_before")),
                                 short_hash(change.at("spec_after")));
  if (what == "names of settings")
    return fmt::format("{} settings were renamed by a newer version of compeer, such as {} to {} {}", before.size(),
                       show(before.at(0)), show(after.at(0)), specs);
  return fmt::format("after step {} {} was changed from {} to {} {}", step, what, show(before), show(after), specs);
}

std::vector<std::string> new_changes(const std::string& before, const std::string& after) {
  const json all = history_in(after);
  std::vector<std::string> texts;
  for (size_t i = history_in(before).size(); i < all.size(); ++i) texts.push_back(change_text(all[i]));
  return texts;
}

bool is_spec_of_run(const json& file, const std::string& sha256) {
  if (!file.is_object()) return false;
  if (file.value("sha256", json()) == sha256) return true;
  const json history = file.value("history", json::array());
  for (const json& change : history) {
    if (change.is_object() && change.value("spec_before", json()) == sha256) return true;
  }
  return false;
}

Spec with_more_steps(Spec spec, const std::vector<Change>& changes, uint64_t done) {
  const auto task = spec.values.at("task").get<std::string>(), steps = task + ".steps";
  const bool trains = task == "sft" || task == "grpo";
  for (const auto& change : changes) {
    if (const auto section = task + "."; change.path.starts_with(section)) {
      std::vector<std::string> known;
      for (const auto& [key, value] : spec.values.at(task).items()) known.push_back(section + key);
      if (std::find(known.begin(), known.end(), change.path) == known.end())
        throw Error(change.origin, fmt::format("unknown key '{}'", printable(change.path)),
                    suggest(change.path, known));
    }
    if (!trains || change.path != steps)
      throw Error(change.origin, fmt::format("'{}' can't be changed in a run that has started", printable(change.path)),
                  (trains ? fmt::format("increase '{}'; ", steps) : std::string()) +
                      "for other changes start a new run: compeer run RUN_DIR --set KEY=VALUE --set name=NAME");
    json& value = spec.values.at(task).at("steps");
    const auto before = value.get<int64_t>(), after = number_of_steps(task, change);
    if (after == before) continue;
    if (after < before)
      throw Error(change.origin, fmt::format("'{}' is {} in this run and can't be lowered to {}", steps, before, after),
                  "give a larger number of steps");
    refuse_other_bits(spec, steps, before, done);
    json entry = {
        {"step", done}, {"what", steps}, {"before", before}, {"after", after}, {"spec_before", spec.sha256()}};
    value = after;
    spec.origins[steps] = change.origin;
    entry["spec_after"] = spec.sha256();
    if (done > 0) spec.history.push_back(std::move(entry));
  }
  return spec;
}

}  // namespace compeer::spec
