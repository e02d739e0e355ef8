#include "train/update/numerical_check.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/error.h"
#include "train/run.h"

namespace compeer::train {

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
  run_.world.together("train", [&] {
    throw Error(fmt::format("step {}", step), "the model computes numbers that are not finite",
                "its weights are damaged, or training went astray", Exit::data);
  });
}

bool NumericalCheck::any_reported() const { return run_.world.any(!problem_.empty()); }

void NumericalCheck::stop_or_skip(uint64_t step) {
  const auto mine = std::exchange(problem_, "");
  if (!skips_steps_) {
    run_.world.together("train", [&] {
      if (mine.empty()) return;
      throw Error(fmt::format("step {}", step), mine,
                  "look for a learning rate or rewards that are too large; nonfinite = \"skip\" leaves such steps out",
                  Exit::failure);
    });
    run_.world.together("train", [&] {
      throw Error(fmt::format("step {}", step), "the sum of all gradients is not finite", "lower the learning rate",
                  Exit::failure);
    });
  }
  stop_if_model_is_broken(step);
  ++skipped_;
  const auto all = run_.world.gather(mine);
  run_.world.together("log", [&] {
    std::string who = "the sum of all gradients is not finite";
    for (size_t rank = all.size(); rank-- > 0;) {
      if (!all[rank].empty()) who = fmt::format("on rank {} {}", rank, all[rank]);
    }
    if (run_.world.rank() == 0) run_.journal->warning(step, fmt::format("step {} is left out: {}", step, who));
  });
}

double NumericalCheck::take_skipped() { return std::exchange(skipped_, 0.0); }

}  // namespace compeer::train
