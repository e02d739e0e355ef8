// compeer data answers: what chat models have answered, what it cost, and which of it is to be asked again.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands.h"
#include "app/stored_answers.h"
#include "base/error.h"
#include "spec/text.h"

namespace compeer::app {

namespace {

using nlohmann::ordered_json;
using Sums = std::map<std::string, AnswerSums>;

constexpr const char* kExplained = R"(
Runs keep every answer of a chat model in RESULTS/answers, whichever run asked, so that nothing is paid twice.
  compeer data answers                          what there is, by model
  compeer data answers --malformed              of it what could not be read
  compeer data answers --malformed --drop       forget that: the next run asks again
  compeer data answers --model NAME --drop      forget all that this model said
Exit code 4 if there are no answers, or if a run adds to those that are to be dropped.)";

struct AnswersOptions {
  std::string results = "results";
  AnswerFilter filter;
  bool drop = false, as_json = false;
};

AnswerSums added(const Sums& sums) {
  AnswerSums all;
  for (const auto& [model, sum] : sums) {
    all.answers += sum.answers;
    all.malformed += sum.malformed;
    all.prompt_tokens += sum.prompt_tokens;
    all.completion_tokens += sum.completion_tokens;
    all.cost += sum.cost;
  }
  return all;
}

ordered_json to_json(const AnswerSums& sum) {
  return {{"answers", sum.answers},
          {"malformed", sum.malformed},
          {"prompt_tokens", sum.prompt_tokens},
          {"completion_tokens", sum.completion_tokens},
          {"cost", sum.cost}};
}

void print_json(const Sums& sums, bool dropped) {
  ordered_json models = ordered_json::object();
  for (const auto& [model, sum] : sums) {
    models[model] = to_json(sum);
    models[model]["served"] = sum.served;
  }
  const ordered_json all{{"dropped", dropped}, {"models", models}, {"total", to_json(added(sums))}};
  std::cout << all.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

void print(const Sums& sums) {
  const auto total = added(sums);
  size_t widest = 5;
  for (const auto& [model, sum] : sums) widest = std::max(widest, spec::printable(model, 80).size());
  const auto line = [&](const std::string& name, const AnswerSums& sum) {
    const auto cost = total.cost > 0 ? fmt::format("{:.4f}", sum.cost) : "no prices";
    std::cout << fmt::format("{:<{}}  {:>8}  {:>9}  {:>13}  {:>15}  {:>10}\n", name, widest, sum.answers, sum.malformed,
                             sum.prompt_tokens, sum.completion_tokens, cost);
  };
  std::cout << fmt::format("{:<{}}  {:>8}  {:>9}  {:>13}  {:>15}  {:>10}\n", "model", widest, "answers", "malformed",
                           "tokens asked", "tokens answered", "cost");
  for (const auto& [model, sum] : sums) line(spec::printable(model, 80), sum);
  if (sums.size() > 1) line("total", total);
}

int run(const AnswersOptions& options) {
  if (options.drop && options.filter.model.empty() && !options.filter.malformed)
    throw Error("--drop", "would drop every answer", "say which: --malformed, --model NAME, or both", Exit::usage);
  const auto folder = std::filesystem::path(options.results) / "answers";
  const auto log = [](const std::string& line) { std::cerr << "compeer: " << line << '\n'; };
  const auto sums = options.drop ? drop_answers(folder, options.filter, log) : sums_of(folder, options.filter, log);
  if (options.as_json) {
    print_json(sums, options.drop);
  } else if (sums.empty()) {
    std::cout << (options.drop ? "nothing to drop\n" : "no such answers\n");
  } else {
    print(sums);
    if (options.drop) std::cout << fmt::format("dropped {}; the next run asks again\n", added(sums).answers);
  }
  return 0;
}

}  // namespace

void add_data_answers(CLI::App& command, Action& action) {
  auto options = std::make_shared<AnswersOptions>();
  command.add_option("RESULTS", options->results, "the folder in which the folders of runs are")->capture_default_str();
  command.add_option("--model", options->filter.model, "only this model's")->type_name("NAME");
  command.add_flag("--malformed", options->filter.malformed, "only answers that could not be read");
  command.add_flag("--drop", options->drop, "forget them, so that they are asked for again");
  command.add_flag("--json", options->as_json, "as one JSON object");
  command.footer(kExplained);
  command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace compeer::app
