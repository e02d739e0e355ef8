#pragma once
#include "data/tally.h"

namespace compeer::data {

/// Whether too many of a stage's questions get no answer that can be read (`data.most_malformed`): each of them is paid
/// up to `tries` times, so the stage ends as soon as that is clear. Told of one portion after the other in the order of
/// the records, it says the same whatever the ranks.
class UnreadableLimit {
 public:
  /// `share`: of the questions that is allowed; `records`: all that go in.
  UnreadableLimit(double share, int64_t records) : share_(share), records_(records) {}

  /// True once more are malformed than are allowed of all questions, if the records that are left have as many each as
  /// those of any portion so far; or once 50 questions were asked and the share of malformed ones is three standard
  /// errors above the one allowed: sqrt(share (1 - share) / n), at least 1 / n.
  bool too_many_with(const QuestionCount& portion);

  /// Of all portions so far.
  const QuestionCount& so_far() const { return sum_; }

 private:
  double share_;
  int64_t records_;
  QuestionCount sum_;
  double most_per_record_ = 0;
};

}  // namespace compeer::data
