// compeer resolve: prints the specs that a file or script would run.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "app/commands.h"
#include "launch/preflight.h"
#include "launch/script_actions.h"
#include "plugin/search.h"
#include "spec/spec.h"
#include "spec/text.h"

namespace compeer::app {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

struct ResolveOptions {
  std::string file, other;
  std::vector<std::string> sets;
  bool as_json = false, as_toml = false, origins = false;
};

// True for a recorded spec (of a run) without changes: it is shown as recorded and not resolved again.
bool is_record(const std::string& file, const std::vector<std::string>& sets) {
  return sets.empty() && spec::recorded_spec(file).has_value();
}

spec::Spec resolved(const std::string& file, const std::vector<std::string>& sets) {
  if (is_record(file, sets)) return spec::read_spec(*spec::recorded_spec(file));
  const auto note = [](const std::string& text) { std::cerr << fmt::format("compeer: note: {}\n", text); };
  auto spec = spec::resolve(spec::load_draft(file, sets), plugin::Finder(), {"results", nullptr, note});
  spec::pin_inputs(spec, [](const std::string&) { return true; });
  for (const auto& path : spec.paths) {
    if (spec.values.value("inputs", json::object()).contains(path)) continue;
    std::cerr << fmt::format("compeer: note: '{}' does not exist yet; the hash will change when it does\n", path);
  }
  return spec;
}

// "0.2 (default)", "(none)"
std::string told(const json& value, const std::string& origin) {
  return value.is_discarded() ? "(none)"
                              : fmt::format("{} ({})", spec::show(value), origin.empty() ? "unknown" : origin);
}

void print_differences(const std::vector<spec::Difference>& differences, bool as_json) {
  if (!as_json) {
    for (const auto& one : differences) {
      std::cout << fmt::format("{}: {} -> {}\n", one.path, told(one.before, one.before_origin),
                               told(one.after, one.after_origin));
    }
    return;
  }
  auto list = nlohmann::ordered_json::array();
  for (const auto& one : differences) {
    nlohmann::ordered_json entry = {{"key", one.path}};
    if (!one.before.is_discarded()) entry["before"] = one.before, entry["before_origin"] = one.before_origin;
    if (!one.after.is_discarded()) entry["after"] = one.after, entry["after_origin"] = one.after_origin;
    list.push_back(entry);
  }
  std::cout << list.dump(2) << '\n';
}

bool is_script(const std::string& file) { return fs::path(file).extension() == ".lua"; }

// Returns the spec of a file, or all specs that a script would launch.
std::vector<spec::Spec> all_specs(const ResolveOptions& options) {
  if (is_script(options.file)) return launch::plan_script(options.file, options.sets);
  std::vector<spec::Spec> one{resolved(options.file, options.sets)};
  if (!is_record(options.file, options.sets)) launch::PluginTrial().columns(one);
  return one;
}

int compare(const ResolveOptions& options) {
  for (const auto& file : {options.file, options.other}) {
    if (is_script(file))
      throw Error(file, "is a script, which --diff can't compare", "name a TOML file or a run", Exit::usage);
  }
  const auto spec = resolved(options.file, options.sets);
  print_differences(spec::diff(spec, resolved(options.other, {})), options.as_json);
  return 0;
}

// Prints the spec of a file as spec.json, those of a script as a list.
void print_specs_json(const std::vector<spec::Spec>& specs, bool as_list) {
  if (as_list) std::cout << "[";
  for (size_t i = 0; i < specs.size(); ++i) std::cout << (i ? "," : "") << specs[i].file_text();
  if (as_list) std::cout << "]\n";
}

int resolve(const ResolveOptions& options) {
  if (!options.other.empty()) return compare(options);
  const auto specs = all_specs(options);
  if (options.as_json) {
    print_specs_json(specs, is_script(options.file));
    return 0;
  }
  for (const auto& spec : specs) {
    std::cout << (&spec == &specs[0] ? "" : "\n\n") << "# sha256 " << spec.sha256() << '\n'
              << spec.toml(options.origins);
  }
  return 0;
}

}  // namespace

void add_resolve(CLI::App& command, Action& action) {
  auto options = std::make_shared<ResolveOptions>();
  command.add_option("FILE", options->file, "a TOML file, a Lua script, a spec.json or the folder of a run")
      ->required();
  command.add_option("--set", options->sets, "change a value: --set grpo.lr=1e-4 (repeatable); KEY=null unsets it")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  auto* as_json = command.add_flag("--json", options->as_json,
                                   "as spec.json: values, hash, origins, plugins, sources; for a script, a list");
  command.add_flag("--toml", options->as_toml, "as TOML that resolves to the same spec (the default)")
      ->excludes(as_json);
  command.add_flag("--origins", options->origins, "print the origin of each value after it");
  command.add_option("--diff", options->other, "print only the differences to OTHER, with both values and origins")
      ->type_name("OTHER");
  command.callback([options, &action] { action = [options] { return resolve(*options); }; });
}

}  // namespace compeer::app
