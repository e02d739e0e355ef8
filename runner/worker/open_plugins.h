#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "inference/services.h"

namespace compeer::worker {

/// Opens plugins of specs outside of runs, where no model is read: the host's language models say nothing. Each is
/// announced on standard output, so that whoever reads it knows which one crashed.
class Opener {
 public:
  Opener();
  Opener(const Opener&) = delete;
  Opener& operator=(const Opener&) = delete;

 protected:
  ~Opener() = default;

  /// The spec whose plugins the next calls open: {"spec", "plugins"}.
  void begin(const nlohmann::json& spec_file);

  template <class T>
  plugin::Plugin<T> opened(const nlohmann::json& table) {
    const auto chosen = announced(T::kind, table);
    return plugin::open<T>(chosen, Settings(table), std::make_unique<plugin::RunHost>(chosen, services_));
  }

  /// The library alone.
  template <class T>
  void load(const nlohmann::json& table) {
    plugin::Library(announced(T::kind, table), T::kind);
  }

 private:
  plugin::Chosen announced(const std::string& kind, const nlohmann::json& table) const;

  std::string run_;
  nlohmann::json plugins_;
  plugin::Services services_;
};

/// What a run's plugins are tried with before anything is spent (launch/preflight.h). OPTIONS: {"input": a file with
/// a list of {"file": as spec.json, "missing": paths of values that name files which aren't there yet}}. Makes every
/// plugin as a run does and asks it what it is asked before the first step: rewards and reweightings for their columns,
/// stages for what they depend on. No language model is read: a model's library is loaded and its tokenizer is checked,
/// judges get a speaker that can't speak. Of plugins whose files are missing the library is loaded. Prints {"opening":
/// "rewards/length", "run": name} before each, and at last {"columns": [names of a run's figures, as far as they are
/// known beforehand], ...}, a list for each spec.
int open_plugins(const nlohmann::json& options);

}  // namespace compeer::worker
