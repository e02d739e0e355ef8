// compeer generate and compeer score: the worker does the work (inference/generate.h, inference/score.h).
#include <algorithm>

#include "app/commands.h"
#include "app/model_options.h"
#include "base/error.h"
#include "launch/become_worker.h"

namespace compeer::app {

namespace {

constexpr const char* kInput = R"(
Standard input: a JSON object a line,
  {"ids": [1, 2, 3]}                     tokens
  {"text": "Once upon"}                  text to go on with
  {"messages": [{"role": "user", "content": "Hello"}]}
                                         a conversation, by the model's chat template
Special tokens such as <|im_end|> in what people wrote are plain text unless --special is given.
A mistake in a line ends the program with exit code 4, after the lines before it have been answered.)";

constexpr const char* kGenerated = R"(
Standard output: for each line, in order, {"ids": [new ids], "text": "...", "logprobs": [...]}. Log-probabilities are
natural logarithms under the tempered distribution over the whole vocabulary, before filters and penalties.
A completion depends on the seed, the number of its prompt and of its sample, and nothing else: not on --batch, if the
engine is exact.
Sampling is neither tempered nor filtered unless asked for, whatever generation_config.json says.)";

constexpr const char* kScored = R"(
Standard output: for each line, in order, {"logprobs": [...]}: the natural-log probability of every token but the first
given what stands before it, as the shortest decimal that reads back to the same float32. For input other than ids,
"ids" too.)";

struct GenerateOptions {
  ModelChoice model;
  SamplingChoice sampling;
  std::vector<std::string> stop;
  int64_t batch = 16, samples = 1;
  bool special = false;
};

int generate(const GenerateOptions& options) {
  auto all = options.model.checked();
  options.sampling.write(all);
  if (std::count(options.stop.begin(), options.stop.end(), "") > 0)
    throw Error("--stop", "an empty string would stop every completion immediately", "", Exit::usage);
  all.update(
      {{"stop", options.stop}, {"batch", options.batch}, {"samples", options.samples}, {"special", options.special}});
  launch::become_worker("generate", all, options.model.threads);
}

int score(const GenerateOptions& options) {
  auto all = options.model.checked();
  all.update({{"batch", options.batch}, {"special", options.special}});
  launch::become_worker("score", all, options.model.threads);
}

void add_common(CLI::App& command, GenerateOptions& options) {
  command.add_flag("--special", options.special, "recognise special tokens in what people wrote");
  command
      .add_option("--batch", options.batch,
                  "sequences computed at once; results of the exact engine do not depend on it")
      ->check(CLI::Range(1, 65536))
      ->type_name("B")
      ->capture_default_str();
}

}  // namespace

void add_generate(CLI::App& command, Action& action) {
  auto options = std::make_shared<GenerateOptions>();
  options->model.add_to(command);
  options->sampling.add_to(command);
  add_common(command, *options);
  command.add_option("--samples", options->samples, "completions of each prompt: a line each, with \"sample\" from 0")
      ->check(CLI::Range(1, 65536))
      ->type_name("G")
      ->capture_default_str();
  command
      .add_option("--stop", options->stop,
                  "a completion ends when it contains TEXT, which \"text\" leaves out (repeatable)")
      ->type_name("TEXT")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.footer(std::string(kInput) + "\n" + kGenerated);
  command.callback([options, &action] { action = [options] { return generate(*options); }; });
}

void add_score(CLI::App& command, Action& action) {
  auto options = std::make_shared<GenerateOptions>();
  options->model.add_to(command);
  add_common(command, *options);
  command.footer(std::string(kInput) + "\n" + kScored);
  command.callback([options, &action] { action = [options] { return score(*options); }; });
}

}  // namespace compeer::app
