#include "language/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "language/spelling.h"

namespace compeer::language {

int32_t checked_id(int64_t id, const std::string& token, const std::string& where) {
  if (id < 0 || id >= Vocabulary::id_limit) {
    throw Error(where, fmt::format("token '{}' has id {}", token.substr(0, 100), id),
                fmt::format("ids are whole numbers from 0 to {}", Vocabulary::id_limit - 1), Exit::data);
  }
  return static_cast<int32_t>(id);
}

Vocabulary::Vocabulary(const std::vector<TokenId>& tokens, const std::string& where) {
  int32_t size = 0;
  ids_.reserve(tokens.size());
  for (const auto& [token, number] : tokens) {
    const int32_t id = checked_id(number, token, where);
    size = std::max(size, id + 1);
    if (!ids_.emplace(token, id).second)
      throw Error(where, fmt::format("token '{}' is there twice", token.substr(0, 100)), "", Exit::data);
  }
  std::vector<const std::string*> by_id(static_cast<size_t>(size), nullptr);
  for (const auto& [token, number] : tokens) {
    const std::string*& place = by_id[static_cast<size_t>(number)];
    if (place)
      throw Error(where, fmt::format("tokens '{}' and '{}' both have id {}", *place, token, number), "", Exit::data);
    place = &token;
  }
  ends_.reserve(by_id.size());
  for (const std::string* token : by_id) {
    if (token) bytes_ += unspell_bytes(*token);
    ends_.push_back(static_cast<uint32_t>(bytes_.size()));
  }
}

int32_t Vocabulary::id(std::string_view spelled) const {
  const auto found = ids_.find(spelled);
  return found == ids_.end() ? -1 : found->second;
}

std::string_view Vocabulary::bytes(int32_t id) const {
  if (id < 0 || id >= size()) return {};
  const uint32_t begin = id == 0 ? 0 : ends_[static_cast<size_t>(id) - 1];
  return std::string_view(bytes_).substr(begin, ends_[static_cast<size_t>(id)] - begin);
}

}  // namespace compeer::language
