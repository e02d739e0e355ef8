#include "train/soundness.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/error.h"
#include "train/optimizer.h"
#include "train/run.h"

namespace compeer::train {

Soundness::Soundness(Run& run)
    : run_(run), leaves_out_(run.spec.has("nonfinite") && run.spec.text("nonfinite") == "skip") {}

void Soundness::note(const std::string& what) {
  if (found_.empty()) found_ = what;
}

void Soundness::look_at(const std::string& place, double loss, std::span<const float> gradient) {
  if (!std::isfinite(loss)) {
    note("the loss of " + place + " is " + (std::isnan(loss) ? "not a number" : "infinite"));
  } else if (!std::isfinite(norm_of(gradient))) {
    note("the gradient of " + place + " is not finite");
  }
}

void Soundness::refuse_broken(uint64_t step) {
  if (run_.world.any(works_)) return;
  run_.world.together("train", [&] {
    throw Error(fmt::format("step {}", step), "the model computes numbers that are not finite",
                "its weights are damaged, or training went astray", Exit::data);
  });
}

bool Soundness::troubled() const { return run_.world.any(!found_.empty()); }

void Soundness::decide(uint64_t step) {
  const auto mine = std::exchange(found_, "");
  if (!leaves_out_) {
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
  refuse_broken(step);
  ++count_;
  const auto all = run_.world.gather(mine);
  run_.world.together("log", [&] {
    std::string who = "the sum of all gradients is not finite";
    for (size_t rank = all.size(); rank-- > 0;) {
      if (!all[rank].empty()) who = fmt::format("on rank {} {}", rank, all[rank]);
    }
    if (run_.world.rank() == 0) run_.journal->warning(step, fmt::format("step {} is left out: {}", step, who));
  });
}

double Soundness::left_out() { return std::exchange(count_, 0.0); }

}  // namespace compeer::train
