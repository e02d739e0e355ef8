#include "data/unreadable.h"

#include <algorithm>
#include <cmath>

namespace compeer::data {

bool UnreadableLimit::too_many_with(const QuestionCount& portion) {
  sum_.records += portion.records;
  sum_.questions += portion.questions;
  sum_.malformed += portion.malformed;
  if (sum_.questions == 0) return false;
  const auto n = static_cast<double>(sum_.questions), malformed = static_cast<double>(sum_.malformed);
  if (portion.records > 0)
    most_per_record_ =
        std::max(most_per_record_, static_cast<double>(portion.questions) / static_cast<double>(portion.records));
  const double all = n + most_per_record_ * static_cast<double>(records_ - sum_.records);
  if (malformed > share_ * all) return true;
  constexpr double fewest = 50;
  const double error = std::max(std::sqrt(share_ * (1 - share_) / n), 1 / n);
  return n >= fewest && malformed / n > share_ + 3 * error;
}

}  // namespace compeer::data
