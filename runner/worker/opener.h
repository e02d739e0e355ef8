#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "inference/open_plugin.h"
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

}  // namespace compeer::worker
