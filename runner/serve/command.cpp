// The command `compeer serve`: opens the models, starts the HTTP server and runs the service until a signal.
#include "serve/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include "base/files.h"
#include "base/hash.h"
#include "base/model_folder.h"
#include "base/signals.h"
#include "inference/command_options.h"
#include "serve/service.h"

namespace compeer::serve {

namespace {

/// While it lives, the first SIGINT or SIGTERM calls `told`, on a thread of its own. If `told` returns false, or on a
/// second signal (base/signals.h), the signal has its default action. Must be constructed before any other thread,
/// since threads created later inherit the blocked signals.
class EndSignals {
 public:
  explicit EndSignals(std::function<bool()> told);
  ~EndSignals();

 private:
  void wait();

  const std::function<bool()> told_;
  sigset_t both_, before_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

EndSignals::EndSignals(std::function<bool()> told) : told_(std::move(told)) {
  sigemptyset(&both_);
  sigaddset(&both_, SIGINT);
  sigaddset(&both_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &both_, &before_);
  thread_ = std::thread([this] { wait(); });
}

EndSignals::~EndSignals() {
  over_ = true;
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void EndSignals::wait() {
  const timespec while_looking{0, 100'000'000};
  StopRequests requests;
  while (!over_) {
    const int signal = sigtimedwait(&both_, nullptr, &while_looking);
    if (signal <= 0) continue;
    const int before = requests.count();
    if (requests.add() == before || (before == 0 && told_())) continue;
    // Shells start background jobs with SIGINT ignored.
    for (const int either : {SIGINT, SIGTERM}) std::signal(either, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &both_, nullptr);
    std::raise(signal);
  }
}

constexpr const char* token_variable = "COMPEER_SERVE_TOKEN";

std::string token() {
  const char* value = std::getenv(token_variable);
  return value ? value : "";
}

namespace fs = std::filesystem;

// Default name of a model: the folder's name and a hash of its files and of the options that change results. Clients
// store answers by model name, and many folders have the same name (`checkpoints/last`).
std::string name_of(const fs::path& given, const inference::ModelOptions& computes) {
  const auto folder = fs::absolute(given).lexically_normal();
  std::map<std::string, std::string> files;
  for (const auto& file : entries_of(folder)) {
    if (file.is_regular_file()) files.emplace(file.path().filename().string(), sha256_file(file.path()));
  }
  const auto unless_usual = [&](const char* option, const std::string& value, const char* usual) {
    if (value != usual) files.emplace(option, value);
  };
  unless_usual("--dtype", computes.precision, "stored");
  unless_usual("--compute", computes.compute, "float32");
  unless_usual("--engine", computes.engine, "exact");
  unless_usual("--device", computes.device, "cpu");
  const auto plain = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  return plain + "-" + sha256(nlohmann::json(files).dump()).substr(0, 8);
}

// The model and its adapters. Each uses the tokenizer, chat template and end tokens of its own folder, or the model's
// if its folder has none.
class Models {
 public:
  Models(const nlohmann::json& options, const inference::ModelOptions& computes, inference::OpenModel& model)
      : computes_(computes), folder_(computes.folder), model_(model) {
    add(options.at("name"), folder_);
    for (const auto& adapter : options.at("adapters")) {
      const fs::path folder = adapter.at("folder").get<std::string>();
      model_.add_adapter(folder);
      add(adapter.at("name"), folder);
    }
  }

  const std::vector<ServedModel>& all() const { return all_; }
  std::string names() const {
    std::vector<std::string> names;
    for (const auto& one : all_) names.push_back(one.name);
    return fmt::format("{}", fmt::join(names, ", "));
  }

 private:
  void add(const std::string& name, const fs::path& folder) {
    const auto& speech = inference::ModelInput::has_tokenizer(folder) ? folder : folder_;
    std::string files;
    for (const char* file : language::Tokenizer::file_names()) {
      if (fs::exists(speech / file)) files += file + sha256_file(speech / file);
    }
    const auto [input, fresh] = inputs_.try_emplace(files, folder_, model_, false, speech);
    // Fails early if there is no chat template.
    if (fresh) input->second.tokens({{"messages", {{{"role", "user"}, {"content", "?"}}}}}, speech, true);
    const auto called = name.empty() ? name_of(folder, computes_) : name;
    for (const auto& other : all_) {
      if (other.name == called)
        throw Error(folder.string(), "duplicate model name '" + called + "'", "pass NAME=FOLDER", Exit::usage);
    }
    auto ends = all_.empty() ? inference::end_tokens(folder) : inference::end_tokens(folder, base_model(folder_));
    all_.push_back({called, input->second, std::move(ends)});
  }

  const inference::ModelOptions& computes_;
  const fs::path folder_;
  inference::OpenModel& model_;
  std::map<std::string, inference::ModelInput> inputs_;  // by names and hashes of the tokenizer files
  std::vector<ServedModel> all_;
};

// Ends the server before the service that it calls is destroyed.
struct EndedFirst {
  ~EndedFirst() { server.end(); }
  HttpServer& server;
};

}  // namespace

int serve(const nlohmann::json& options) {
  std::atomic<ChatService*> ready = nullptr;
  const EndSignals signals([&] {
    ChatService* const service = ready;
    if (service) service->stop();
    return service != nullptr;
  });
  const std::string host = options.at("host");
  HttpServer server(host, options.at("port").get<uint16_t>());
  if (!server.loopback() && token().empty()) {
    throw Error(
        "--host", host + " can be reached from other machines",
        fmt::format("export {}=... to require this token in every request, or use --host 127.0.0.1", token_variable),
        Exit::usage);
  }
  const auto computes = inference::model_options(options);
  inference::OpenModel model(computes);
  const Models models(options, computes, model);
  ChatService service(*model.policy, models.all(),
                      {.token = token(),
                       .host = host,
                       .concurrent = options.at("concurrent"),
                       .seed = options.at("seed"),
                       .cache_bytes = static_cast<int64_t>(options.at("cache").get<double>() * (1 << 30))});
  const EndedFirst ended_first{server};
  server.start([&](const HttpRequest& request) { return service.check(request); },
               [&](HttpRequest request, std::shared_ptr<Response> response) {
                 service.handle(std::move(request), std::move(response));
               });
  ready = &service;
  fmt::print("{}/v1\n", server.url());
  std::fflush(stdout);
  fmt::print(stderr, "serving {}{}; press Ctrl-C to stop\n", models.names(), token().empty() ? "" : ", token required");
  service.run();
  ready = nullptr;
  fmt::print(stderr, "{}\n", service.summary());
  return 0;
}

}  // namespace compeer::serve
