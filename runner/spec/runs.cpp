// Runs that settings name, path = { run = "esc-world-sft" }: finds them, and makes them in order of their dependencies.
#include "spec/runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "spec/text.h"

namespace compeer::spec {

namespace fs = std::filesystem;

namespace {

// Returns the value at a key, or null. Experiments are read before they are checked, so `table` may be no table.
json value_at(const json& table, const char* key) {
  return table.is_object() && table.contains(key) ? table.at(key) : json();
}

std::string text_at(const json& table, const char* key) {
  const json value = value_at(table, key);
  return value.is_string() ? value.get<std::string>() : "";
}

bool is_file(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code);
}

std::vector<fs::path> toml_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, code)) {
    if (entry.path().extension() == ".toml") files.push_back(folder / entry.path().filename());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Finds the experiment with this name in the first folder that has one. A file named after it ("esc_world_sft.toml")
// must be valid; other invalid files are skipped. Throws Error if two files of a folder have the name.
std::optional<RunInput> find_experiment(const RunInput& wanted, const std::vector<fs::path>& folders) {
  auto usual = wanted.name + ".toml";
  std::replace(usual.begin(), usual.end(), '-', '_');
  std::optional<RunInput> found;
  for (size_t i = 0; i < folders.size() && !found; ++i) {
    for (const auto& file : toml_files(folders[i])) {
      Draft draft;
      try {
        draft = load_toml(file);
      } catch (const Error&) {
        if (file.filename() == usual) throw;
      }
      if (text_at(draft.values, "name") != wanted.name) continue;
      if (found)
        throw Error("", fmt::format("{} and {} both have this name", found->file.string(), file.string()),
                    "give one of them another 'name'");
      found = RunInput{wanted.name, wanted.folder, draft.values, file};
    }
  }
  return found;
}

[[noreturn]] void refuse_unknown(const std::string& name, const std::vector<fs::path>& folders,
                                 const fs::path& results) {
  std::vector<std::string> known, places{results.string()}, help;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(results, code)) {
    if (is_file(entry.path() / "spec.json")) known.push_back(entry.path().filename().string());
  }
  for (const auto& folder : folders) {
    places.push_back((folder / "*.toml").string());
    for (const auto& file : toml_files(folder)) {
      try {
        known.push_back(text_at(load_toml(file).values, "name"));
      } catch (const Error& error) {
        help.push_back(fmt::format("correct {}: {}", error.where(), error.problem()));
      }
    }
  }
  const auto near = nearest(name, known);
  if (!near.empty()) help.insert(help.begin(), fmt::format("did you mean '{}'?", near));
  if (help.empty()) help.emplace_back("name an existing run or experiment, or write the path");
  throw Error("", fmt::format("there is no such run or experiment in {}", fmt::join(places, ", ")),
              fmt::format("{}", fmt::join(help, "; ")));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> stage_names(const json& values) {
  std::vector<std::string> labels{text_at(value_at(values, "dataset"), "plugin")};
  for (const auto& stage : value_at(values, "stages")) {
    const auto label = text_at(stage, "label");
    labels.push_back(label.empty() ? text_at(stage, "plugin") : label);
  }
  std::vector<std::pair<std::string, std::string>> names;
  for (size_t i = 0; i < labels.size(); ++i) names.emplace_back(labels[i], fmt::format("{:02}-{}", i, labels[i]));
  return names;
}

std::string checkpoint_of(const json& values) {
  const json validation = value_at(values, "validation");
  const bool validates = !value_at(validation, "every").is_null();
  return validates && text_at(validation, "keep") != "last" ? "checkpoints/best" : "checkpoints/last";
}

std::string input_path(const RunInput& run, bool want_folder) {
  if (want_folder) return run.folder.string();
  const auto task = text_at(run.values, "task");
  if (task == "data") return (run.folder / "stages" / (stage_names(run.values).back().second + ".jsonl")).string();
  if (task == "sft" || task == "grpo") return (run.folder / checkpoint_of(run.values)).string();
  throw Error("",
              fmt::format("its task is {}, which writes no model and no records", show(value_at(run.values, "task"))),
              "name a run that trains a model or produces records");
}

std::vector<fs::path> experiment_folders(const Draft& draft, const std::string& setting) {
  const auto origin = draft.origin_of(setting);
  std::vector<fs::path> files{origin.substr(0, origin.rfind(':'))}, folders;
  for (const auto& [name, text] : draft.sources) files.emplace_back(name);
  const auto add = [&](const fs::path& folder) {
    std::error_code code;
    const bool known = std::find(folders.begin(), folders.end(), folder) != folders.end();
    if (!known && fs::is_directory(folder.empty() ? "." : folder, code)) folders.push_back(folder);
  };
  const auto add_all = [&](const fs::path& folder) {
    add(folder);
    const char* home = std::getenv("COMPEER_HOME");
    if (home && *home && folder.is_relative()) add((fs::path(home) / folder).lexically_normal());
  };
  for (const auto& file : files) {
    if (file.extension() == ".toml" || file.extension() == ".lua") add_all(file.parent_path());
  }
  add_all("experiments");
  return folders;
}

RunInput find_run(const std::string& name, const std::vector<fs::path>& folders, const RunPlaces& places) {
  if (const auto made = places.made ? places.made(name) : std::nullopt) return *made;
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
  };
  if (name.empty() || name[0] == '.' || !std::all_of(name.begin(), name.end(), plain))
    throw Error("", "not a valid name of a run",
                "use letters, digits, '.', '_' and '-'; write a path as a string, without { run = ... }");
  RunInput run{name, places.results / name, {}, {}};
  const auto recorded = run.folder / "spec.json";
  run.finished = is_file(recorded) && is_file(run.folder / "summary.json");
  if (!run.finished) {
    if (const auto experiment = find_experiment(run, folders)) return *experiment;
  }
  if (!is_file(recorded)) refuse_unknown(name, folders, places.results);
  run.file = recorded;
  run.values = read_spec(recorded).values;
  return run;
}

