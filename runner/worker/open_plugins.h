#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "inference/services.h"

namespace compeer::worker {

/// Base class for opening the plugins of specs outside of runs. No model is loaded: the host's language models throw
/// when they are called. Prints the name of each plugin on standard output before it is opened, so that the front end
/// can attribute a crash.
class PluginPreflight {
 public:
  PluginPreflight();
  PluginPreflight(const PluginPreflight&) = delete;
  PluginPreflight& operator=(const PluginPreflight&) = delete;

 protected:
  ~PluginPreflight() = default;

  /// Selects the spec for the following calls. `spec_file`: contents of spec.json, with "spec" and "plugins".
  void begin(const nlohmann::json& spec_file);

  /// Opens the plugin of a table of settings.
  template <class T>
  plugin::Plugin<T> opened(const nlohmann::json& table) {
    const auto chosen = announced(T::kind, table);
    return plugin::open<T>(chosen, Settings(table), std::make_unique<plugin::RunHost>(chosen, services_));
  }

  /// Only loads the library of a plugin.
  template <class T>
  void load(const nlohmann::json& table) {
    plugin::Library(announced(T::kind, table), T::kind);
  }

 private:
  plugin::PluginFile announced(const std::string& kind, const nlohmann::json& table) const;

  std::string run_;
  nlohmann::json plugins_;
  plugin::Services services_;
};

/// Preflight check of the plugins of planned runs (launch/preflight.h). `options`: {"input": file with a list of
/// {"file": contents of a spec.json, "missing": paths of the settings that name files which don't exist yet}}. Opens
/// every plugin as a run does, and calls what a run calls before its first step: the columns of rewards and
/// reweightings, the cache_key of stages, the sizes of splits. Of models, and of plugins whose files are missing,
/// only the library is loaded; a model's tokenizer is checked. Prints {"opening": "rewards/length", "run": name} before
/// each plugin, and finally {"columns": [...]}: for each spec a list of the names of its metrics, as far as they are
/// known. Returns 0. Throws Error, with the run's name, for the first problem.
int preflight(const nlohmann::json& options);

}  // namespace compeer::worker
