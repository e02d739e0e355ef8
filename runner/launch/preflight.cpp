// Checks and estimates before runs start, computed by a separate worker process.
#include "launch/preflight.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/signals.h"
#include "launch/worker_program.h"
#include "record/checkpoint.h"
#include "spec/dotted.h"
#include "spec/text.h"

namespace compeer::launch {

using nlohmann::json;
using spec::Spec;

namespace {

constexpr double open_patience = 300;  // seconds, for all plugins

// Throws Error (exit 4) for a model folder whose files differ from those that a run has written.
void refuse_changed(const Spec& spec) {
  for (const auto& [path, folder] : spec.files()) {
    if (const auto what = record::changed_model(folder); !what.empty())
      throw Error(folder, fmt::format("{}: {}", path, what),
                  "use another checkpoint; if you changed this one yourself, delete its manifest.json", Exit::data);
  }
}

// Returns the settings that name files which don't exist yet, because another run will write them.
json missing_of(const Spec& spec) {
  const auto inputs = spec.values.value("inputs", json::object());
  json missing = json::array();
  for (const auto& path : spec.paths) {
    if (!inputs.contains(path) && !path.starts_with("model.")) missing.push_back(path);
  }
  return missing;
}

// Sets the value at this path to null if it is in `all`.
void forget(json& all, const std::string& path) {
  json* value = &all;
  for (const auto& [key, is_index, index] : spec::parse_path(path, "")) {
    if (is_index ? !value->is_array() || index >= value->size() : !value->contains(key)) return;
    value = is_index ? &value->at(index) : &value->at(key);
  }
  *value = nullptr;
}

// Returns a key that is equal for specs whose plugins are constructed in the same way, such as those of a study's
// seeds. Contents of models and names of files that don't exist yet are not part of it.
std::string what_matters(const Spec& spec) {
  const json missing = missing_of(spec);
  json all = {{"missing", missing}, {"inputs", spec.values.value("inputs", json::object())}};
  for (const char* key : {"task", "dataset", "rewards", "reweighting", "stages", "validation"}) {
    if (spec.values.contains(key)) all[key] = spec.values.at(key);
  }
  const auto& task = spec.values.at(spec.values.at("task").get<std::string>());
  for (const char* key : {"split", "splits"}) {
    if (task.contains(key)) all[key] = task.at(key);
  }
  if (spec.values.contains("model")) all["model"] = spec.values.at("model").at("plugin");
  for (const auto& path : spec.paths) {
    if (path.starts_with("model.")) all["inputs"].erase(path);
  }
  for (const auto& path : missing) forget(all, path.get<std::string>());
  return all.dump();
}

// Throws Error for a worker that ended without an error message of its own.
[[noreturn]] void tell_ending(const ProgramOutput& done) {
  const auto at = last_line(done.text, "opening");
  if (at.is_null()) output_or_throw(find_worker(), done);  // throws
  const auto what = done.exit == 128 + SIGKILL
                        ? fmt::format("did not return within {} seconds, or was killed", open_patience)
                    : done.exit > 128 ? fmt::format("crashed ({})", signal_name(done.exit - 128))
                                      : fmt::format("ended the process with code {}", done.exit);
  throw Error(fmt::format("run '{}': {}", at.at("run").get<std::string>(), at.at("opening").get<std::string>()),
              what + " when it was opened", "run compeer plugins check to find the place", Exit::plugin);
}

std::vector<std::vector<std::string>> ask(const std::vector<Spec>& specs) {
  json list = json::array();
  for (const auto& spec : specs)
    list.push_back({{"file", json::parse(spec.file_text())}, {"missing", missing_of(spec)}});
  const auto done = run_worker("open_plugins", list.dump(), arithmetic_environment(1), open_patience);
  if (done.exit > 128 || (done.exit != 0 && done.text.find("compeer: error: ") == std::string::npos)) tell_ending(done);
  output_or_throw(find_worker(), done);
  const auto said = last_line(done.text, "columns");
  if (said.is_null()) return std::vector<std::vector<std::string>>(specs.size());
  return said.at("columns").get<std::vector<std::vector<std::string>>>();
}

constexpr double preview_patience = 120;  // seconds

std::string gib(const json& mib) { return fmt::format("{:.3g} GiB", mib.get<double>() / 1024); }

std::string lines_of(const json& preview) {
  std::string text;
  const auto line = [&](const std::string& one) { text += "    " + one + "\n"; };
  std::vector<std::string> splits, unknown;
  for (const auto& [split, count] : preview.at("records").items())
    splits.push_back(fmt::format("{} {}", split, count.get<int64_t>()));
  if (!splits.empty()) line(fmt::format("records: {}", fmt::join(splits, ", ")));
  if (preview.contains("memory")) {
    const json& memory = preview.at("memory");
    auto each = "memory of a rank: " + gib(memory.at("cpu")) + " on CPUs";
    if (preview.at("device").get<bool>())
      each += fmt::format("; {} of GPU memory and {} of host memory with a GPU", gib(memory.at("device")),
                          gib(memory.at("host")));
    line(each);
  }
  for (const auto& what : preview.at("unknown")) unknown.push_back(spec::printable(what.get<std::string>(), 200));
  if (!unknown.empty()) line(fmt::format("not known yet: {}", fmt::join(unknown, ", ")));
  return text;
}

}  // namespace

std::vector<std::vector<std::string>> PluginTrial::columns(const std::vector<Spec>& specs) {
  std::vector<Spec> unknown;
  std::set<std::string> asked;
  for (const auto& spec : specs) {
    const auto key = what_matters(spec);
    if (!known_.contains(key) && asked.insert(key).second) unknown.push_back(spec);
    if (unmodified_.insert(spec.values.value("inputs", json::object()).dump()).second) refuse_changed(spec);
  }
  if (!unknown.empty()) {
    const auto found = ask(unknown);
    for (size_t i = 0; i < unknown.size(); ++i) known_[what_matters(unknown[i])] = found.at(i);
  }
  std::vector<std::vector<std::string>> all;
  for (const auto& spec : specs) all.push_back(known_.at(what_matters(spec)));
  return all;
}

void Preview::add(const spec::Spec& spec, const std::string& folder) {
  names_.push_back(spec.values.at("name").get<std::string>());
  runs_.push_back({{"file", json::parse(spec.file_text())}, {"folder", folder}});
}

std::string Preview::text() const {
  if (runs_.empty()) return "";
  const auto done = run_worker("preview", runs_.dump(), arithmetic_environment(1), preview_patience);
  const auto said = last_line(done.text, "previews");
  if (said.is_null()) return "\nrecords and memory can't be estimated\n";
  std::string text = "\nestimated:\n";
  for (size_t i = 0; i < names_.size(); ++i) text += names_[i] + "\n" + lines_of(said.at("previews").at(i));
  return text;
}

}  // namespace compeer::launch