namespace {

class AfterInputs {
 public:
  AfterInputs(const Catalog& catalog, const RunPlaces& places, const MakeRun& make, const MayBeMissing& may_miss,
              const std::vector<Change>& changes)
      : catalog_(catalog), make_(make), may_miss_(may_miss), changes_(changes) {
    places_.results = places.results;
    if (places.note)
      places_.note = [this, &places](const std::string& text) {
        if (noted_.insert(text).second) places.note(text);
      };
    places_.made = [this, &places](const std::string& name) {
      const auto known = made_.find(name);
      if (known != made_.end()) return std::optional(known->second);
      return places.made ? places.made(name) : std::nullopt;
    };
  }

  Spec resolve(const Draft& draft) {
    auto spec = spec::resolve(draft, catalog_, places_);
    const auto name = spec.values.at("name").get<std::string>();
    chain_.push_back(name);
    bool moved = false;  // a run is in another folder than expected, so the spec's paths are out of date
    for (const auto& [setting, run] : spec.runs) {
      if (run.finished && !run.file.empty()) compare(draft, setting, run);
      if (run.finished || run.file.empty()) continue;
      if (!made_.contains(run.name)) make(name, setting, run, draft.origin_of(setting));
      moved = moved || made_.at(run.name).folder != run.folder;
    }
    chain_.pop_back();
    if (moved) spec = spec::resolve(draft, catalog_, places_);
    pin_inputs(spec, may_miss_);
    return spec;
  }

 private:
  // Notes the settings in which a finished run differs from its experiment, if that exists and is valid.
  void compare(const Draft& draft, const std::string& setting, const RunInput& run) {
    if (!places_.note) return;
    try {
      const auto experiment = find_experiment(run, experiment_folders(draft, setting));
      if (!experiment) return;
      auto now = spec::resolve(with(load_toml(experiment->file), changes_), catalog_, places_);
      pin_inputs(now, may_miss_);
      std::vector<std::string> settings;
      for (const auto& one : diff(read_spec(run.file), now)) settings.push_back(one.path);
      if (settings.empty()) return;
      places_.note(fmt::format("'{}' reads {}, which was run with other settings than {} has now: {}", setting,
                               run.folder.string(), experiment->file.string(), fmt::join(settings, ", ")));
    } catch (const Error&) {
    }
  }

  void make(const std::string& name, const std::string& setting, const RunInput& run, const std::string& origin) {
    if (const auto start = std::find(chain_.begin(), chain_.end(), run.name); start != chain_.end())
      throw Error(origin,
                  fmt::format("'{}': these runs need each other: {} -> {}", setting,
                              fmt::join(std::vector<std::string>(start, chain_.end()), " -> "), run.name),
                  "change one of them to name another run, or the path of existing models or records");
    const bool begun = run.file.extension() == ".json";
    const auto input = resolve(begun ? read_spec(run.file).draft() : with(load_toml(run.file), changes_));
    made_[run.name] = make_(input, fmt::format("{} ({}) needs {}", name, setting, run.name));
  }

  const Catalog& catalog_;
  RunPlaces places_;
  const MakeRun& make_;
  const MayBeMissing& may_miss_;
  const std::vector<Change>& changes_;
  std::map<std::string, RunInput> made_;
  std::set<std::string> noted_;     // sentences that the caller has got
  std::vector<std::string> chain_;  // names of the runs being resolved; each needs the next
};

}  // namespace

Spec resolve_after_inputs(const Draft& draft, const Catalog& catalog, const RunPlaces& places, const MakeRun& make,
                          const MayBeMissing& may_miss, const std::vector<Change>& changes) {
  return AfterInputs(catalog, places, make, may_miss, changes).resolve(draft);
}

}  // namespace compeer::spec
