#include "language/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "base/error.h"

namespace compeer::language {

namespace {

uint32_t hash_of(std::string_view text) { return static_cast<uint32_t>(std::hash<std::string_view>()(text)); }

}  // namespace

int32_t checked_id(int64_t id, const std::string& token, const std::string& where) {
  if (id < 0 || id >= Vocabulary::id_limit) {
    throw Error(where, fmt::format("token '{}' has id {}", token.substr(0, 100), id),
                fmt::format("ids are whole numbers from 0 to {}", Vocabulary::id_limit - 1), Exit::data);
  }
  return static_cast<int32_t>(id);
}

std::string_view Vocabulary::TextTable::at(int32_t i) const {
  const auto n = static_cast<size_t>(i);
  const uint32_t begin = n == 0 ? 0 : ends[n - 1];
  return std::string_view(all).substr(begin, ends[n] - begin);
}

void Vocabulary::TextTable::add(std::string_view text) {
  all += text;
  ends.push_back(static_cast<uint32_t>(all.size()));
}

Vocabulary::Vocabulary(const std::vector<TokenId>& tokens, const std::string& where,
                       const std::function<std::string(std::string_view)>& bytes) {
  int32_t size = 0;
  for (const auto& [token, id] : tokens) size = std::max(size, checked_id(id, token, where) + 1);
  std::vector<const std::string*> by_id(static_cast<size_t>(size), nullptr);
  for (const auto& [token, id] : tokens) {
    const std::string*& place = by_id[static_cast<size_t>(id)];
    if (place)
      throw Error(where, fmt::format("tokens '{}' and '{}' both have id {}", *place, token, id), "", Exit::data);
    place = &token;
  }
  slots_.assign(std::bit_ceil(2 * tokens.size() + 2), HashSlot{0});
  for (int32_t id = 0; id < size; ++id) {
    const std::string* token = by_id[static_cast<size_t>(id)];
    spelled_.add(token ? *token : "");
    bytes_.add(token ? bytes(*token) : "");
    if (!token) continue;
    const uint32_t hash = hash_of(*token);
    HashSlot& place = slots_[slot(*token, hash)];
    if (place.id >= 0)
      throw Error(where, fmt::format("token '{}' is there twice", token->substr(0, 100)), "", Exit::data);
    place = {hash, id};
  }
}

size_t Vocabulary::slot(std::string_view spelled, uint32_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  while (slots_[at].id >= 0 && (slots_[at].hash != hash || spelled_.at(slots_[at].id) != spelled)) at = (at + 1) & mask;
  return at;
}

int32_t Vocabulary::id(std::string_view spelled) const { return slots_[slot(spelled, hash_of(spelled))].id; }

std::string_view Vocabulary::spelled(int32_t id) const {
  return id < 0 || id >= size() ? std::string_view() : spelled_.at(id);
}

std::string_view Vocabulary::bytes(int32_t id) const {
  return id < 0 || id >= size() ? std::string_view() : bytes_.at(id);
}

}  // namespace compeer::language
