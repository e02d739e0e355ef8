#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace compeer::serve {

/// Holds a completion to one of some token sequences.
class ChoiceGuide {
 public:
  /// `ends`: the tokens that may follow a sequence which others go on from.
  ChoiceGuide(std::shared_ptr<const std::vector<std::vector<int32_t>>> sequences, std::vector<int32_t> ends);

  /// The tokens that may come next, each once.
  std::vector<int32_t> allowed() const;
  /// The one that came. True: a sequence is there, and no other goes on from it.
  bool push(int32_t id);

 private:
  std::shared_ptr<const std::vector<std::vector<int32_t>>> sequences_;
  std::vector<int32_t> ends_;
  std::vector<size_t> left_;  // the sequences that begin with what came
  size_t length_ = 0;         // of what came
};

}  // namespace compeer::serve
