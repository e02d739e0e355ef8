// compeer about: prints the contents of a model folder and the memory needed to use it. Reads headers only, no weights.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <set>

#include "app/commands.h"
#include "base/error.h"
#include "base/json.h"
#include "base/model_folder.h"
#include "language/chat.h"
#include "record/adapter.h"
#include "record/safetensors.h"
#include "spec/text.h"

namespace compeer::app {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Facts = nlohmann::ordered_json;

constexpr double gigabyte = 1e9, float_bytes = 4;
constexpr double program = 0.15e9;  // bytes of libraries and buffers, measured
// Bytes per trained parameter: weight, its repacked copy for the kernels, AdamW's two moments, and three gradients (a
// batch is summed in four parts; at most three gradients are allocated at a time).
constexpr double training = 7 * float_bytes;
// Activations that a training pass keeps per token and layer, in units of hidden_size; without and with
// recompute_above.
constexpr double activations_kept = 16, activations_recomputed = 2;
constexpr double blocks = 34.0 / 32;  // bytes per weight in q8_0
constexpr int64_t usual_rank = 16;

struct Weights {
  int64_t parameters = 0, tensors = 0;
  double bytes = 0, matrices = 0;  // stored bytes of all tensors, and of those with two or more dimensions
  double in_8_bits = 0;            // bytes of `matrices` in q8_0
  std::set<std::string> types;
};

Weights weights_of(const record::Safetensors& file) {
  Weights all;
  for (const auto& name : file.names()) {
    const auto& tensor = file.tensor(name);
    all.parameters += static_cast<int64_t>(tensor.bytes.size() / record::element_size(tensor.dtype));
    all.bytes += static_cast<double>(tensor.bytes.size());
    const double elements = static_cast<double>(tensor.bytes.size() / record::element_size(tensor.dtype));
    if (tensor.shape.size() > 1)
      all.matrices += static_cast<double>(tensor.bytes.size()), all.in_8_bits += elements * blocks;
    all.types.insert(tensor.dtype);
    ++all.tensors;
  }
  return all;
}

// Number of parameters of a LoRA adapter of all projections.
int64_t adapter_size(const record::Safetensors& model, int64_t rank) {
  int64_t count = 0;
  for (const auto& name : model.names()) {
    const auto& shape = model.tensor(name).shape;
    if (shape.size() == 2 && name.find("layers.") != name.npos) count += rank * (shape[0] + shape[1]);
  }
  return count;
}

double number_or(const json& config, const char* key, double otherwise) {
  const auto text = config.contains("text_config") ? config.at("text_config") : config;
  return text.contains(key) && text.at(key).is_number() ? text.at(key).get<double>() : otherwise;
}

int64_t to_int(double count) { return static_cast<int64_t>(count); }

// Returns the error's text if it is about the files' contents. Rethrows I/O errors.
std::string problem_of_files(const Error& error) {
  if (error.exit() == Exit::failure) throw error;
  return error.problem();
}

Facts tokenizer_facts(const fs::path& folder) {
  try {
    const auto tokenizer = language::Tokenizer::load(folder);
    Facts facts{{"tokens", tokenizer.size()}};
    for (const auto& [role, token] : tokenizer.roles()) facts[role] = token;
    try {
      const language::Chat chat(tokenizer);
      facts["template"] = true;
    } catch (const Error& error) {
      facts["template"] = problem_of_files(error);
    }
    return facts;
  } catch (const Error& error) {
    return {{"missing", problem_of_files(error)}};
  }
}

Facts about(const fs::path& folder) {
  check_model_folder(folder);
  const auto base = base_model(folder);
  const json config = read_json_object(base / "config.json");
  const auto model = record::Safetensors::open_sharded(base);
  const Weights weights = weights_of(model);
  const double layers = number_or(config, "num_hidden_layers", 0), heads = number_or(config, "num_attention_heads", 1),
               width = number_or(config, "hidden_size", 0), key_heads = number_or(config, "num_key_value_heads", heads),
               head = number_or(config, "head_dim", heads > 0 ? width / heads : 0);
  const int64_t adapter = adapter_size(model, usual_rank);
  const double page = 2 * float_bytes * layers * key_heads * head;
  Facts facts{{"folder", folder.string()},
              {"model_type", config.value("model_type", "")},
              {"parameters", weights.parameters},
              {"layers", to_int(layers)},
              {"hidden_size", to_int(width)},
              {"heads", to_int(heads)},
              {"key_heads", to_int(key_heads)},
              {"head_dim", to_int(head)},
              {"vocabulary", to_int(number_or(config, "vocab_size", 0))},
              {"context", to_int(number_or(config, "max_position_embeddings", 0))},
              {"types", weights.types},
              {"bytes", to_int(weights.bytes)}};
  facts["tokenizer"] = tokenizer_facts(folder);
  facts["memory"] = {{"serve", program + weights.matrices},
                     {"serve_q8_0", program + weights.in_8_bits},
                     {"token_of_context", page},
                     {"train_whole", program + training * static_cast<double>(weights.parameters)},
                     {"train_adapter", program + weights.matrices + training * static_cast<double>(adapter)},
                     {"adapter_parameters", adapter},
                     {"token_of_training", float_bytes * activations_kept * layers * width},
                     {"token_of_training_recomputed", float_bytes * activations_recomputed * layers * width}};
  if (!holds_adapter(folder)) return facts;
  const auto own = record::read_adapter_config(folder);
  facts["base"] = base.string();
  facts["adapter"] = {
      {"rank", own.rank},
      {"alpha", own.alpha},
      {"rslora", own.rslora},
      {"targets", own.targets},
      {"parameters", weights_of(record::Safetensors::open(folder / record::adapter_weights)).parameters}};
  return facts;
}

std::string millions(const Facts& count) { return fmt::format("{:.1f} million", count.get<double>() / 1e6); }
std::string gigabytes(const Facts& bytes) { return fmt::format("{:.2f} GB", bytes.get<double>() / gigabyte); }
// "q_proj, v_proj", or the number of names if there are many.
std::string joined(const std::vector<std::string>& targets) {
  constexpr size_t shown = 8;  // one name for each of a layer's seven projections fits
  return targets.size() > shown ? fmt::format("{} projections", targets.size())
                                : fmt::format("{}", fmt::join(targets, ", "));
}

std::string kilobytes(const Facts& bytes) { return fmt::format("{:.1f} kB", bytes.get<double>() / 1e3); }

std::string tokenizer_text(const Facts& facts) {
  if (facts.contains("missing")) return "none: " + facts.at("missing").get<std::string>();
  auto text = fmt::format("{} tokens", facts.at("tokens").get<int64_t>());
  if (facts.contains("eos_token")) text += ", replies end with " + facts.at("eos_token").get<std::string>();
  const Facts& template_ = facts.at("template");
  return text + (template_.is_boolean() ? ", with a chat template" : "; " + template_.get<std::string>());
}

void print_facts(const Facts& facts) {
  const auto line = [](const char* name, const std::string& text) {
    fmt::print("{:<10}  {}\n", name, spec::printable_lines(text));
  };
  if (facts.contains("adapter")) {
    const Facts& adapter = facts.at("adapter");
    line("adapter", fmt::format("rank {}, alpha {}{}, {} parameters, for {}", adapter.at("rank").get<int64_t>(),
                                adapter.at("alpha").get<double>(), adapter.at("rslora") ? " (rslora)" : "",
                                millions(adapter.at("parameters")),
                                joined(adapter.at("targets").get<std::vector<std::string>>())));
    line("base", facts.at("base"));
  }
  line("model", fmt::format("{}, {} parameters as {}, {}", facts.at("model_type").get<std::string>(),
                            millions(facts.at("parameters")),
                            fmt::join(facts.at("types").get<std::vector<std::string>>(), " and "),
                            gigabytes(facts.at("bytes"))));
  line("shape", fmt::format("{} layers of width {}, {} attention heads of {}, {} key heads; a vocabulary of {}",
                            facts.at("layers").get<int64_t>(), facts.at("hidden_size").get<int64_t>(),
                            facts.at("heads").get<int64_t>(), facts.at("head_dim").get<int64_t>(),
                            facts.at("key_heads").get<int64_t>(), facts.at("vocabulary").get<int64_t>()));
  line("context", fmt::format("{} tokens", facts.at("context").get<int64_t>()));
  line("tokenizer", tokenizer_text(facts.at("tokenizer")));
  const Facts& memory = facts.at("memory");
  line("memory", fmt::format("to serve {}, as q8_0 {}, plus {} per token of context", gigabytes(memory.at("serve")),
                             gigabytes(memory.at("serve_q8_0")), kilobytes(memory.at("token_of_context"))));
  line("", fmt::format("to train an adapter of rank {} ({} parameters) {}", usual_rank,
                       millions(memory.at("adapter_parameters")), gigabytes(memory.at("train_adapter"))));
  line("", fmt::format("to train all parameters {}", gigabytes(memory.at("train_whole"))));
  line("",
       fmt::format("plus {} per token of a training pass, or {} with recompute_above",
                   kilobytes(memory.at("token_of_training")), kilobytes(memory.at("token_of_training_recomputed"))));
}

}  // namespace

void add_about(CLI::App& command, Action& action) {
  struct AboutOptions {
    std::string model;
    bool as_json = false;
  };
  const auto options = std::make_shared<AboutOptions>();
  command.add_option("DIR", options->model, "a model folder or an adapter folder")->required();
  command.add_flag("--json", options->as_json, "as JSON; memory in bytes");
  command.callback([options, &action] {
    action = [options] {
      const auto facts = about(options->model);
      options->as_json ? fmt::print("{}\n", facts.dump()) : print_facts(facts);
      return 0;
    };
  });
}

}  // namespace compeer::app
