// What is asked of a similarity: cosines between any texts (the door sees to shape and range), the same ones whenever
// it is asked; as alike one way as the other, a text with content wholly like itself, one without like none.
#include <fmt/format.h>

#include <cmath>

#include "contract/worker/inputs.h"
#include "contract/worker/kit.h"

namespace compeer::contract {

namespace {

using Plugin = plugin::Plugin<Similarity>;
constexpr double rounding = 1e-6;

Case<Similarity> compares(const std::string& input, const std::vector<std::string>& a,
                          const std::vector<std::string>& b) {
  return {input, "compare", [a, b](Plugin& similarity) {
            return bytes(untouched([&] { return plugin::compare(similarity, a, b); }, a, b));
          }};
}

/// The cosines of some texts with each other.
class Square {
 public:
  Square(Plugin& similarity, const std::vector<std::string>& texts)
      : cosines_(plugin::compare(similarity, texts, texts)) {}
  double at(size_t i, size_t j) const { return cosines_[i][j]; }
  size_t size() const { return cosines_.size(); }

 private:
  std::vector<std::vector<double>> cosines_;
};

std::string unlike_the_other_way(Plugin& similarity) {
  const Square square(similarity, all_texts().front().texts);
  for (size_t i = 0; i < square.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (std::abs(square.at(i, j) - square.at(j, i)) > rounding)
        return fmt::format("texts {} and {}: {} one way, {} the other", j, i, square.at(j, i), square.at(i, j));
    }
  }
  return "";
}

std::string unlike_itself(Plugin& similarity) {
  const Square square(similarity, all_texts().front().texts);
  for (size_t i = 0; i < square.size(); ++i) {
    if (std::abs(square.at(i, i) - 1) > rounding) return fmt::format("text {} is {} like itself", i, square.at(i, i));
  }
  return "";
}

std::string like_the_empty_text(Plugin& similarity) {
  auto texts = all_texts().front().texts;
  texts.emplace_back();
  const Square square(similarity, texts);
  for (size_t i = 0; i < square.size(); ++i) {
    if (square.at(i, square.size() - 1) != 0)
      return fmt::format("the empty text is {} like text {}", square.at(i, square.size() - 1), i);
  }
  return "";
}

}  // namespace

Kit<Similarity> kit_for(const Subject<Similarity>&) {
  const auto& ordinary = all_texts().front().texts;
  Kit<Similarity> kit;
  for (const SampleTexts& one : all_texts()) kit.cases.push_back(compares(one.of("texts"), one.texts, ordinary));
  kit.cases.push_back(compares("a list without texts", {}, ordinary));
  kit.cases.push_back(compares("no texts at all", {}, {}));
  kit.rules = {{"two texts are as alike one way as the other", "compare", unlike_the_other_way},
               {"a text is wholly like itself", "compare", unlike_itself},
               {"the empty text is like none", "compare", like_the_empty_text}};
  return kit;
}

}  // namespace compeer::contract
