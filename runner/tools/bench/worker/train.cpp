// Benchmark of training steps.
#include "tools/bench/worker/train.h"

#include <ATen/ops/mul.h>
#include <ATen/ops/sum.h>
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "base/random.h"
#include "comm/tree_sum.h"
#include "inference/device.h"
#include "kernels/workers.h"
#include "tools/bench/measurement.h"
#include "tools/bench/worker/model.h"
#include "train/batch/sequences.h"
#include "train/metrics/memory.h"
#include "train/update/optimizer.h"
#include "train/update/parameters.h"

namespace compeer::bench {

namespace {

using nlohmann::json;

struct Load {
  std::string size, device, engine, compute, model;
  int64_t batch, length, repeats, adapter;
  int64_t micro_batch;  // sequences per backward pass, as in sft.micro_batch
};

Load load(const json& options) {
  const auto or_else = [&](const char* key, int64_t value) {
    const auto given = options.value(key, int64_t{0});
    return given > 0 ? given : value;
  };
  const auto size = options.at("size").get<std::string>(), model = options.value("model", "");
  const bool big = is_large(size);
  const auto device = inference::use_device_option(options.value("device", "cpu"), "libtorch");
  return {model.empty() ? size : std::filesystem::path(model).filename().string(),
          device,
          device == "cpu" ? "exact" : "libtorch",
          options.value("compute", "float32"),
          model,
          or_else("batch", big ? 4 : 16),
          or_else("seq", big ? 128 : 192),
          or_else("repeats", big ? 1 : 5),
          options.value("adapter", int64_t{0}),
          or_else("together", 8)};
}

std::vector<train::TrainingSequence> lessons(const Load& of, int64_t vocabulary) {
  std::vector<train::TrainingSequence> all;
  for (uint32_t i = 0; i < of.batch; ++i) {
    std::vector<int32_t> tokens;
    for (uint32_t j = 0; j < of.length; ++j)
      tokens.push_back(static_cast<int32_t>(below(static_cast<uint64_t>(vocabulary), 1, Stream::shuffle, i, j)));
    all.emplace_back(std::move(tokens), 1);
  }
  return all;
}

// Seconds of each part of the steps so far.
struct Seconds {
  std::vector<double> forward, backward, sum, optimizer, step;
};

class TimedSteps {
 public:
  TimedSteps(inference::OpenModel& model, const Load& of)
      : policy_(*model.policy),
        batch_(lessons(of, policy_.model.shape().vocabulary)),
        targets_(of.batch * (of.length - 1)),
        together_(of.micro_batch),
        parameters_(policy_.model),
        optimizer_({}, 1e-5, 1, parameters_.size()),
        gradients_(world_, (of.batch + of.micro_batch - 1) / of.micro_batch, parameters_.size(), train::add) {}

  void step(Seconds& seconds) {
    double forward = 0, backward = 0, sum = 0;
    const auto into = [](double& total, const std::function<void()>& work) { total += timed(1, work).front(); };
    double whole = 0, optimizer = 0;
    into(whole, [&] {
      for (int64_t i = 0; i < gradients_.leaves(); ++i) {
        const auto own = std::span(batch_).subspan(static_cast<size_t>(i * together_));
        at::Tensor loss;
        const auto gradient = gradients_.next_leaf_buffer();
        into(forward, [&] {
          const auto known = train::log_probs(policy_, own.first(std::min(own.size(), static_cast<size_t>(together_))));
          loss = at::mul(at::sum(known), -1.0 / static_cast<double>(targets_));
        });
        const auto ready = [&](comm::ElementRange elements) { gradients_.mark_final(elements); };
        into(backward, [&] { parameters_.differentiate(loss, gradient, {.is_zero = true}, ready); });
        into(sum, [&] { gradients_.add(i, gradient); });
      }
      std::span<float> gradient;
      into(sum, [&] { gradient = gradients_.finish(); });
      into(optimizer, [&] {
        optimizer_.step(gradient, train::norm_of(gradient), parameters_.weights());
        parameters_.weights_changed();
        policy_.parameters_changed();
      });
    });
    seconds.forward.push_back(forward);
    seconds.backward.push_back(backward);
    seconds.sum.push_back(sum);
    seconds.optimizer.push_back(optimizer);
    seconds.step.push_back(whole);
  }

 private:
  comm::World world_;
  rollout::Policy& policy_;
  const std::vector<train::TrainingSequence> batch_;
  const int64_t targets_, together_;
  train::Parameters parameters_;
  train::Optimizer optimizer_;
  comm::TreeSum gradients_;
};

void report(const Load& of, const std::string& what, const std::string& unit, const TimingSpread& values) {
  const int threads = kernels::threads();
  json line = measurement(
      "train",
      fmt::format("{}: {} {}{}, {} x {}, {} thread{}", what, of.size, of.device == "cpu" ? of.engine : of.device,
                  of.compute == "float32" ? "" : ", products in " + of.compute, of.batch, of.length, threads,
                  threads > 1 ? "s" : ""),
      unit, values);
  line.update(
      {{"size", of.size}, {"batch", of.batch}, {"seq", of.length}, {"together", of.micro_batch}, {"threads", threads}});
  std::cout << line.dump() << std::endl;
}

}  // namespace

int bench_train(const json& options) {
  const Load of = load(options);
  std::optional<BenchModel> files;
  const bool halves = of.adapter > 0 && of.compute == "bfloat16";
  if (of.model.empty()) files.emplace(bench_size(of.size), halves ? "bf16" : "fp32");
  inference::OpenModel model({.folder = files ? files->folder() : std::filesystem::path(of.model),
                              .precision = halves ? "stored" : "float32",
                              .compute = of.compute,
                              .engine = of.engine,
                              .device = of.device,
                              .frozen = false,
                              .adapter = of.adapter});
  train::keep_copies(model.plugin->object(), true);
  TimedSteps steps(model, of);
  Seconds warm, seconds;
  steps.step(warm);
  for (int64_t i = 0; i < of.repeats; ++i) steps.step(seconds);

  auto rates = seconds.step;
  for (double& value : rates) value = static_cast<double>(of.batch * of.length) / value;
  report(of, "training", "tok/s", spread(rates));
  report(of, "forward", "s", spread(seconds.forward));
  report(of, "backward", "s", spread(seconds.backward));
  report(of, "sum", "s", spread(seconds.sum));
  report(of, "optimizer", "s", spread(seconds.optimizer));
  report(of, "peak memory", "MB", spread({train::peak_memory()}));
  if (of.device != "cpu") report(of, "device memory", "MB", spread({inference::gpu_memory_used_mib()}));
  return 0;
}

}  // namespace compeer::bench
