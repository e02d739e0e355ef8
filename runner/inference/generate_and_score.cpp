// The commands `compeer generate` and `compeer score`: streams of JSON lines through the engine.
#include "inference/generate_and_score.h"

#include <fmt/format.h>

#include <map>

#include "inference/command_options.h"
#include "inference/json_lines.h"
#include "inference/model_input.h"
#include "language/text_stream.h"

namespace compeer::inference {

namespace {

using nlohmann::json;

class Generate {
 public:
  explicit Generate(const json& options)
      : model_(model_options(options)),
        input_(options.at("model").get<std::string>(), model_, options.value("special", false)),
        stops_(options.at("stop").get<std::vector<std::string>>()),
        request_(request_from(options)) {
    request_.group_size = options.at("samples");
    request_.sampling.concurrent = options.at("batch");
    if (!stops_.empty()) {
      const auto& tokenizer = input_.needed_tokenizer();
      request_.rules = [&](uint32_t) {
        return rollout::CompletionRules{language::StopStrings(tokenizer, stops_).rule()};
      };
    }
  }

  int run() {
    PromptLines lines(input_, true, 1);
    const auto samples = static_cast<size_t>(request_.group_size);
    rollout::Engine(*model_.policy)
        .generate([&](rollout::Prompt& prompt, bool wait) { return lines.next(prompt, wait); }, request_,
                  [&](size_t prompt, uint32_t completion, const rollout::Sample& sample) {
                    output_.put(prompt * samples + completion, line_of(sample, completion));
                  });
    lines.finish();
    return 0;
  }

 private:
  std::string line_of(const rollout::Sample& sample, uint32_t completion) const {
    std::string line = fmt::format("{{\"ids\":{}", json(sample.tokens).dump());
    if (const auto* tokenizer = input_.tokenizer()) {
      const auto text = language::StopStrings::before(tokenizer->decode(sample.tokens), stops_);
      line += fmt::format(",\"text\":{}", json(text).dump());
    }
    line += fmt::format(",\"logprobs\":{}", json_floats(sample.log_probs));
    if (request_.group_size > 1) line += fmt::format(",\"sample\":{}", completion);
    return line + "}";
  }

  OpenModel model_;
  const ModelInput input_;
  const std::vector<std::string> stops_;
  rollout::Request request_;
  InOrder output_;
};

}  // namespace

int generate(const json& options) { return Generate(options).run(); }

int score(const nlohmann::json& options) {
  OpenModel model(model_options(options));
  const ModelInput input(options.at("model").get<std::string>(), model, options.value("special", false));
  PromptLines lines(input, false, 0);
  InOrder output;
  std::map<size_t, std::string> ids;  // by position: "ids" of texts that were not given as ids
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
