// compeer data answers: counts stored answers of chat models and their cost, and removes those to request again.
#include "app/data_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/commands.h"
#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "spec/text.h"

namespace compeer::app {

namespace fs = std::filesystem;
using nlohmann::json;
using plugin::AnswerFile;
using plugin::AnswerLine;

namespace {

struct AnswerLines {
  std::unique_ptr<AnswerFile> file;
  std::vector<AnswerLine> lines;
};

struct OpenStore {
  std::vector<AnswerLines> files;
  std::set<std::string> malformed;  // keys of the answers marked as malformed
};

OpenStore read(const fs::path& folder, bool change, const AnswerFile::Log& log) {
  OpenStore store;
  for (const auto& path : plugin::answer_files(folder)) {
    auto file = std::make_unique<AnswerFile>(path, change ? AnswerFile::Use::change : AnswerFile::Use::read);
    if (change && !file->lock())
      throw Error(path.string(), "a run is writing to it", "wait for the run to end", Exit::data);
    store.files.push_back({std::move(file), {}});
    AnswerLines& one = store.files.back();
    one.file->read_on([&](AnswerLine line) { one.lines.push_back(std::move(line)); }, log);
    for (const auto& line : one.lines) {
      if (line.malformed) store.malformed.insert(line.key);
    }
  }
  if (store.files.empty())
    throw Error(folder.string(), "contains no answers",
                "name the folder that contains the folders of runs: answers are stored in its subfolder 'answers'",
                Exit::data);
  return store;
}

bool is_selected(const json& answer, bool malformed, const AnswerFilter& filter) {
  if (filter.malformed && !malformed) return false;
  return filter.model.empty() || answer.at("model") == filter.model || answer.value("served", "") == filter.model;
}

void add(const json& answer, bool malformed, std::map<std::string, AnswerTotals>& sums) {
  AnswerTotals& sum = sums[answer.at("model").get<std::string>()];
  ++sum.answers;
  sum.malformed += malformed;
  sum.prompt_tokens += get_integer<int64_t>(answer.at("prompt_tokens"));
  sum.completion_tokens += get_integer<int64_t>(answer.at("completion_tokens"));
  sum.cost += answer.value("cost", 0.0);
  if (const auto served = answer.value("served", ""); !served.empty()) sum.served.insert(served);
}

// Calls f with each answer that `filter` selects.
template <class F>
void each(const OpenStore& store, const AnswerLines& lines, const AnswerFilter& filter, const AnswerFile::Log& log,
          F&& f) {
  for (const auto& line : lines.lines) {
    if (line.malformed) continue;
    try {
      const json answer = json::parse(lines.file->at(line.offset, line.length));
      const bool malformed = store.malformed.contains(line.key);
      if (is_selected(answer, malformed, filter)) f(line, answer, malformed);
    } catch (const json::exception&) {
      if (log) log(lines.file->path().string() + ": the answer " + line.key + " is damaged and is ignored");
    }
  }
}

// Replaces the file by one without the lines of the keys `gone`.
void rewrite(const AnswerLines& lines, const std::set<std::string>& gone) {
  const auto& path = lines.file->path();
  const fs::path temporary = path.string() + ".new";
  std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
  for (const auto& line : lines.lines) {
    if (!gone.contains(line.key)) stream << lines.file->at(line.offset, line.length) << '\n';
  }
  stream.close();
  if (!stream) throw Error(temporary.string(), "can't be written", "nothing was dropped from this file", Exit::failure);
  sync_file(temporary);
  fs::rename(temporary, path);
  sync_folder(path.parent_path());
}

using nlohmann::ordered_json;
using Sums = std::map<std::string, AnswerTotals>;

constexpr const char* answers_help = R"(
Runs store every answer of a chat model in RESULTS/answers and reuse the answers of earlier runs, so that no request is
paid for twice.
  compeer data answers                          count the answers of each model
  compeer data answers --malformed              count those that could not be parsed
  compeer data answers --malformed --drop       delete those: the next run requests them again
  compeer data answers --model NAME --drop      delete all answers of this model
Exit code 4 if there are no answers, or if a run is writing to the files with the answers to delete.)";

struct AnswersOptions {
  std::string results = "results";
  AnswerFilter filter;
  bool drop = false, as_json = false;
};

AnswerTotals added(const Sums& sums) {
  AnswerTotals all;
  for (const auto& [model, sum] : sums) {
    all.answers += sum.answers;
    all.malformed += sum.malformed;
    all.prompt_tokens += sum.prompt_tokens;
    all.completion_tokens += sum.completion_tokens;
    all.cost += sum.cost;
  }
  return all;
}

ordered_json sums_json(const AnswerTotals& sum) {
  return {{"answers", sum.answers},
          {"malformed", sum.malformed},
          {"prompt_tokens", sum.prompt_tokens},
          {"completion_tokens", sum.completion_tokens},
          {"cost", sum.cost}};
}

void print_sums_json(const Sums& sums, bool dropped) {
  ordered_json models = ordered_json::object();
  for (const auto& [model, sum] : sums) {
    models[model] = sums_json(sum);
    models[model]["served"] = sum.served;
  }
  const ordered_json all{{"dropped", dropped}, {"models", models}, {"total", sums_json(added(sums))}};
  std::cout << all.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

void print_sums(const Sums& sums) {
  const auto total = added(sums);
  size_t widest = 5;
  for (const auto& [model, sum] : sums) widest = std::max(widest, spec::printable(model, 80).size());
  const auto line = [&](const std::string& name, const AnswerTotals& sum) {
    const auto cost = total.cost > 0 ? fmt::format("{:.4f}", sum.cost) : "no prices";
    std::cout << fmt::format("{:<{}}  {:>8}  {:>9}  {:>13}  {:>15}  {:>10}\n", name, widest, sum.answers, sum.malformed,
                             sum.prompt_tokens, sum.completion_tokens, cost);
  };
  std::cout << fmt::format("{:<{}}  {:>8}  {:>9}  {:>13}  {:>15}  {:>10}\n", "model", widest, "answers", "malformed",
                           "tokens asked", "tokens answered", "cost");
  for (const auto& [model, sum] : sums) line(spec::printable(model, 80), sum);
  if (sums.size() > 1) line("total", total);
}

int run_answers(const AnswersOptions& options) {
  if (options.drop && options.filter.model.empty() && !options.filter.malformed)
    throw Error("--drop", "would delete every answer", "add --malformed, --model NAME, or both", Exit::usage);
  const auto folder = std::filesystem::path(options.results) / "answers";
  const auto log = [](const std::string& line) { std::cerr << "compeer: " << line << '\n'; };
  const auto sums =
      options.drop ? drop_answers(folder, options.filter, log) : answer_totals(folder, options.filter, log);
  if (options.as_json) {
    print_sums_json(sums, options.drop);
  } else if (sums.empty()) {
    std::cout << (options.drop ? "nothing to delete\n" : "no matching answers\n");
  } else {
    print_sums(sums);
    if (options.drop) std::cout << fmt::format("deleted {}; the next run requests them again\n", added(sums).answers);
  }
  return 0;
}

}  // namespace

std::map<std::string, AnswerTotals> answer_totals(const fs::path& folder, const AnswerFilter& filter,
                                                  const AnswerFile::Log& log) {
  const OpenStore store = read(folder, false, log);
  std::map<std::string, AnswerTotals> sums;
  for (const auto& lines : store.files)
    each(store, lines, filter, log,
         [&](const AnswerLine&, const json& answer, bool malformed) { add(answer, malformed, sums); });
  return sums;
}

std::map<std::string, AnswerTotals> drop_answers(const fs::path& folder, const AnswerFilter& filter,
                                                 const AnswerFile::Log& log) {
  const OpenStore store = read(folder, true, log);
  std::map<std::string, AnswerTotals> sums;
  std::set<std::string> gone;
  for (const auto& lines : store.files) {
    each(store, lines, filter, log, [&](const AnswerLine& line, const json& answer, bool malformed) {
      add(answer, malformed, sums);
      gone.insert(line.key);
    });
  }
  for (const auto& lines : store.files) {
    if (!gone.empty()) rewrite(lines, gone);
  }
  return sums;
}

void add_data_answers(CLI::App& command, Action& action) {
  auto options = std::make_shared<AnswersOptions>();
  command.add_option("RESULTS", options->results, "the folder that contains the folders of runs")
      ->capture_default_str();
  command.add_option("--model", options->filter.model, "only answers of this model")->type_name("NAME");
  command.add_flag("--malformed", options->filter.malformed, "only answers that could not be parsed");
  command.add_flag("--drop", options->drop, "delete the answers, so that the next run requests them again");
  command.add_flag("--json", options->as_json, "as one JSON object");
  command.footer(answers_help);
  command.callback([options, &action] { action = [options] { return run_answers(*options); }; });
}

}  // namespace compeer::app
