// compeer generate, score, chat and serve: check the options and replace this process by the worker, which implements
// them (inference/generate_and_score.h, inference/chat.h, serve/command.h).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "app/commands.h"
#include "base/error.h"
#include "base/model_folder.h"
#include "language/text.h"
#include "launch/worker_program.h"

namespace compeer::app {

namespace {

/// Options that select a model and how it is loaded and computed.
struct ModelChoice {
  std::string model, dtype = "stored", compute = "float32", engine, device = "cpu";
  int threads = 0;

  void add_to(CLI::App& command);
  /// Returns the options for the worker. Throws Error (exit 4) if `model` is no model folder, (exit 2) if options
  /// exclude each other.
  nlohmann::json checked() const;
};

/// Sampling options.
struct SamplingChoice {
  double temperature = 1.0, top_p = 1.0, min_p = 0.0, repetition_penalty = 1.0;
  int64_t top_k = 0, max_new = 256;
  uint64_t seed = 1;
  bool greedy = false, ignore_end = false;

  void add_to(CLI::App& command);
  void write(nlohmann::json& options) const;
};

enum class Zero { no, yes };

// Validates a number from 0 (allowed or not) to `most`. CLI::Range would accept NaN.
CLI::Validator share(Zero zero, double most, const std::string& text) {
  return CLI::Validator(
      [zero, most, text](const std::string& value) {
        double number = 0;
        const bool good = CLI::detail::lexical_cast(value, number) && number <= most &&
                          (number > 0 || (number == 0 && zero == Zero::yes));
        return good ? std::string() : "must be " + text + ", not " + value;
      },
      "");
}

void ModelChoice::add_to(CLI::App& command) {
  command.add_option("--model", model, "a model folder: config.json, *.safetensors, tokenizer files")
      ->required()
      ->type_name("DIR");
  command.add_option("--dtype", dtype, "type of the weights in memory; stored: as in the files")
      ->check(CLI::IsMember({"stored", "float32", "bfloat16", "q8_0", "q4_0"}))
      ->capture_default_str();
  command
      .add_option("--compute", compute,
                  "bfloat16: operands of matrix products are rounded to bfloat16, sums are float32")
      ->check(CLI::IsMember({"float32", "bfloat16"}))
      ->capture_default_str();
  command
      .add_option("--engine", engine,
                  "exact: results are bitwise independent of batch and threads; libtorch: plain tensor operations")
      ->check(CLI::IsMember({"exact", "libtorch"}))
      ->default_str("exact, on a GPU libtorch");
  command.add_option("--device", device, "device that computes; auto: a GPU if there is one")
      ->check(CLI::IsMember({"cpu", "cuda", "auto"}))
      ->capture_default_str();
  command.add_option("--threads", threads, "number of threads; default: all processors")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
}

nlohmann::json ModelChoice::checked() const {
  check_model_folder(model);
  const bool in_blocks = dtype == "q8_0" || dtype == "q4_0", by_libtorch = engine == "libtorch";
  const auto refuse = [](const std::string& one, const std::string& other, const std::string& help) {
    throw Error("--" + one, "can't be combined with --" + other, help, Exit::usage);
  };
  if (compute == "bfloat16" && in_blocks)
    refuse("compute bfloat16", "dtype " + dtype, "use --dtype bfloat16: q8_0 and q4_0 are multiplied in float32 only");
  if (device == "cuda" && engine == "exact")
    refuse("device cuda", "engine exact", "omit --engine: the exact engine computes on the CPU only");
  if (device == "cuda" && in_blocks)
    refuse("dtype " + dtype, "device cuda", "use --dtype bfloat16: q8_0 and q4_0 are supported on the CPU only");
  if (by_libtorch && in_blocks) refuse("dtype " + dtype, "engine libtorch", "use --engine exact");
  const auto& computes = device == "auto" && in_blocks ? "exact" : engine;  // blocks (q8_0, q4_0) run on the CPU only
  return {{"model", model}, {"dtype", dtype}, {"compute", compute}, {"engine", computes}, {"device", device}};
}

void SamplingChoice::add_to(CLI::App& command) {
  command.add_flag("--greedy", greedy, "greedy decoding: always take the most likely token");
  command.add_option("--temperature", temperature, "sampling temperature, which divides the logits")
      ->check(share(Zero::no, 100, "above 0 and at most 100 (use --greedy for greedy decoding)"))
      ->capture_default_str();
  command.add_option("--top-k", top_k, "sample from the K most likely tokens and those that tie with the last; 0: off")
      ->check(CLI::Range(0, INT32_MAX))
      ->type_name("K")
      ->capture_default_str();
  command
      .add_option("--top-p", top_p,
                  "sample from the smallest set of most likely tokens with total probability P; 1: off")
      ->check(share(Zero::no, 1, "above 0 and at most 1"))
      ->type_name("P")
      ->capture_default_str();
  command
      .add_option("--min-p", min_p,
                  "sample from tokens with at least P times the probability of the most likely; 0: off")
      ->check(share(Zero::yes, 1, "from 0 to 1"))
      ->type_name("P")
      ->capture_default_str();
  command
      .add_option("--repetition-penalty", repetition_penalty,
                  "values above 1 make tokens that occurred less likely; 1: off")
      ->check(share(Zero::no, 100, "above 0 and at most 100"))
      ->type_name("X")
      ->capture_default_str();
  command.add_option("--max-new", max_new, "maximum length of a completion in tokens")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--seed", seed, "random seed")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 62))
      ->type_name("S")
      ->capture_default_str();
  command.add_flag("--ignore-end", ignore_end, "continue after end tokens (eos_token_id), up to --max-new");
}

void SamplingChoice::write(nlohmann::json& options) const {
  options.update({{"greedy", greedy},
                  {"temperature", temperature},
                  {"top_k", top_k},
                  {"top_p", top_p},
                  {"min_p", min_p},
                  {"repetition_penalty", repetition_penalty},
                  {"max_new", max_new},
                  {"seed", seed},
                  {"ignore_end", ignore_end}});
}

constexpr const char* input = R"(
Standard input: one JSON object per line,
  {"ids": [1, 2, 3]}                     tokens
  {"text": "Once upon"}                  text to continue
  {"messages": [{"role": "user", "content": "Hello"}]}
                                         a conversation, rendered by the model's chat template
Special tokens such as <|im_end|> in texts and messages are read as plain text unless --special is given.
An invalid line ends the program with exit code 4, after the lines before it have been answered.)";

constexpr const char* generated = R"(
Standard output: for each line, in order, {"ids": [new ids], "text": "...", "logprobs": [...]}. Log-probabilities are
natural logarithms under the tempered distribution over the whole vocabulary, before filters and penalties.
With the exact engine, a completion depends only on the seed and on the indices of its prompt and its sample, not on
--batch.
Sampling uses temperature 1 and no filters unless options set them; generation_config.json is not used for sampling.)";

