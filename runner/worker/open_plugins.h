#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "inference/services.h"

// Checks of planned runs before they start. A spec is the set of all settings of a run; some of its tables select a
// plugin, a library that is loaded at run time, and contain the plugin's settings. spec.json is the file with the spec
// and the paths of its plugins' libraries. The front end is the program compeer, which starts this worker process.

namespace compeer::worker {

/// Base class for opening the plugins of specs outside of runs. No model is loaded: language models that
/// plugins ask for throw when they are called. Prints the name of each plugin on standard output before it is opened,
/// so that the front end can attribute a crash.
class PluginPreflight {
 public:
  PluginPreflight();
  PluginPreflight(const PluginPreflight&) = delete;
  PluginPreflight& operator=(const PluginPreflight&) = delete;

 protected:
  ~PluginPreflight() = default;

  /// Selects the spec for the following calls. `spec_file`: contents of spec.json, with "spec" and "plugins".
  void begin(const nlohmann::json& spec_file);

  /// Opens the plugin of kind T that `table` selects, with the settings in `table`. Throws Error if that fails.
  template <class T>
  plugin::Plugin<T> opened(const nlohmann::json& table) {
    const auto chosen = announced(T::kind, table);
    return plugin::open<T>(chosen, Settings(table), std::make_unique<plugin::RunHost>(chosen, services_));
  }

  /// Only loads the library of the plugin that `table` selects; does not construct an object.
  template <class T>
  void load(const nlohmann::json& table) {
    plugin::Library(announced(T::kind, table), T::kind);
  }

 private:
  // Prints the plugin's name and returns its library. `kind`: "rewards".
  plugin::PluginFile announced(const std::string& kind, const nlohmann::json& table) const;

  std::string run_;            // name of the current run
  nlohmann::json plugins_;     // list "plugins" of the current spec.json: kind, name, path and SHA-256 of each library
  plugin::Services services_;  // functions that plugins can call
};

/// Checks the plugins of planned runs. `options`: {"input": file with a list of {"file": contents of a spec.json,
/// "missing": paths of the settings that name files which don't exist yet}}. Opens every plugin as a run does, and
/// calls what a run calls before its first step: the columns of rewards and reweightings, the cache_key of stages, the
/// sizes of splits. Of models, and of plugins whose files are missing, only the library is loaded; a model's tokenizer
/// is checked. Prints {"opening": "rewards/length", "run": name} before each plugin, and finally {"columns": [...]}:
/// for each spec a list of the names of its metrics, as far as they are known. Returns 0. Throws Error, with the run's
/// name, for the first problem.
int preflight(const nlohmann::json& options);

}  // namespace compeer::worker
