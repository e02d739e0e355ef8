#include "base/find_text.h"

#include <cstring>
#include <string>

namespace compeer {

size_t find_text(std::string_view text, std::string_view part, size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (part.empty()) return from;
  const auto rest = text.substr(from);
  const void* found = ::memmem(rest.data(), rest.size(), part.data(), part.size());
  return found ? static_cast<size_t>(static_cast<const char*>(found) - text.data()) : std::string_view::npos;
}

size_t find_last_text(std::string_view text, std::string_view part) {
  const std::string backwards(text.rbegin(), text.rend());
  const size_t found = find_text(backwards, std::string(part.rbegin(), part.rend()));
  return found == std::string_view::npos ? found : text.size() - found - part.size();
}

}  // namespace compeer
