// Benchmarks of whole GRPO steps: alone, over ranks and threads, and with judges behind a slow endpoint, whose latency
// decoding can hide.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "base/disk.h"
#include "base/error.h"
#include "base/hash.h"
#include "serve/http.h"
#include "tools/bench/bench.h"
#include "tools/bench/step_run.h"

namespace compeer::bench {

namespace {

using nlohmann::json;

json line(const std::string& bench, const StepLoad& load, const std::string& what, const std::string& unit,
          const std::vector<double>& values) {
  auto one = measurement(bench, what + ": " + load.text(), unit, spread(values));
  one.update(load.fields());
  return one;
}

// Returns the slope of memory over the second half of a long run, after warm-up.
std::vector<double> growth(const std::vector<double>& memory) {
  const size_t half = memory.size() / 2;
  return {100 * (memory.back() - memory[half]) / static_cast<double>(memory.size() - 1 - half)};
}

constexpr size_t long_row = 100;  // number of steps from which on memory growth is reported

namespace fs = std::filesystem;

// A server that answers each question, after a delay, with one of the choices in the request.
class SlowJudge {
 public:
  explicit SlowJudge(int64_t milliseconds) : delay_(milliseconds) {
    server_.start([](const serve::HttpRequest&) { return std::nullopt; },
                  [this](const serve::HttpRequest& request, const std::shared_ptr<serve::Response>& response) {
                    const int64_t now = ++under_way_;
                    for (int64_t most = most_; now > most && !most_.compare_exchange_weak(most, now);) {
                    }
                    std::this_thread::sleep_for(delay_);
                    response->send(200, answer(request.body));
                    ++requests_;
                    --under_way_;
                  });
  }

  std::string url() const { return server_.url() + "/v1"; }
  double requests() const { return static_cast<double>(requests_); }
  double most_under_way() const { return static_cast<double>(most_); }

 private:
  static std::string answer(const std::string& body) {
    const json choices = json::parse(body).at("response_format").at("choices");
    const auto chosen = static_cast<size_t>(sha256(body)[0]) % choices.size();
    return json{{"choices", {{{"message", {{"content", choices.at(chosen)}}}, {"finish_reason", "stop"}}}}}.dump();
  }

  const std::chrono::milliseconds delay_;
  std::atomic<int64_t> under_way_ = 0, most_ = 0, requests_ = 0;
  serve::HttpServer server_{"127.0.0.1", uint16_t{0}, {.connections = 2048}};
};

// Rewards of each completion, and the maximum number of a reward's requests in flight.
struct JudgingPlan {
  const char* name;
  int64_t concurrent;
  std::vector<const char*> rewards;
};
const JudgingPlan plans[] = {
    {"4 questions in a chain, 64 at once", 64, {"plugin = \"unifireward\""}},
    {"the same asked ahead, 512 at once", 512, {"plugin = \"unifireward\"\nspeculate = true"}},
    {"5 questions apart, 64 at once", 64, {"plugin = \"prm\"", "plugin = \"orm\"\nvotes = 2"}}};

std::string spec_of(const StepLoad& load, const JudgingPlan& judging, const std::string& url) {
  std::string rewards;
  for (const char* reward : judging.rewards) {
    rewards += fmt::format(
        "[[rewards]]\n{}\nchat = {{ plugin = \"openai\", url = \"{}\", name = \"slow\", concurrent = {}, "
        "response_format = \"choices\", key_env = \"COMPEER_NO_KEY\" }}\n",
        reward, url, judging.concurrent);
  }
  return fmt::format(R"(name = "scoring"
task = "grpo"
ranks = {}
threads = {}
model = {{ plugin = "auto", path = {} }}
dataset = {{ plugin = "esc_world" }}
reweighting = {{ plugin = "none" }}
sampling = {{ max_new_tokens = 160 }}
grpo = {{ group_size = {}, batch = {}, steps = {}, lr = 1e-6 }}
checkpoint = {{ every = 0, keep = 1 }}
{})",
                     load.ranks, load.threads, json(load.model).dump(), load.group, load.prompts, load.steps + 1,
                     rewards);
}

}  // namespace

std::vector<json> bench_grpo_step(const BenchOptions& options) {
  const StepLoad load(options);
  const Scratch scratch;
  write_step_model(load, scratch.folder());
  const auto times = run_steps(load, scratch.folder());

  std::vector<json> lines;
  const auto add = [&](const std::string& what, const std::string& unit, const std::vector<double>& values) {
    lines.push_back(line("grpo_step", load, what, unit, values));
  };
  auto rates = times.of("seconds/whole");
  for (double& value : rates) value = load.tokens() / value;
  add("a step", "s", times.of("seconds/whole"));
  add("new tokens", "tok/s", rates);
  for (const auto& phase : times.phases()) add(phase, "s", times.of("seconds/" + phase));
  add("share of log", "%", times.share("log"));
  add("share of reduce", "%", times.share("reduce"));
  add("completions", "tokens", times.of("length"));
  const auto& memory = times.of("peak_memory");
  add("peak memory", "MB", {memory.back()});
  if (memory.size() >= long_row) add("memory growth", "MB/100 steps", growth(memory));
  return lines;
}

std::vector<json> bench_scaling(const BenchOptions& options) {
  StepLoad load(options);
  const Scratch scratch;
  write_step_model(load, scratch.folder());
  std::vector<json> lines;
  double alone = 0;
  for (const auto& [ranks, threads] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {1, 2}, {2, 1}, {4, 1}}) {
    load.ranks = ranks, load.threads = threads;
    const auto times = run_steps(load, scratch.folder());
    lines.push_back(line("scaling", load, "a step", "s", times.of("seconds/whole")));
    const double median = lines.back().at("median");
    if (alone == 0) alone = median;
    // Efficiency relative to the number of processors available.
    const auto used = std::min<int64_t>(ranks * threads, ::sysconf(_SC_NPROCESSORS_ONLN));
    lines.back()["efficiency"] = alone / median / static_cast<double>(used);
    lines.back()["note"] = fmt::format("{:.2f} x one, {:.0f} % of {} processor{}; sums {:.1f} %", alone / median,
                                       100 * alone / median / static_cast<double>(used), used, used > 1 ? "s" : "",
                                       spread(times.share("reduce")).median);
  }
  return lines;
}

std::vector<json> bench_scoring(const BenchOptions& options) {
  if (options.model.empty())
    throw Error("--model", "is missing",
                "name a policy that was trained on esc_world: results/esc-world-sft/checkpoints/last", Exit::usage);
  const StepLoad load(options);
  std::vector<json> lines;
  for (const JudgingPlan& judging : plans) {
    for (const int64_t delay : {0, 50, 200, 1000}) {
      const Scratch scratch;
      const SlowJudge judge(delay);
      const auto times = run_spec(spec_of(load, judging, judge.url()), scratch.folder());
      const auto add = [&](const std::string& what, const std::string& unit, const std::vector<double>& values) {
        const auto title = fmt::format("{}: {} x {}, {}, {} ms", what, load.prompts, load.group, judging.name, delay);
        lines.push_back(measurement("scoring", title, unit, spread(values)));
        lines.back().update(
            {{"prompts", load.prompts}, {"group", load.group}, {"judging", judging.name}, {"ms", delay}});
      };
      add("not hidden", "s", times.of("seconds/score"));
      add("sampling", "s", times.of("seconds/rollout"));
      add("a step", "s", times.of("seconds/whole"));
      add("requests a step", "", {judge.requests() / static_cast<double>(load.steps + 1)});
      add("most under way", "", {judge.most_under_way()});
    }
  }
  return lines;
}

}  // namespace compeer::bench
