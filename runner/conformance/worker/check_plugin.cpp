// The worker's half of `compeer plugins check`: limits this process, makes inputs and runs the checks of the kind.
#include "conformance/worker/check_plugin.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/hash.h"
#include "conformance/worker/conformance_test.h"
#include "conformance/worker/process_state.h"
#include "data/source.h"
#include "inference/language_model.h"
#include "inference/services.h"

namespace compeer::conformance {

CallFailure call_failure(const plugin::Identity& identity, const std::string& method, const std::string& input,
                         const Error& error) {
  CallFailure failure{place_text(method, input), error.problem(), error.exit()};
  const std::string own = identity.title() + " (" + identity.path.string() + "), in ", &where = error.where();
  if (where.starts_with(own) && where.ends_with("()")) {
    const auto called = where.substr(own.size(), where.size() - own.size() - 2);
    if (method != "new") failure.place = place_text(called, input);
  } else if (!where.empty() && where != identity.path.string()) {
    failure.problem = where + ": " + failure.problem;  // the failure of another plugin
  }
  if (failure.problem.empty()) failure.problem = "an error without a message";
  if (!error.help().empty()) failure.problem += " (" + error.help() + ")";
  return failure;
}

namespace {

using nlohmann::json;

constexpr int64_t examples_of_a_dataset = 8;
constexpr rlim_t max_processor_time = 3600, max_file = 64 << 20;  // seconds, bytes

// Limits private memory but not mapped files, because a model's weights are mapped. A model may save files as large as
// itself.
void limit_this_process(const std::string& kind) {
  const auto limit = [](auto resource, rlim_t most) {
    const rlimit both{most, most};
    ::setrlimit(resource, &both);
  };
#ifndef __SANITIZE_ADDRESS__
  const auto memory = static_cast<rlim_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  limit(RLIMIT_DATA, std::min(rlim_t{16} << 30, memory));
#endif
  if (kind != Model::kind) limit(RLIMIT_FSIZE, max_file);
  ::signal(SIGXFSZ, SIG_DFL);  // the parent process may ignore it
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, max_processor_time);
}

// Replaces a policy's embedding: a function of the text, zeros for the empty one.
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
                                const std::string& folder) -> LanguageModel& {
    return language_models->in_folder(folder);
  };
  return services;
}

void read_dataset(const json& choice, const plugin::Services& services, ConformanceRequest& request) {
  auto dataset = inference::open_plugin<Dataset>(choice, services);
  data::RecordSource source(dataset, {});
  for (const std::string split : {"train", "valid", "test"}) {
    const auto size = dataset.call("size", [&](Dataset& d) { return d.size(split); });
    for (int64_t i = 0; i < size && std::ssize(request.examples) < examples_of_a_dataset; ++i)
      request.examples.push_back(dataset.call("get", [&](Dataset& d) { return d.get(split, i); }));
  }
  for (int64_t i = 0; i < std::min(source.size(), examples_of_a_dataset); ++i)
    request.records.push_back(source.record(i));
  if (request.examples.empty() || request.records.empty())
    throw Error("--dataset " + dataset.identity().name, "has no examples", "choose another dataset", Exit::data);
  request.real_records = true;
}

ConformanceRequest parse(const json& options, const plugin::Services& services) {
  ConformanceRequest request;
  request.chosen = {options.at("kind"), options.at("name"), options.at("path").get<std::string>(),
                    options.at("sha256")};
  request.version = options.at("version");
  request.settings = options.at("settings");
  request.missing = options.at("missing");
  request.unset = options.at("unset");
  request.edges = options.at("edges");
  if (!options.at("dataset").is_null()) {
    read_dataset(options.at("dataset"), services, request);
  } else {
    for (const std::string id : {"made-up-1", "made-up-2", "made-up-3"}) {
      request.examples.push_back(made_up_example(id));
      request.records.push_back(made_up_record(id));
    }
  }
  // In a run, the vocabulary size of a new model comes from the tokenizer.
  if (request.chosen.kind == Model::kind && request.settings.is_object() &&
      request.settings.value("config", json()).is_object())
    request.settings["config"].emplace("vocab_size", 1024);
  return request;
}

bool run_test(const ConformanceRequest& request, const plugin::Services& services, Reporter& report) {
  const auto& kind = request.chosen.kind;
  if (kind == ChatModel::kind) return ConformanceTest<ChatModel>(request, services, report).run();
  if (kind == Dataset::kind) return ConformanceTest<Dataset>(request, services, report).run();
  if (kind == Model::kind) return ConformanceTest<Model>(request, services, report).run();
  if (kind == Reward::kind) return ConformanceTest<Reward>(request, services, report).run();
  if (kind == Reweighting::kind) return ConformanceTest<Reweighting>(request, services, report).run();
  if (kind == Similarity::kind) return ConformanceTest<Similarity>(request, services, report).run();
  if (kind == Stage::kind) return ConformanceTest<Stage>(request, services, report).run();
  throw Error(kind, "has no checks", "", Exit::failure);
}

}  // namespace

int check_plugin(const json& options) {
  Reporter report(options.at("report"));
  try {
    limit_this_process(options.at("kind"));
    const auto services = services_of_a_check();
    const ConformanceRequest request = parse(options, services);
    report.watch(options.at("patience"));
    const ProcessState state;
    const bool made = run_test(request, services, report);
    report.begin("process");
    const auto changes = state.changes();
    for (const auto& what : changes) report.fails(what);
    if (changes.empty()) report.holds("streams, umask, environment, limits and signal handlers are unchanged");
    report.finish(made);
  } catch (const std::exception& error) {
    report.fail(error.what());
  }
  return 0;
}

}  // namespace compeer::conformance
