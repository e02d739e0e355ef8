#include "serve/choice_guide.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace compeer::serve {

ChoiceGuide::ChoiceGuide(std::shared_ptr<const std::vector<std::vector<int32_t>>> sequences, std::vector<int32_t> ends)
    : sequences_(std::move(sequences)), ends_(std::move(ends)), left_(sequences_->size()) {
  std::iota(left_.begin(), left_.end(), size_t{0});
}

std::vector<int32_t> ChoiceGuide::allowed() const {
  std::set<int32_t> next;
  for (const size_t i : left_) {
    const auto& sequence = (*sequences_)[i];
    if (sequence.size() > length_) {
      next.insert(sequence[length_]);
    } else {
      next.insert(ends_.begin(), ends_.end());
    }
  }
  return {next.begin(), next.end()};
}

bool ChoiceGuide::push(int32_t id) {
  std::erase_if(left_, [&](size_t i) {
    const auto& sequence = (*sequences_)[i];
    return sequence.size() <= length_ || sequence[length_] != id;
  });
  ++length_;
  return std::all_of(left_.begin(), left_.end(), [&](size_t i) { return (*sequences_)[i].size() <= length_; });
}

}  // namespace compeer::serve
