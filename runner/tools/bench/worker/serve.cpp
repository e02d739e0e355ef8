// Benchmark of the server.
#include "tools/bench/worker/serve.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "inference/model_input.h"
#include "kernels/workers.h"
#include "serve/service.h"
#include "tools/bench/measurement.h"

namespace compeer::bench {

namespace {

using nlohmann::json;

// Returns the text of question `i`. The folder's template makes the prompt depend on its length.
std::string text_of(int64_t i) { return std::string(static_cast<size_t>(1 + i), 'a'); }

// An HTTP connection for a sequence of questions.
class BenchClient {
 public:
  explicit BenchClient(uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    if (::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("no connection to the server");
  }
  ~BenchClient() { ::close(fd_); }
  BenchClient(const BenchClient&) = delete;
  BenchClient& operator=(const BenchClient&) = delete;

  json ask(const json& body) {
    const auto text = body.dump();
    const auto request = fmt::format(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: "
        "{}\r\n\r\n{}",
        text.size(), text);
    if (::send(fd_, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
      throw std::runtime_error("can't send a request to the server");
    return json::parse(answer());
  }

 private:
  std::string answer() {
    std::string got;
    for (;;) {
      if (const auto end = got.find("\r\n\r\n"); end != std::string::npos) {
        const auto length = std::stoul(got.substr(got.find("Content-Length: ") + 16));
        if (got.size() >= end + 4 + length) return got.substr(end + 4, length);
      }
      char bytes[16384];
      const auto count = ::recv(fd_, bytes, sizeof bytes, 0);
      if (count <= 0) throw std::runtime_error("no answer from the server");
      got.append(bytes, static_cast<size_t>(count));
    }
  }

  int fd_;
};

}  // namespace

int bench_serve(const json& options) {
  const auto or_else = [&](const char* key, int64_t value) {
    const auto given = options.at(key).get<int64_t>();
    return given > 0 ? given : value;
  };
  const auto folder = options.at("model").get<std::string>(), size = options.at("size").get<std::string>();
  const int64_t clients = or_else("batch", 32), fresh = or_else("new", 64), repeats = or_else("repeats", 5);
  const int64_t requests = or_else("prompts", 4 * clients);
  inference::OpenModel model({.folder = folder});
  const inference::ModelInput input(folder, model);

  rollout::Engine engine(*model.policy);
  rollout::Request request;
  request.sampling.max_new_tokens = fresh;
  request.sampling.concurrent = clients;
  std::vector<rollout::Prompt> prompts;
  for (int64_t i = 0; i < requests; ++i) {
    const json messages = {{{"role", "user"}, {"content", text_of(i)}}};
    prompts.push_back(input.compute_vision(input.read({{"messages", messages}}, "bench", true, fresh)));
    prompts.back().index = static_cast<uint32_t>(i);
  }

  serve::ChatService service(*model.policy, {{"bench", input, {}}},
                             {.token = "", .concurrent = clients, .cache_bytes = 0});
  serve::HttpServer server("127.0.0.1", 0);
  server.start([](const serve::HttpRequest&) { return std::nullopt; },
               [&](serve::HttpRequest asked, std::shared_ptr<serve::Response> response) {
                 service.handle(std::move(asked), std::move(response));
               });
  const auto url = server.url();
  const auto port = static_cast<uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  std::thread computing([&] { service.run(); });

  std::atomic<int64_t> said = 0;
  const auto ask_all = [&] {
    std::vector<std::thread> all;
    for (int64_t c = 0; c < clients; ++c) {
      all.emplace_back([&, c] {
        BenchClient client(port);
        for (int64_t i = c; i < requests; i += clients) {
          const json messages = {{{"role", "user"}, {"content", text_of(i)}}};
          const auto answer =
              client.ask({{"model", "bench"}, {"messages", messages}, {"max_tokens", fresh}, {"seed", i}});
          said += answer.at("usage").at("completion_tokens").get<int64_t>();
        }
      });
    }
    for (auto& client : all) client.join();
  };
  const auto generate_all = [&] { engine.generate(prompts, request); };
  ask_all(), generate_all();  // warm
  said = 0;
  std::vector<double> served, generated, ratios;
  for (int64_t i = 0; i < repeats; ++i) {
    const auto tokens = static_cast<double>(requests * fresh);
    generated.push_back(tokens / timed(1, generate_all).front());
    served.push_back(tokens / timed(1, ask_all).front());
    ratios.push_back(served.back() / generated.back());
  }
  service.stop();
  computing.join();
  if (said != repeats * requests * fresh) throw std::runtime_error("completions ended early");
  const auto print = [&](const char* what, const char* unit, const std::vector<double>& values) {
    const int threads = kernels::threads();
    auto line = measurement("serve",
                            fmt::format("{}: {}, {} at once, {} new, {} thread{}", what, size, clients, fresh, threads,
                                        threads > 1 ? "s" : ""),
                            unit, spread(values));
    line.update({{"size", size}, {"clients", clients}, {"requests", requests}, {"new", fresh}, {"threads", threads}});
    std::cout << line.dump() << std::endl;
  };
  print("generated", "tok/s", generated);
  print("served", "tok/s", served);
  print("served / generated", "x", ratios);
  return 0;
}

}  // namespace compeer::bench
