#include <algorithm>

#include "train/run.h"
#include "train/stored_floats.h"

namespace compeer::train {

Training::Training(Run& run, double lr, uint64_t updates, bool reference)
    : parameters(run.cast->model().object()),
      run_(run),
      optimizer_(run.spec.table("optimizer"), lr, updates, parameters.size()) {
  if (reference) reference_.assign(parameters.weights().begin(), parameters.weights().end());
  if (run.start.step > 0) load(run.start.folder);
}

void Training::changed() {
  run_.cast->model().call("parameters_changed", [&](Model&) { run_.cast->policy().parameters_changed(); });
}

Optimizer::Update Training::update(std::span<const float> gradient) {
  const auto done = optimizer_.step(gradient, parameters.weights());
  changed();
  return done;
}

void Training::swap_reference() {
  std::swap_ranges(reference_.begin(), reference_.end(), parameters.weights().begin());
  changed();
}

void Training::as_reference(const std::function<void()>& work) {
  swap_reference();
  try {
    work();
  } catch (...) {
    swap_reference();
    throw;
  }
  swap_reference();
}

void Training::save(const std::filesystem::path& folder) const {
  optimizer_.save(folder / "optimizer.safetensors");
  if (reference_.empty()) return;
  record::write_safetensors(folder / "reference.safetensors", {stored_floats("weights", reference_)});
}

void Training::load(const std::filesystem::path& folder) {
  optimizer_.load(folder / "optimizer.safetensors");
  if (!reference_.empty())
    read_floats(record::Safetensors::open(folder / "reference.safetensors"), "weights", reference_);
}

}  // namespace compeer::train
