#include "inference/use_options.h"

#include "inference/device.h"
#include "inference/end_tokens.h"

namespace compeer::inference {

ModelOptions model_options(const nlohmann::json& options) {
  const auto asked = options.at("engine").get<std::string>();
  const auto device = use_device_option(options.at("device"), asked.empty() ? "libtorch" : asked);
  return {.folder = options.at("model").get<std::string>(),
          .precision = options.at("dtype"),
          .compute = options.at("compute"),
          .engine = !asked.empty()    ? asked
                    : device == "cpu" ? "exact"
                                      : "libtorch",
          .device = device};
}

rollout::Request request_from(const nlohmann::json& options) {
  rollout::Request request;
  request.sampling.temperature = options.at("temperature");
  request.sampling.greedy = options.at("greedy");
  request.sampling.top_k = options.at("top_k");
  request.sampling.top_p = options.at("top_p");
  request.sampling.min_p = options.at("min_p");
  request.sampling.repetition_penalty = options.at("repetition_penalty");
  request.sampling.max_new_tokens = options.at("max_new");
  request.seed = options.at("seed");
  if (!options.at("ignore_end").get<bool>()) request.end_tokens = end_tokens(options.at("model").get<std::string>());
  return request;
}

}  // namespace compeer::inference
