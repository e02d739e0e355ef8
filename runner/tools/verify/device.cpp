// Compares a device with the exact kernels of the host, and measures its speed.
#include "tools/verify/device.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>

#include "base/disk.h"
#include "base/error.h"
#include "inference/certificate.h"
#include "inference/device.h"
#include "inference/open_model.h"
#include "inference/services.h"
#include "tools/verify/values.h"
#include "train/update/learning.h"
#include "train/update/optimizer.h"

namespace compeer::verify {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int64_t vocabulary = 5000;
constexpr const char* difference_name = "rollout - trainer in three steps";

// Tolerances of a device's results. In bfloat16 both sides round the same factors, but a different order of summation
// changes some roundings. AdamW's first steps are as large for small gradients as for large ones, so a small gradient
// whose sign is changed by rounding counts fully; unrelated changes have a distance of 1.4.
struct Tolerances {
  double hidden, gradient, log_prob, difference, weights;
};
constexpr Tolerances float32{1e-4, 1e-4, 1e-3, 1e-3, 0.05}, bfloat16{2e-2, 3e-2, 0.1, 0.1, 0.5};

const Tolerances& tolerances(const std::string& compute) { return compute == "float32" ? float32 : bfloat16; }

// Creates a random model with larger weights, so that its predictions are less uniform.
void make_model(const std::string& family, const fs::path& folder) {
  json config{{"vocab_size", vocabulary},       {"hidden_size", 256},
              {"num_hidden_layers", 3},         {"num_attention_heads", 8},
              {"num_key_value_heads", 2},       {"intermediate_size", 704},
              {"max_position_embeddings", 512}, {"rope_theta", 10000.0},
              {"rms_norm_eps", 1e-6},           {"tie_word_embeddings", family != "mistral"}};
  if (family == "mistral") config["sliding_window"] = 24;
  const json settings{
      {"path", nullptr}, {"config", config}, {"frozen", false}, {"precision", "float32"}, {"engine", "exact"}};
  auto services = inference::command_services();
  services.seed = 5;
  auto model = inference::open_plugin<Model>(family, settings, services);
  for (const Parameter& p : model.object().parameters()) {
    if (p.value.dim() > 1) p.value.detach().mul_(3);
  }
  fs::create_directories(folder);
  model.object().save(folder);
}

std::vector<rollout::Prompt> prompts() {
  std::vector<rollout::Prompt> all;
  for (uint32_t i = 0; i < 5; ++i) {
    rollout::Prompt one{i, {}};
    for (uint32_t k = 0; k < 3 + 17 * i; ++k)
      one.tokens.push_back(static_cast<int32_t>((37 * k + 911 * i) % vocabulary));
    all.push_back(one);
  }
  return all;
}

rollout::Request request() {
  rollout::Request request;
  request.group_size = 4;
  request.sampling.max_new_tokens = 24;
  request.sampling.concurrent = 12;
  request.seed = 4;
  return request;
}

double length_of(const at::Tensor& x) { return x.to(at::kDouble).norm().item<double>(); }
double distance(const at::Tensor& ours, const at::Tensor& reference) {
  return length_of(ours.to(at::kDouble) - reference.to(at::kDouble)) / length_of(reference);
}

// Hidden states of a tree of segments, and the gradients of a loss computed from them.
struct Passed {
  at::Tensor hidden, gradient;
};
Passed pass(inference::OpenModel& model) {
  Batch batch;
  const int64_t lengths[] = {40, 30, 7, 21};
  std::vector<int64_t> tokens;
  for (int64_t i = 0; i < 98; ++i) tokens.push_back(131 * i % vocabulary);
  batch.tokens = at::tensor(tokens, at::kLong);
  for (int64_t start = 0, i = 0; i < 4; start += lengths[i++])
    batch.segments.push_back({start, lengths[i], i == 0 ? 0 : 40, i == 0 ? -1 : 0, {}});
  const auto hidden = model.policy->forward(batch, nullptr);
  const auto target = at::tensor(tokens, at::kLong).roll(-1);
  const auto logprobs = model.policy->arithmetic.token_logprobs(hidden, model.policy->head, target, 0.9);
  (logprobs.log_prob.mean() + 0.01 * logprobs.entropy.mean()).backward();
  std::vector<at::Tensor> gradients;
  for (const Parameter& p : model.policy->model.parameters()) gradients.push_back(p.value.grad().cpu().flatten());
  return {hidden.detach(), at::cat(gradients)};
}

// The change of weights by three GRPO steps on given completions, and the largest difference from the log-probabilities
// that the device itself recorded while sampling.
struct TrainingOutcome {
  at::Tensor change;
  double difference = 0;
};
TrainingOutcome learn(inference::OpenModel& model, const std::vector<std::vector<rollout::Sample>>& samples, bool own) {
  train::Parameters parameters(model.policy->model);
  train::Optimizer optimizer({.beta2 = 0.99, .weight_decay = 0.01}, 1e-3, 3, parameters.size());
  train::ModelPass pass(*model.plugin, *model.policy, 1.0);
  std::vector<float> gradient(static_cast<size_t>(parameters.size()));
  const auto copy = [&] { return at::from_blob(parameters.weights().data(), {parameters.size()}, at::kFloat).clone(); };
  const auto before = copy();
  const auto asked = prompts();
  TrainingOutcome result;
  for (uint32_t step = 0; step < 3; ++step) {
    auto sampling = request();
    sampling.step = step;
    const auto now = own ? rollout::generate(*model.policy, asked, sampling) : samples;
    for (size_t i = 0; i < 2; ++i) {
      train::PromptGroup prompt;
      prompt.index = static_cast<int64_t>(i);
      prompt.prompt = asked[i + 1].tokens;
      prompt.samples = now[i + 1];
      train::LearningGroup group(prompt, false);
      group.rewards = {1, 0, 2, 0};
      group.advantages = {0.1, -1.2, 1.1, -0.4};
      const train::UpdateContext goal{{}, {{4, 96, 24}, 0, 96}, {}};
      const auto stats = train::accumulate_gradient(pass, parameters, group, goal, {gradient, i > 0});
      if (own) result.difference = std::max(result.difference, stats.rollout_difference);
    }
    optimizer.step(gradient, train::norm_of(gradient), parameters.weights());
    parameters.weights_changed();
    model.policy->parameters_changed();
  }
  result.change = copy() - before;
  return result;
}

// Compares one model on the host and on the device.
class BothSides {
 public:
  BothSides(const std::string& name, const fs::path& folder, std::string compute, std::string device, int64_t adapter,
            std::vector<Check>& checks)
      : name_(name + " " + compute),
        folder_(folder),
        compute_(std::move(compute)),
        device_(std::move(device)),
        adapter_(adapter),
        checks_(checks) {}

