// Benchmark of prefill and decoding.
#include "tools/bench/worker/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <optional>

#include "base/random.h"
#include "inference/device.h"
#include "kernels/limits.h"
#include "kernels/workers.h"
#include "rollout/engine.h"
#include "tools/bench/measurement.h"
#include "tools/bench/worker/model.h"
#include "train/metrics/memory.h"

namespace compeer::bench {

namespace {

using nlohmann::json;

struct Load {
  std::string size, dtype, compute, model, device;
  int64_t batch, group, prompt, new_tokens, repeats;
  int64_t sequences() const { return batch * group; }
};

Load load(const json& options) {
  const auto or_else = [&](const char* key, int64_t value) {
    const auto given = options.at(key).get<int64_t>();
    return given > 0 ? given : value;
  };
  const auto size = options.at("size").get<std::string>(), model = options.at("model").get<std::string>();
  const bool big = is_large(size);
  return {model.empty() ? size : std::filesystem::path(model).filename().string(),
          options.at("dtype").get<std::string>(),
          options.at("compute").get<std::string>(),
          model,
          inference::use_device_option(options.at("device"), "libtorch"),
          or_else("batch", big ? 4 : 16),
          or_else("group", 1),
          or_else("prompt", 128),
          std::max<int64_t>(2, or_else("new", big ? 32 : 64)),
          or_else("repeats", big ? 1 : 5)};
}

std::string precision(const std::string& dtype) {
  if (dtype == "fp32") return "stored";
  return dtype == "bf16" ? "bfloat16" : dtype;
}

// Returns bytes per weight, including scales.
double bytes_of(const std::string& dtype) {
  if (dtype == "fp32") return 4;
  if (dtype == "bf16") return 2;
  return dtype == "q8_0" ? 34.0 / 32 : 18.0 / 32;
}

// Resets the peak of resident memory.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

std::vector<rollout::Prompt> prompts(const Load& load, int64_t vocabulary) {
  std::vector<rollout::Prompt> all(static_cast<size_t>(load.batch));
  for (uint32_t i = 0; i < all.size(); ++i) {
    all[i].index = i;
    for (uint32_t j = 0; j < load.prompt; ++j)
      all[i].tokens.push_back(static_cast<int32_t>(below(static_cast<uint64_t>(vocabulary), 1, Stream::shuffle, i, j)));
  }
  return all;
}

// Returns the number of weights that a token is multiplied by, including the head.
double matrix_elements(Model& model) {
  double all = static_cast<double>(model.head().numel());
  for (const Parameter& one : model.parameters()) {
    if (one.name.find(".layers.") != one.name.npos && one.value.dim() == 2)
      all += static_cast<double>(one.value.numel());
  }
  return all;
}

class Report {
 public:
  explicit Report(const Load& load)
      : load_(load),
        setting_(fmt::format("{}{} {}{}, {} x {} + {}{}, {} thread{}", load.device == "cpu" ? "" : load.device + " ",
                             load.size, load.dtype, load.compute == "float32" ? "" : ", products in " + load.compute,
                             load.batch, load.prompt, load.group == 1 ? "" : fmt::format("{} x ", load.group),
                             load.new_tokens, kernels::threads(), kernels::threads() > 1 ? "s" : "")) {}

  void line(const std::string& what, const std::string& unit, const TimingSpread& values,
            const std::string& note = "") {
    json one = measurement("generate", what + ": " + setting_, unit, values);
    one.update({{"size", load_.size},
                {"dtype", load_.dtype},
                {"compute", load_.compute},
                {"batch", load_.batch},
                {"group", load_.group},
                {"prompt", load_.prompt},
                {"new", load_.new_tokens},
                {"threads", kernels::threads()}});
    if (!note.empty()) one["note"] = note;
    std::cout << one.dump() << std::endl;
  }

 private:
  const Load& load_;
  std::string setting_;
};

std::vector<double> each(std::vector<double> values, const std::function<double(double)>& f) {
  std::transform(values.begin(), values.end(), values.begin(), f);
  return values;
}

}  // namespace

int bench_generate(const json& options) {
  const Load of = load(options);
  const double memory = kernels::read_rate();
  std::optional<BenchModel> files;
  if (of.model.empty()) files.emplace(bench_size(of.size), of.dtype);
  forget_peak();

  std::optional<inference::OpenModel> model;
  const inference::ModelOptions opened{.folder = files ? files->folder() : std::filesystem::path(of.model),
                                       .precision = precision(of.dtype),
                                       .compute = of.compute,
                                       .engine = of.device == "cpu" ? "exact" : "libtorch",
                                       .device = of.device};
  const auto opening = timed(1, [&] { model.emplace(opened); });
  rollout::Engine engine(*model->policy);
  const auto all = prompts(of, model->policy->model.shape().vocabulary);
  auto short_ones = all;
  for (auto& one : short_ones) one.tokens.resize(std::min<size_t>(one.tokens.size(), 128));
  model->policy->draft_length = rollout::DraftLength(0);
  std::vector<double> prefill, step, decode;
  const auto generate = [&](const std::vector<rollout::Prompt>& read, int64_t fresh) {
    struct Pass {
      std::chrono::steady_clock::time_point end;
      int64_t said;  // tokens generated until then
    };
    std::vector<Pass> passes{{std::chrono::steady_clock::now(), 0}};
    int64_t said = 0;
    rollout::Request request;
    request.sampling.max_new_tokens = fresh;
    request.sampling.concurrent = of.sequences();
    request.group_size = of.group;
    request.rules = [&](uint32_t) { return rollout::CompletionRules{[&](int32_t) { return ++said < 0; }}; };
    request.progress = [&] { passes.push_back({std::chrono::steady_clock::now(), said}); };
    engine.generate(read, request);
    const auto seconds = [](const Pass& from, const Pass& to) {
      return std::chrono::duration<double>(to.end - from.end).count();
    };
    const Pass& first = passes[passes.size() - static_cast<size_t>(fresh)];  // start of decoding after the last prompt
    prefill.push_back(seconds(passes.front(), first));
    step.push_back(seconds(first, passes.back()) / static_cast<double>(fresh - 1));
    decode.push_back(static_cast<double>(said - first.said) / seconds(first, passes.back()));
  };
  generate(short_ones, 2);  // warm
  prefill.clear(), step.clear(), decode.clear();
  for (int64_t i = 0; i < of.repeats; ++i) generate(all, of.new_tokens);

  Report report(of);
  const double best = *std::min_element(step.begin(), step.end());
  const double bytes = matrix_elements(model->policy->model) * bytes_of(of.dtype);
  const auto read = static_cast<double>(of.batch * of.prompt);
  report.line("prefill", "tok/s", spread(each(prefill, [&](double s) { return read / s; })));
  report.line("decode", "tok/s", spread(decode));
  report.line("a step", "ms", spread(each(step, [](double s) { return 1000 * s; })),
              fmt::format("reads weights at {:.1f} GB/s", bytes / best * 1e-9) +
                  (of.device == "cpu"
                       ? fmt::format(", {:.0f} % of the memory's {:.1f}", 100 * bytes / best / memory, memory * 1e-9)
                       : ""));
  report.line("peak memory", "MB", spread({train::peak_memory()}));
  if (of.device != "cpu") report.line("device memory", "MB", spread({inference::gpu_memory_used_mib()}));
  report.line("opening", "s", spread(opening));
  return 0;
}

}  // namespace compeer::bench
