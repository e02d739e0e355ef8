#include "inference/open_model.h"

#include <fmt/format.h>

#include "inference/language_model.h"
#include "plugin/search.h"
#include "spec/printable.h"

namespace compeer::inference {

OpenModel::OpenModel(const ModelOptions& options) {
  services.log = [](const std::string& name, const std::string& line) {
    fmt::print(stderr, "{}: {}\n", name, spec::printable_lines(line));
  };
  services.cancelled = [] { return false; };
  const auto name = model_plugin_of(options.folder);
  const auto found = plugin::Finder().get("models", name);
  const plugin::Chosen chosen{"models", name, found.path, found.sha256};
  const Settings settings({{"plugin", name},
                           {"path", options.folder.string()},
                           {"config", nullptr},
                           {"frozen", options.frozen},
                           {"precision", options.precision},
                           {"engine", options.engine},
                           {"rotary_precision", options.rotary_precision}});
  plugin = std::make_unique<plugin::Plugin<Model>>(
      plugin::open<Model>(chosen, settings, std::make_unique<plugin::RunHost>(chosen, services)));
  plugin->call("head", [&](Model& model) { policy = std::make_unique<rollout::Policy>(model); });
  policy->forward = [this](const Batch& batch, Cache* cache) {
    return plugin->call("forward", [&](Model& model) { return model.forward(batch, cache); });
  };
}

}  // namespace compeer::inference
