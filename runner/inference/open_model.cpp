// Opens a model folder with the plugin that its config.json names.
#include "inference/open_model.h"

#include "inference/language_model.h"
#include "inference/services.h"

namespace compeer::inference {

OpenModel::OpenModel(const ModelOptions& options) : services(command_services()) {
  nlohmann::json settings{{"path", options.folder.string()}, {"frozen", options.frozen},
                          {"merger", options.merger},        {"precision", options.precision},
                          {"engine", options.engine},        {"rotary_precision", options.rotary_precision}};
  if (options.compute != "float32") settings["compute"] = options.compute;
  if (options.recompute_above >= 0) settings["recompute_above"] = options.recompute_above;
  if (options.device != "cpu") settings["device"] = options.device;
  if (options.adapter > 0)
    settings["adapter"] = {{"path", nullptr},
                           {"rank", options.adapter},
                           {"alpha", 2.0 * static_cast<double>(options.adapter)},
                           {"rslora", false},
                           {"targets", {"*"}}};
  plugin =
      std::make_unique<plugin::Plugin<Model>>(open_plugin<Model>(model_plugin_of(options.folder), settings, services));
  plugin->call("head", [&](Model& model) { policy = std::make_unique<rollout::Policy>(model); });
  policy->forward = [this](const Batch& batch, Cache* cache) {
    return plugin->call("forward", [&](Model& model) { return model.forward(batch, cache); });
  };
}

int32_t OpenModel::add_adapter(const std::filesystem::path& adapter) {
  return plugin->call("add_adapter", [&](Model& model) {
    return plugin::optional_interface<ManyAdapters>(model, "does not support additional adapters")
        .add_adapter(adapter.string());
  });
}

}  // namespace compeer::inference
