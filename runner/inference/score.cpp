#include "inference/score.h"

#include <fmt/format.h>

#include <map>

#include "inference/in_order.h"
#include "inference/model_input.h"
#include "inference/use_options.h"

namespace compeer::inference {

int score(const nlohmann::json& options) {
  OpenModel model(model_options(options));
  const ModelInput input(options.at("model").get<std::string>(), model, options.value("special", false));
  PromptLines lines(input, false, 0);
  InOrder output;
  std::map<size_t, std::string> ids;  // of texts that did not come as ids
  size_t count = 0;
  rollout::Request request;
  request.sampling.concurrent = options.at("batch");
  const auto next = [&](rollout::Prompt& prompt, bool wait) {
    const auto supply = lines.next(prompt, wait);
    if (supply != rollout::Supply::prompt) return supply;
    if (!lines.gave_ids()) ids[count] = fmt::format("\"ids\":{},", nlohmann::json(prompt.tokens).dump());
    ++count;
    return supply;
  };
  rollout::Engine(*model.policy).score(next, request, [&](size_t text, const std::vector<float>& log_probs) {
    const auto known = ids.extract(text);
    output.put(text, fmt::format("{{{}\"logprobs\":{}}}", known ? known.mapped() : "", json_floats(log_probs)));
  });
  lines.finish();
  return 0;
}

}  // namespace compeer::inference
