#include "app/model_options.h"

#include <filesystem>

#include "base/error.h"
#include "base/model_folder.h"

namespace compeer::app {

namespace {

enum class Zero { no, yes };

// From 0, itself allowed or not, to `most`. (CLI::Range lets NaN through.)
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

}  // namespace

void ModelChoice::add_to(CLI::App& command) {
  command.add_option("--model", model, "a model folder: config.json, *.safetensors, tokenizer files")
      ->required()
      ->type_name("DIR");
  command.add_option("--dtype", dtype, "how weights are kept")
      ->check(CLI::IsMember({"stored", "float32", "bfloat16", "q8_0", "q4_0"}))
      ->capture_default_str();
  command.add_option("--compute", compute, "bfloat16: what products multiply is rounded to it, and sums are float32")
      ->check(CLI::IsMember({"float32", "bfloat16"}))
      ->capture_default_str();
  command
      .add_option("--engine", engine,
                  "exact: the bits do not depend on batch or threads; libtorch: plain tensor operations")
      ->check(CLI::IsMember({"exact", "libtorch"}))
      ->default_str("exact, on a GPU libtorch");
  command.add_option("--device", device, "where it computes; auto: on a GPU if there is one")
      ->check(CLI::IsMember({"cpu", "cuda", "auto"}))
      ->capture_default_str();
  command.add_option("--threads", threads, "default: all processors")->check(CLI::Range(1, 1024))->type_name("N");
}

nlohmann::json ModelChoice::checked() const {
  check_model_folder(model);
  const bool in_blocks = dtype == "q8_0" || dtype == "q4_0", by_libtorch = engine == "libtorch";
  const auto refuse = [](const std::string& one, const std::string& other, const std::string& help) {
    throw Error("--" + one, "does not go with --" + other, help, Exit::usage);
  };
  if (compute == "bfloat16" && in_blocks)
    refuse("compute bfloat16", "dtype " + dtype, "blocks are multiplied in float32; --dtype bfloat16 keeps weights so");
  if (device == "cuda" && engine == "exact")
    refuse("device cuda", "engine exact", "its kernels compute on the CPU; leave --engine out");
  if (device == "cuda" && in_blocks)
    refuse("dtype " + dtype, "device cuda", "blocks are for the CPU; --dtype bfloat16 keeps weights so");
  if (by_libtorch && in_blocks) refuse("dtype " + dtype, "engine libtorch", "leave --engine exact");
  const auto& computes = device == "auto" && in_blocks ? "exact" : engine;  // blocks are for the CPU
  return {{"model", model}, {"dtype", dtype}, {"compute", compute}, {"engine", computes}, {"device", device}};
}

void SamplingChoice::add_to(CLI::App& command) {
  command.add_flag("--greedy", greedy, "always take the likeliest token");
  command.add_option("--temperature", temperature, "divides the logits")
      ->check(share(Zero::no, 100, "above 0 and at most 100 (--greedy takes the likeliest)"))
      ->capture_default_str();
  command.add_option("--top-k", top_k, "draw among the K likeliest and those that tie with the last; 0: off")
      ->check(CLI::Range(0, INT32_MAX))
      ->type_name("K")
      ->capture_default_str();
  command.add_option("--top-p", top_p, "draw from the smallest set of likeliest tokens with probability P")
      ->check(share(Zero::no, 1, "above 0 and at most 1"))
      ->type_name("P")
      ->capture_default_str();
  command.add_option("--min-p", min_p, "draw from tokens with at least P times the likeliest's probability")
      ->check(share(Zero::yes, 1, "from 0 to 1"))
      ->type_name("P")
      ->capture_default_str();
  command.add_option("--repetition-penalty", repetition_penalty, "makes tokens that occurred less likely; 1: off")
      ->check(share(Zero::no, 100, "above 0 and at most 100"))
      ->type_name("X")
      ->capture_default_str();
  command.add_option("--max-new", max_new, "tokens of a completion, at most")
      ->check(CLI::Range(1, 1'000'000))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--seed", seed, "every random number is a function of it")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 62))
      ->type_name("S")
      ->capture_default_str();
  command.add_flag("--ignore-end", ignore_end, "go on past end tokens (eos_token_id), up to --max-new");
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

}  // namespace compeer::app