  void run() {
    compare_passes();
    compare_scores();
    compare_draws();
    compare_learning();
  }

 private:
  inference::ModelOptions options(bool there, bool frozen) const {
    return {.folder = folder_,
            .precision = "float32",
            .compute = compute_,
            .engine = there ? "libtorch" : "exact",
            .device = there ? device_ : "cpu",
            .frozen = frozen,
            .adapter = adapter_};
  }

  void add(const std::string& what, double error, double tolerance, const std::string& note = "") {
    checks_.push_back(check(name_ + ": " + what, error, tolerance, note));
  }

  void compare_passes() {
    inference::OpenModel here(options(false, false)), there(options(true, false));
    const auto expected = pass(here), got = pass(there);
    const Tolerances& allowed = tolerances(compute_);
    add("hidden states", distance(got.hidden, expected.hidden), allowed.hidden, "relative");
    add("gradients", distance(got.gradient, expected.gradient), allowed.gradient, "relative");
    auto again = options(true, false);
    again.recompute_above = 0;
    inference::OpenModel recomputing(again);
    add("gradients of what is computed again", distance(pass(recomputing).gradient, got.gradient), 1e-4, "relative");
  }

  void compare_scores() {
    inference::OpenModel here(options(false, true)), there(options(true, true));
    const auto expected = rollout::Engine(*here.policy).score(prompts()),
               got = rollout::Engine(*there.policy).score(prompts());
    Largest largest;
    for (size_t i = 0; i < got.size(); ++i) {
      for (size_t k = 0; k < got[i].size(); ++k) largest.compare(got[i][k], expected[i][k]);
    }
    checks_.push_back(largest.check(name_ + ": log-probs of texts", tolerances(compute_).log_prob));
  }

  // Draws one token each, on the device and on the host, from the device's logits.
  void compare_draws() {
    inference::OpenModel there(options(true, true));
    auto plain = request();
    plain.group_size = 64;
    plain.sampling.max_new_tokens = 1;
    plain.sampling.concurrent = 64;
    auto seen = plain;  // a rule that needs logits makes the engine copy them to the host
    seen.rules = [](uint32_t) { return rollout::CompletionRules{nullptr, [](std::span<float>) {}}; };
    const auto by_device = rollout::generate(*there.policy, prompts(), plain),
               by_host = rollout::generate(*there.policy, prompts(), seen);
    int64_t other = 0, count = 0;
    Largest log_probs;
    for (size_t i = 0; i < by_host.size(); ++i) {
      for (size_t k = 0; k < by_host[i].size(); ++k, ++count) {
        const bool same = by_device[i][k].tokens == by_host[i][k].tokens;
        other += !same;
        if (same) log_probs.compare(by_device[i][k].log_probs[0], by_host[i][k].log_probs[0]);
      }
    }
    add("tokens drawn otherwise than by the host", static_cast<double>(other), 0, fmt::format("of {}", count));
    checks_.push_back(log_probs.check(name_ + ": their log-probs", 1e-5));
  }

