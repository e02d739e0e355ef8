#include "stages/rewrite/numbered.h"

#include "stages/records.h"

namespace compeer::stages {

std::string numbered(const std::vector<std::string>& texts, size_t first) {
  std::string lines;
  for (size_t i = 0; i < texts.size(); ++i)
    lines += (i == 0 ? "" : "\n") + std::to_string(first + i) + ": " + one_line(texts[i]);
  return lines;
}

}  // namespace compeer::stages
