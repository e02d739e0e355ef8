// The update of the weights: gradient norm, optimizer, copies of weights, and handling of non-finite numbers.
#include "train/update/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "comm/world.h"
#include "kernels/arrays.h"
#include "train/run.h"

namespace compeer::train {

namespace {

constexpr const char* reference_file = "reference.safetensors";

}  // namespace

NumericalCheck::NumericalCheck(RunContext& run)
    : run_(run), skips_steps_(run.spec.has("nonfinite") && run.spec.text("nonfinite") == "skip") {}

void NumericalCheck::report(const std::string& problem) {
  if (problem_.empty()) problem_ = problem;
}

void NumericalCheck::check(const std::string& place, double loss, bool finite_gradient) {
  if (!std::isfinite(loss)) {
    report("the loss of " + place + " is " + (std::isnan(loss) ? "not a number" : "infinite"));
  } else if (!finite_gradient) {
    report("the gradient of " + place + " is not finite");
  }
}

void NumericalCheck::stop_if_model_is_broken(uint64_t step) {
  if (run_.world.any(model_works_)) return;
  run_.world.run_on_all_ranks("train", [&] {
    throw Error(fmt::format("step {}", step), "the model computes numbers that are not finite",
                "check the weights for damage, or resume from an earlier checkpoint with a lower learning rate",
                Exit::data);
  });
}

bool NumericalCheck::any_reported() const { return run_.world.any(!problem_.empty()); }

void NumericalCheck::stop_or_skip(uint64_t step) {
  const auto mine = std::exchange(problem_, "");
  if (!skips_steps_) {
    run_.world.run_on_all_ranks("train", [&] {
      if (mine.empty()) return;
      throw Error(fmt::format("step {}", step), mine,
                  "lower the learning rate or the rewards, or set nonfinite = \"skip\" to leave such steps out",
                  Exit::failure);
    });
    run_.world.run_on_all_ranks("train", [&] {
      throw Error(fmt::format("step {}", step), "the sum of all gradients is not finite", "lower the learning rate",
                  Exit::failure);
    });
  }
  stop_if_model_is_broken(step);
  ++skipped_;
  const auto all = run_.world.gather(mine);
  run_.world.run_on_all_ranks("log", [&] {
    std::string who = "the sum of all gradients is not finite";
    for (size_t rank = all.size(); rank-- > 0;) {
      if (!all[rank].empty()) who = fmt::format("on rank {}: {}", rank, all[rank]);
    }
    if (run_.world.rank() == 0) run_.journal->warning(step, fmt::format("step {} is left out: {}", step, who));
  });
}

double NumericalCheck::take_skipped() { return std::exchange(skipped_, 0.0); }

static_assert(ShardLayout::block % kernels::square_block == 0, "a norm is the same however the gradient is cut");

std::string leaf_text(const std::string& item, int64_t leaf, int64_t together, int64_t batch) {
  const int64_t first = leaf * together, last = std::min(first + together, batch) - 1;
  return last > first ? fmt::format("{}s {} to {}", item, first, last) : fmt::format("{} {}", item, first);
}

Training::Training(RunContext& run, double lr, uint64_t updates)
    : parameters(run.plugins->model().object()),
      numerical_check(run),
      run_(run),
      slices_(run.world, parameters.size(), run.spec.text("shard") == "optimizer"),
      optimizer_(spec::read_table<spec::OptimizerTable>(run.spec.json().at("optimizer")), lr, updates,
                 slices_.own().count) {
  if (run.plugins->model().object().shape().bfloat16_weights) {
    const auto own = slices_.own_part(parameters.weights());
    masters_.assign(own.begin(), own.end());
  }
  if (run.start.step > 0) load(run.start.folder);
}

// Within a host, messages are copied by the cores that compute, so early messages would slow down the computation.
Gradients Training::gradients(int64_t leaves) {
  const std::string when = run_.spec.text("overlap");
  const bool early = when == "always" || (when == "hosts" && !run_.world.one_host());
  return Gradients(run_.world, parameters, leaves,
                   {.on_devices = run_.spec.has("sums") && run_.spec.text("sums") == "device",
                    .overlap = when != "never",
                    .delivery = {.slice = slices_.sharded(), .early = early}});
}

void Training::parameters_changed() {
  run_.plugins->model().call("parameters_changed", [&](Model&) {
    parameters.weights_changed();
    run_.plugins->policy().parameters_changed();
  });
}

// Norm of the whole gradient; collective if it is sharded.
double Training::norm(std::span<const float> gradient) {
  if (!slices_.sharded()) return norm_of(gradient);
  const auto sums = kernels::square_sums(gradient.data(), static_cast<int64_t>(gradient.size()));
  return std::sqrt(
      comm::in_turn(run_.world, 0.0, [&](double before) { return std::accumulate(sums.begin(), sums.end(), before); }));
}

Optimizer::Update Training::update(uint64_t step, double loss, Gradients& gradients, PhaseClock& clock) {
  const auto gradient = clock.time("reduce", [&] { return gradients.finish(); });
  const double whole = clock.time("reduce", [&] { return norm(gradient); });
  if (!std::isfinite(whole) || !std::isfinite(loss)) {
    numerical_check.stop_or_skip(step);
    return {whole, std::nan("")};
  }
  const auto done = clock.time("train", [&] {
    const auto own = slices_.own_part(parameters.weights());
    if (masters_.empty()) return optimizer_.step(gradient, whole, own);
    const auto update = optimizer_.step(gradient, whole, masters_);
    kernels::round_to_bfloat16(masters_.data(), static_cast<int64_t>(own.size()), own.data());
    return update;
  });
  clock.time("reduce", [&] { slices_.all_gather(parameters.weights()); });
  clock.time("train", [&] { run_.world.run_on_all_ranks("update", [&] { parameters_changed(); }); });
  return done;
}

// At the start of a run the reference weights are the policy's own; later they are in the checkpoint.
void Training::keep_reference() {
  const auto file = (run_.start.step > 0 ? run_.start.folder : run_.folder) / reference_file;
  run_.world.run_on_all_ranks("reference", [&] {
    if (run_.world.rank() == 0 && run_.start.step == 0)
      record::write_safetensors(file, {{"weights", "F32", {parameters.size()}, std::as_bytes(parameters.weights())}});
  });
  run_.world.run_on_all_ranks("reference", [&] {
    reference_ = record::Safetensors::open(file);
    if (reference_->tensor("weights").bytes.size() != parameters.weights().size_bytes())
      throw Error(file.string(), "tensor 'weights' belongs to a model of another size", "", Exit::data);
  });
}

void Training::set_weights(std::span<const float> weights) {
  std::ranges::copy(weights, parameters.weights().begin());
  parameters_changed();
}

void Training::with_reference_weights(std::span<float> scratch, const std::function<void()>& work) {
  std::ranges::copy(parameters.weights(), scratch.begin());
  const auto& bytes = reference_->tensor("weights").bytes;
  std::memcpy(parameters.weights().data(), bytes.data(), bytes.size());
  parameters_changed();
  try {
    work();
  } catch (...) {
    set_weights(scratch);
    throw;
  }
  set_weights(scratch);
}

std::vector<ShardLayout::Array> Training::state() {
  std::vector<ShardLayout::Array> all{{"m", optimizer_.mean()}, {"v", optimizer_.mean_square()}};
  if (!masters_.empty()) all.push_back({"weights", masters_});
  return all;
}

void Training::save(const std::filesystem::path& folder) {
  std::map<std::string, std::string> beside{{"updates", std::to_string(optimizer_.updates())}};
  for (const auto& [name, value] : numbers) beside[name] = fmt::format("{}", value);
  slices_.save(folder, "optimizer", state(), beside);
  if (!reference_) return;
  run_.world.run_on_all_ranks("checkpoint", [&] {
    if (run_.world.rank() == 0) record::write_safetensors(folder / reference_file, {reference_->tensor("weights")});
  });
}

void Training::load(const std::filesystem::path& folder) {
  for (const auto& [name, value] : slices_.load(folder, "optimizer", state())) {
    if (name == "updates") {
      optimizer_.updates() = std::stoull(value);
    } else {
      numbers[name] = std::stod(value);
    }
  }
}

}  // namespace compeer::train
