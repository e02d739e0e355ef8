#include "serve/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "inference/end_tokens.h"
#include "inference/use_options.h"
#include "serve/service.h"
#include "serve/signals.h"

namespace compeer::serve {

namespace {

constexpr const char* token_variable = "COMPEER_SERVE_TOKEN";

std::string token() {
  const char* value = std::getenv(token_variable);
  return value ? value : "";
}

// The folder's name, and what tells its files, and how they are computed with, from others: stored answers go by the
// name that a model was asked by, and `checkpoints/last` is what many are called.
std::string model_name(const nlohmann::json& options) {
  const auto folder = std::filesystem::absolute(options.at("model").get<std::string>()).lexically_normal();
  std::map<std::string, std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.is_regular_file()) files.emplace(file.path().filename().string(), sha256_file(file.path()));
  }
  const std::map<std::string, std::string> usual{{"dtype", "stored"}, {"compute", "float32"}, {"engine", "exact"}};
  for (const auto& [option, value] : usual) {
    if (const std::string given = options.at(option); given != value) files.emplace("--" + option, given);
  }
  const auto plain = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
  return plain + "-" + sha256(nlohmann::json(files).dump()).substr(0, 8);
}

// The model, then its adapters: {"name", "folder"}.
std::vector<std::string> names_of(const nlohmann::json& options) {
  const std::string own = options.at("name");
  std::vector<std::string> names{own.empty() ? model_name(options) : own};
  for (const auto& adapter : options.at("adapters")) names.push_back(adapter.at("name"));
  return names;
}

// Ends the server before what it calls goes.
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
  const std::string folder = options.at("model"), host = options.at("host");
  const auto names = names_of(options);
  HttpServer server(host, options.at("port").get<uint16_t>());
  if (!server.loopback() && token().empty()) {
    throw Error(
        "--host", host + " can be reached from other machines",
        fmt::format("export {}=... asks every request for this token; without one: --host 127.0.0.1", token_variable),
        Exit::usage);
  }
  inference::OpenModel model(inference::model_options(options));
  for (const auto& adapter : options.at("adapters")) model.add_adapter(adapter.at("folder").get<std::string>());
  const inference::ModelInput input(folder, model);
  input.tokens({{"messages", {{{"role", "user"}, {"content", "?"}}}}}, folder, true);  // it has a template
  ChatService service(*model.policy, input, inference::end_tokens(folder),
                      {.names = names,
                       .token = token(),
                       .concurrent = options.at("concurrent"),
                       .seed = options.at("seed"),
                       .cache_bytes = static_cast<int64_t>(options.at("cache").get<double>() * (1 << 30))});
  const EndedFirst ended_first{server};
  server.start([&](const HttpRequest& request) { return service.refused(request); },
               [&](HttpRequest request, std::shared_ptr<Response> response) {
                 service.take(std::move(request), std::move(response));
               });
  ready = &service;
  fmt::print("{}/v1\n", server.url());
  std::fflush(stdout);
  fmt::print(stderr, "serving {}{}; Ctrl-C ends\n", fmt::join(names, ", "),
             token().empty() ? "" : ", to those with the token");
  service.run();
  ready = nullptr;
  fmt::print(stderr, "{}\n", service.summary());
  return 0;
}

}  // namespace compeer::serve
