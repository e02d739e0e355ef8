#include "grpo/diversity.h"

#include <set>
#include <sstream>

namespace compeer::grpo {

double distinct(const std::vector<std::string>& texts, int n) {
  std::set<std::vector<std::string>> seen;
  size_t total = 0;
  for (const std::string& text : texts) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    for (size_t i = 0; i + static_cast<size_t>(n) <= words.size(); ++i, ++total) {
      seen.emplace(words.begin() + static_cast<std::ptrdiff_t>(i), words.begin() + static_cast<std::ptrdiff_t>(i) + n);
    }
  }
  return total == 0 ? 0.0 : static_cast<double>(seen.size()) / static_cast<double>(total);
}

}  // namespace compeer::grpo
