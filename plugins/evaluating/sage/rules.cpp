#include "evaluating/sage/rules.h"

#include <algorithm>

namespace compeer::evaluating::sage {

const char* name_of(End end) {
  switch (end) {
    case End::success:
      return "success";
    case End::failure:
      return "failure";
    case End::goodbye:
      return "goodbye";
    case End::limit:
      return "limit";
    case End::none:
      break;
  }
  return "open";
}

int64_t Rules::after(int64_t point, int64_t change) {
  return std::min(point + std::clamp(change, -largest_change, largest_change), success_at);
}

const char* Rules::state(int64_t point) {
  if (point >= success_at) return "Emotion-S";
  if (point >= 70) return "Emotion-A";
  if (point >= 40) return "Emotion-B";
  return point >= failure_below ? "Emotion-C" : "Emotion-F";
}

End Rules::with(int64_t point, const std::string& utterance) const {
  if (point >= success_at) return End::success;
  if (point < failure_below) return End::failure;
  const bool goodbye = std::any_of(goodbyes.begin(), goodbyes.end(), [&](const std::string& word) {
    return !word.empty() && utterance.find(word) != std::string::npos;
  });
  return goodbye ? End::goodbye : End::none;
}

}  // namespace compeer::evaluating::sage