constexpr const char* scored = R"(
Standard output: for each line, in order, {"logprobs": [...]}: the natural logarithm of the probability of every token
except the first, given the tokens before it, as the shortest decimal that reads back as the same float32. If the input
is not ids, the output also contains "ids".)";

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
  launch::exec_worker("generate", all, options.model.threads);
}

int score(const GenerateOptions& options) {
  auto all = options.model.checked();
  all.update({{"batch", options.batch}, {"special", options.special}});
  launch::exec_worker("score", all, options.model.threads);
}

void add_common(CLI::App& command, GenerateOptions& options) {
  command.add_flag("--special", options.special, "recognise special tokens in texts and messages");
  command
      .add_option("--batch", options.batch, "batch size in sequences; results of the exact engine do not depend on it")
      ->check(CLI::Range(1, 65536))
      ->type_name("B")
      ->capture_default_str();
}

constexpr const char* about_chat = R"(
At a terminal: Ctrl-C ends a reply, Ctrl-D the conversation; /help lists commands. Without a terminal, every line of
standard input is answered. Replies go to standard output, everything else to standard error.)";

struct ChatOptions {
  ModelChoice model;
  SamplingChoice sampling;
  std::string system;
};

int chat(const ChatOptions& options) {
  auto all = options.model.checked();
  options.sampling.write(all);
  all["system"] = options.system;
  launch::exec_worker("chat", all, options.model.threads);
}

constexpr const char* about_serve = R"(
POST /v1/chat/completions and GET /v1/models, as in OpenAI's API; GET /health. The base URL for clients is printed on
standard output: http://127.0.0.1:8000/v1. Concurrent requests are decoded in one batch, and a prefix that they share is
computed once; no answer depends on the other requests. If COMPEER_SERVE_TOKEN is set, requests must contain this token
(Authorization: Bearer ...); if not, --host must be an address of this machine itself. The first Ctrl-C stops the
requests in progress, the second the server.)";

struct ServeOptions {
  ModelChoice model;
  std::string name, host = "127.0.0.1";
  std::vector<std::string> adapters;
  uint16_t port = 8000;
  int64_t concurrent = 64;
  double cache = 1;
  uint64_t seed = 1;
};

void check_name(const std::string& option, const std::string& name) {
  const bool plain = name == language::valid_utf8(name) &&
                     std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < 32 || c == 127; });
  if (!plain || name.starts_with(' ') || name.ends_with(' '))
    throw Error(option, "is not a valid model name",
                "use text without line breaks, and without leading or trailing spaces", Exit::usage);
}

