#include "inference/open_plugin.h"

#include <fmt/format.h>

#include "plugin/search.h"
#include "spec/printable.h"

namespace compeer::inference {

plugin::Services command_services() {
  plugin::Services services;
  services.log = [](const std::string& name, const std::string& line) {
    fmt::print(stderr, "{}: {}\n", name, spec::printable_lines(line));
  };
  services.cancelled = [] { return false; };
  services.find = [](const std::string& kind, const std::string& name) {
    const auto found = plugin::Finder().get(kind, name);
    return plugin::Chosen{found.kind, found.name, found.path, found.sha256};
  };
  return services;
}

}  // namespace compeer::inference
