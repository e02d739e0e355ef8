#pragma once
#include <cstdint>
#include <string>

namespace compeer::train {

struct RunContext;

/// Rewards, losses and gradients that are not finite, on whichever rank. The spec's `nonfinite` stops the run, or skips
/// the step, so that weights and optimizer stay as they were. All ranks do the same.
class NumericalCheck {
 public:
  explicit NumericalCheck(RunContext& run);

  /// Whether such steps are skipped; if not, an error may be thrown where it arises.
  bool skips_steps() const { return skips_steps_; }

  /// Local: keeps the first problem of this rank, "the gradient of prompt 3 is not finite".
  void report(const std::string& problem);
  /// Local: reports a loss or a gradient that is not finite. `place`: "prompt 3".
  void check(const std::string& place, double loss, bool finite_gradient);
  /// Local, in each step: whether any log-probability on this rank is finite. Taken for true where nobody calls it.
  void set_model_works(bool works) { model_works_ = works; }

  /// True if any rank reported a problem since the last decision. Meets the other ranks.
  bool any_reported() const;

  /// To be called when all ranks know that something is not finite. Throws on all of them an Error that names rank,
  /// step and problem, or logs this and counts the step as skipped. Where the model works on no rank it stops the run
  /// in any case, because all later steps would be skipped. Meets the other ranks.
  void stop_or_skip(uint64_t step);

  /// Steps and updates that were skipped since the last call; the same on all ranks.
  double take_skipped();

 private:
  void stop_if_model_is_broken(uint64_t step);

  RunContext& run_;
  const bool skips_steps_;
  std::string problem_;
  bool model_works_ = true;
  double skipped_ = 0;
};

}  // namespace compeer::train
