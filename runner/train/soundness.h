#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace compeer::train {

struct Run;

/// What becomes of a step whose rewards, loss or gradient are not finite, on whichever rank: the spec's `nonfinite`
/// stops the run, or leaves the step out, so that weights and optimizer stay as they were. All ranks do the same.
class Soundness {
 public:
  explicit Soundness(Run& run);

  /// Whether such steps are left out; if not, an error may be thrown where it arises.
  bool leaves_out() const { return leaves_out_; }

  /// Local: keeps the first thing found on this rank, "the gradient of prompt 3".
  void note(const std::string& what);
  void look_at(const std::string& place, double loss, std::span<const float> gradient);
  /// Local, in each step: whether any log-probability on this rank is finite. Where nobody says, the model works.
  void model_works(bool works) { works_ = works; }

  /// Collective: true if any rank noted something since the last decision.
  bool troubled() const;
  /// Collective, to be called when all ranks know that something is not finite: throws on all of them an Error that
  /// names rank, step and what it was, or logs this and counts the step as left out. Where the model
  /// works on no rank it stops the run in any case, for all steps to come would be left out.
  void decide(uint64_t step);

  /// Steps and updates left out since it was asked last; the same on all ranks.
  double left_out();

 private:
  void refuse_broken(uint64_t step);

  Run& run_;
  const bool leaves_out_;
  std::string found_;
  bool works_ = true;
  double count_ = 0;
};

}  // namespace compeer::train