// Returns {"name", "folder"} for each NAME=DIR or DIR, the latter with an empty name.
nlohmann::json checked_adapters(const ServeOptions& options) {
  if (!options.adapters.empty() && options.model.engine == "libtorch")
    throw Error("--adapter", "can't be combined with --engine libtorch", "use --engine exact", Exit::usage);
  if (!options.adapters.empty() && options.model.device == "cuda")
    throw Error("--adapter", "can't be combined with --device cuda",
                "use --device cpu: adapters are served on the CPU only", Exit::usage);
  auto all = nlohmann::json::array();
  std::set<std::string> names{options.name};
  for (const std::string& given : options.adapters) {
    const auto sign = holds_adapter(given) ? std::string::npos : given.find('=');
    const std::string name = sign == std::string::npos ? "" : given.substr(0, sign), folder = given.substr(sign + 1);
    const std::string option = "--adapter " + language::valid_utf8(given);
    check_name(option, name);
    if (!name.empty() && !names.insert(name).second)
      throw Error(option, "duplicate model name '" + name + "'", "give each model a different name", Exit::usage);
    if (std::error_code none; !std::filesystem::is_directory(folder, none))
      throw Error(option, folder + " is not a folder", "", Exit::data);
    if (!holds_adapter(folder))
      throw Error(option, "the folder contains no adapter (adapter_config.json)",
                  holds_adapter(folder + "/checkpoints/last")
                      ? "name the run's newest checkpoint: its subfolder checkpoints/last"
                      : "",
                  Exit::data);
    all.push_back({{"name", name}, {"folder", folder}});
  }
  return all;
}

int serve(const ServeOptions& options) {
  check_name("--name", options.name);
  auto all = options.model.checked();
  all.update({{"name", options.name},
              {"adapters", checked_adapters(options)},
              {"host", options.host},
              {"port", options.port},
              {"concurrent", options.concurrent},
              {"cache", options.cache},
              {"seed", options.seed}});
  if (!options.adapters.empty()) all["engine"] = "exact";  // so that --device auto selects the CPU
  launch::exec_worker("serve", all, options.model.threads);
}

}  // namespace

void add_generate(CLI::App& command, Action& action) {
  auto options = std::make_shared<GenerateOptions>();
  options->model.add_to(command);
  options->sampling.add_to(command);
  add_common(command, *options);
  command.add_option("--samples", options->samples, "completions per prompt, one line each, with \"sample\" from 0")
      ->check(CLI::Range(1, 65536))
      ->type_name("G")
      ->capture_default_str();
  command
      .add_option("--stop", options->stop,
                  "end a completion when it contains TEXT, which is omitted from \"text\" (repeatable)")
      ->type_name("TEXT")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.footer(std::string(input) + "\n" + generated);
  command.callback([options, &action] { action = [options] { return generate(*options); }; });
}

void add_score(CLI::App& command, Action& action) {
  auto options = std::make_shared<GenerateOptions>();
  options->model.add_to(command);
  add_common(command, *options);
  command.footer(std::string(input) + "\n" + scored);
  command.callback([options, &action] { action = [options] { return score(*options); }; });
}

void add_chat(CLI::App& command, Action& action) {
  auto options = std::make_shared<ChatOptions>();
  options->sampling.temperature = 0.7;
  options->sampling.top_p = 0.9;
  options->sampling.max_new = 1024;
  options->model.add_to(command);
  options->sampling.add_to(command);
  command.add_option("--system", options->system, "system prompt")->type_name("TEXT");
  command.footer(about_chat);
  command.callback([options, &action] { action = [options] { return chat(*options); }; });
}

void add_serve(CLI::App& command, Action& action) {
  auto options = std::make_shared<ServeOptions>();
  options->model.add_to(command);
  command
      .add_option("--name", options->name,
                  "name of the model in requests; default: its folder and a hash of its files and options")
      ->type_name("NAME");
  command
      .add_option("--adapter", options->adapters,
                  "a LoRA adapter of the same base model, served in the same batches, on the CPU (repeatable)")
      ->type_name("[NAME=]DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--host", options->host, "the address to listen on")->type_name("ADDRESS")->capture_default_str();
  command.add_option("--port", options->port, "port to listen on; 0: any free port")
      ->type_name("PORT")
      ->capture_default_str();
  command
      .add_option("--concurrent", options->concurrent,
                  "maximum number of completions decoded at the same time; others wait")
      ->check(CLI::Range(1, 65536))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--cache", options->cache, "memory of the KV cache of prefixes that later requests can reuse")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("GIB")
      ->capture_default_str();
  command.add_option("--seed", options->seed, "random seed of requests without one")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 62))
      ->type_name("S")
      ->capture_default_str();
  command.footer(about_serve);
  command.callback([options, &action] { action = [options] { return serve(*options); }; });
}

}  // namespace compeer::app