  void compare_learning() {
    const Tolerances& allowed = tolerances(compute_);
    inference::OpenModel sampler(options(false, true));
    const auto samples = rollout::generate(*sampler.policy, prompts(), request());
    const auto learnt = [&](bool there, bool own) {
      inference::OpenModel model(options(there, false));
      return learn(model, samples, own);
    };
    add("change of weights by three steps", distance(learnt(true, false).change, learnt(false, false).change),
        allowed.weights, "relative");
    add(difference_name, learnt(true, true).difference, allowed.difference, "nats");
  }

  const std::string name_;
  const fs::path folder_;
  const std::string compute_, device_;
  const int64_t adapter_;
  std::vector<Check>& checks_;
};

}  // namespace

std::vector<Check> check_device(const std::string& device, const std::vector<std::string>& families) {
  const Scratch scratch;
  std::vector<Check> checks;
  for (const auto& family : families) {
    const auto folder = scratch.folder() / family;
    make_model(family, folder);
    for (const std::string compute : {"float32", "bfloat16"}) {
      BothSides(family, folder, compute, device, 0, checks).run();
      if (family == "qwen2") BothSides("qwen2 with an adapter", folder, compute, device, 8, checks).run();
    }
  }
  return checks;
}

namespace {

double seconds_of(const std::function<void()>& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// Measures rates: products of large matrices, copies on the device and to it.
ordered_json measure_speed() {
  constexpr int64_t side = 8192, repetitions = 10;
  const at::TensorOptions there = at::TensorOptions(at::kCUDA).dtype(at::kBFloat16);
  const auto a = at::randn({side, side}, there), b = at::randn({side, side}, there);
  const auto wait = [](const at::Tensor& result) { return result[0][0].item<float>(); };
  const auto host = at::randn({side, side}, at::kFloat);
  const auto rate = [&](double amount, const std::function<at::Tensor()>& work) {
    wait(work());
    const double seconds = seconds_of([&] {
      at::Tensor last;
      for (int64_t i = 0; i < repetitions; ++i) last = work();
      wait(last);
    });
    return amount * repetitions / seconds;
  };
  const double numbers = static_cast<double>(side * side), products = 2 * numbers * static_cast<double>(side);
  return {{"bfloat16_tflops", rate(products, [&] { return at::mm(a, b); }) * 1e-12},
          {"float32_tflops", rate(products, [c = a.to(at::kFloat)] { return at::mm(c, c); }) * 1e-12},
          {"copy_gb_per_s", rate(2 * 2 * numbers, [&] { return a.clone(); }) * 1e-9},
          {"upload_gb_per_s", rate(4 * numbers, [&] { return host.to(at::kCUDA); }) * 1e-9}};
}

void open_device(bool as_json) {
  try {
    inference::use_device_option("cuda", "libtorch");
  } catch (const Error& error) {
    if (as_json)
      std::cout << ordered_json{{"passed", false}, {"problem", error.problem()}, {"remedy", error.help()}}.dump()
                << std::endl;
    throw;
  }
}

}  // namespace

int verify_device(const json& options) {
  open_device(options.at("json"));
  const auto gpu = inference::gpu_in_use();
  const auto software = inference::cuda_software();
  const auto checks = check_device("cuda", {"qwen2", "qwen3", "mistral"});
  const auto speed = measure_speed();
  bool passed = true;
  double difference = 0;
  auto list = ordered_json::array();
  for (const Check& one : checks) {
    list.push_back({{"check", one.name}, {"error", one.error}, {"tolerance", one.tolerance}, {"passed", one.passed}});
    passed = passed && one.passed;
    if (one.name.find(difference_name) != one.name.npos) difference = std::max(difference, one.error);
  }
  const std::string file = passed ? inference::write_certificate(gpu, software, difference, list, speed) : "";
  if (options.at("json").get<bool>()) {
    std::cout << ordered_json{{"device", gpu.name},    {"driver", software.driver},
                              {"cuda", software.cuda}, {"libtorch", software.libtorch},
                              {"passed", passed},      {"certificate", file},
                              {"speed", speed},        {"checks", list}}
                     .dump()
              << '\n';
    return passed ? 0 : 1;
  }
  fmt::print("{}, compute capability {}, driver {}, CUDA {}, libtorch {}\n", inference::text(gpu), gpu.capability,
             software.driver, software.cuda, software.libtorch);
  fmt::print("{:<68} {:>10} {:>10}\n", "against the exact kernels of the CPU", "error", "tolerance");
  for (const Check& one : checks)
    fmt::print("{:<68} {:>10.3g} {:>10.3g}  {}  {}\n", one.name, one.error, one.tolerance, one.passed ? "pass" : "FAIL",
               one.note);
  for (const auto& [name, rate] : speed.items()) fmt::print("{}: {:.4g}\n", name, rate.get<double>());
  fmt::print("{}\n", passed ? "certificate: " + file : "not certified: a check failed");
  return passed ? 0 : 1;
}

}  // namespace compeer::verify
