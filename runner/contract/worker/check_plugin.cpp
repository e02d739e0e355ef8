#include "contract/worker/check_plugin.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>

#include "base/hash.h"
#include "contract/worker/examination.h"
#include "contract/worker/inputs.h"
#include "contract/worker/process_state.h"
#include "contract/worker/usage.h"
#include "data/source.h"
#include "inference/language_model.h"
#include "inference/open_plugin.h"

namespace compeer::contract {

namespace {

using nlohmann::json;

constexpr int64_t examples_of_a_dataset = 8;
constexpr rlim_t most_processor_time = 3600, longest_file = 64 << 20;

// Memory that is the process's own: a model's file that is only mapped doesn't count.
// Standard output is such memory, too: a file without a limit would be a way around it. A model is saved into files
// that are as large as it is.
void limit_this_process(const std::string& kind) {
#ifndef __SANITIZE_ADDRESS__
  constexpr rlim_t most = rlim_t{16} << 30;
  const auto there = static_cast<rlim_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  const rlimit memory{std::min(most, there), std::min(most, there)};
  ::setrlimit(RLIMIT_DATA, &memory);
#endif
  const rlimit no_core{0, 0}, time{most_processor_time, most_processor_time};
  if (const rlimit file{longest_file, longest_file}; kind != Model::kind) ::setrlimit(RLIMIT_FSIZE, &file);
  ::signal(SIGXFSZ, SIG_DFL);  // whoever started us may have ignored it
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_CPU, &time);
}

// In the place of a policy: something that depends on the text alone, zeros where there is none.
std::vector<float> made_up_embedding(const std::string& text) {
  std::vector<float> numbers(16, 0.0F);
  const auto digits = sha256(text);
  for (size_t i = 0; i < numbers.size() && !text.empty(); ++i)
    numbers[i] = static_cast<float>(std::stoul(digits.substr(2 * i, 2), nullptr, 16)) - 127.5F;
  return numbers;
}

plugin::Services services_of_a_check() {
  auto services = inference::command_services();
  services.seed = 1;
  services.log = [](const std::string&, const std::string&) {};
  services.embed = [](const std::vector<std::string>& texts) {
    std::vector<std::vector<float>> all;
    for (const auto& text : texts) all.push_back(made_up_embedding(text));
    return all;
  };
  services.language_model = [language_models = std::make_shared<inference::LanguageModels>(services)](
                                const std::string& folder) -> LanguageModel& { return language_models->in(folder); };
  return services;
}

void read_dataset(const json& choice, const plugin::Services& services, ExaminationRequest& asked) {
  auto dataset = inference::open_plugin<Dataset>(choice, services);
  data::RecordSource source(dataset, {});
  for (const std::string split : {"train", "valid", "test"}) {
    const auto size = dataset.call("size", [&](Dataset& d) { return d.size(split); });
    for (int64_t i = 0; i < size && std::ssize(asked.examples) < examples_of_a_dataset; ++i)
      asked.examples.push_back(dataset.call("get", [&](Dataset& d) { return d.get(split, i); }));
  }
  for (int64_t i = 0; i < std::min(source.size(), examples_of_a_dataset); ++i)
    asked.records.push_back(source.record(i));
  asked.real_records = true;
}

ExaminationRequest asked_by(const json& options, const plugin::Services& services) {
  ExaminationRequest asked;
  asked.chosen = {options.at("kind"), options.at("name"), options.at("path").get<std::string>(), options.at("sha256")};
  asked.version = options.at("version");
  asked.settings = options.at("settings");
  asked.missing = options.at("missing");
  asked.unset = options.at("unset");
  asked.edges = options.at("edges");
  if (!options.at("dataset").is_null()) {
    read_dataset(options.at("dataset"), services, asked);
  } else {
    for (const std::string id : {"made-up-1", "made-up-2", "made-up-3"}) {
      asked.examples.push_back(made_up_example(id));
      asked.records.push_back(made_up_record(id));
    }
  }
  // A fresh model's vocabulary comes from a tokenizer, in a run.
  if (asked.chosen.kind == Model::kind && asked.settings.is_object() &&
      asked.settings.value("config", json()).is_object())
    asked.settings["config"].emplace("vocab_size", 1024);
  return asked;
}

bool examine(const ExaminationRequest& asked, const plugin::Services& services, Reporter& report) {
  const auto& kind = asked.chosen.kind;
  if (kind == ChatModel::kind) return Examination<ChatModel>(asked, services, report).run();
  if (kind == Dataset::kind) return Examination<Dataset>(asked, services, report).run();
  if (kind == Model::kind) return Examination<Model>(asked, services, report).run();
  if (kind == Reward::kind) return Examination<Reward>(asked, services, report).run();
  if (kind == Reweighting::kind) return Examination<Reweighting>(asked, services, report).run();
  if (kind == Similarity::kind) return Examination<Similarity>(asked, services, report).run();
  if (kind == Stage::kind) return Examination<Stage>(asked, services, report).run();
  throw Error(kind, "has no checks", "", Exit::failure);
}

void tell_of_streams(const Streams& streams, Reporter& report) {
  report.begin("process");
  const auto touched = streams.touched();
  for (const auto& what : touched) report.fails("it " + what);
  if (touched.empty()) report.holds("standard input, output and error are left alone");
}

void report_changed_state(const ProcessState& state, Reporter& report) {
  const auto changed = state.changed();
  for (const auto& what : changed) report.fails("it leaves " + what + " changed");
  if (changed.empty())
    report.holds("current folder, umask, locale, environment, limits, signals and rounding are as they were");
}

}  // namespace

int check_plugin(const json& options) {
  const int file = options.at("report");
  ::fcntl(file, F_SETFD, FD_CLOEXEC);
  Reporter report(file);
  try {
    limit_this_process(options.at("kind"));
    const auto services = services_of_a_check();
    const ExaminationRequest asked = asked_by(options, services);
    const Streams streams;
    watch_calls(file, options.at("patience"));
    const ProcessState state;
    const bool made = examine(asked, services, report);
    tell_of_streams(streams, report);
    report_changed_state(state, report);
    report.ends(made);
  } catch (const std::exception& error) {
    report.gives_up(error.what());
  }
  return 0;
}

}  // namespace compeer::contract
