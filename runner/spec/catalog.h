#pragma once
#include <string>
#include <vector>

#include "spec/schema.h"

namespace compeer::spec {

/// A plugin as its descriptor tells it; nothing of the library has run.
struct PluginInfo {
  std::string kind, name, version, path, sha256;
  Schema parameters;
};

/// What plugins there are. The room plugin/ looks into folders; tests bring their own.
class Catalog {
 public:
  virtual ~Catalog() = default;

  /// Names of all plugins of a kind, sorted, the broken ones too.
  virtual std::vector<std::string> names(const std::string& kind) const = 0;

  /// Asked only for names out of `names(kind)`. Throws Error (exit 5) naming file and cause if the file is broken.
  virtual PluginInfo find(const std::string& kind, const std::string& name) const = 0;

  /// Where plugins of a kind were looked for, as lines that end a message: each begins with a newline.
  virtual std::string searched(const std::string&) const { return ""; }
};

}  // namespace compeer::spec
