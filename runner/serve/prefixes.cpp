// The prefix cache: a list of sequences, searched linearly.
#include "serve/prefixes.h"

#include <algorithm>

namespace compeer::serve {

namespace {

// A prompt waits for another one if that saves it at least this many tokens.
constexpr int64_t worth_waiting = 32;

// Most cached sequences: each prompt is compared with all of them.
constexpr size_t most_places = 1024;

// Length of the common prefix, less than the whole prompt.
int64_t shared(const std::vector<int32_t>& prompt, const std::vector<int32_t>& other) {
  const auto most = std::min(prompt.size() - 1, other.size());  // the last token is always read
  return std::mismatch(prompt.begin(), prompt.begin() + static_cast<int64_t>(most), other.begin()).first -
         prompt.begin();
}

bool begins_with(const std::vector<int32_t>& all, const std::vector<int32_t>& beginning) {
  return beginning.size() <= all.size() && std::equal(beginning.begin(), beginning.end(), all.begin());
}

}  // namespace

PrefixCache::Entry* PrefixCache::acquire(const std::vector<int32_t>& prompt, int32_t adapter) {
  int64_t most_read = 0, most_coming = 0;
  Entry* nearest = nullptr;
  for (Entry& place : entries_) {
    if (place.sequence.adapter() != adapter) continue;
    if (const auto read = shared(prompt, place.sequence.tokens()); read > most_read) {
      most_read = read;
      nearest = &place;
    }
    if (place.busy) most_coming = std::max(most_coming, shared(prompt, place.prompt));
  }
  if (most_coming >= most_read + worth_waiting) return nullptr;
  Entry place{prompt, nearest ? nearest->sequence : engine_.new_sequence(adapter), 0, 0, ++count_, true};
  place.begun = place.sequence.truncate(most_read);
  place.cached = place.begun - place.sequence.unread();
  if (nearest) nearest->used = count_;
  make_room();
  entries_.push_back(std::move(place));
  return &entries_.back();
}

// Removes idle sequences that are a prefix of this one, or equal to it.
void PrefixCache::release(Entry* place) {
  place->busy = false;
  const auto& tokens = place->sequence.tokens();
  std::erase_if(entries_, [&](const Entry& other) {
    return &other != place && !other.busy && other.sequence.adapter() == place->sequence.adapter() &&
           begins_with(tokens, other.sequence.tokens());
  });
  make_room();
}

void PrefixCache::make_room() {
  while (engine_.pages().in_use() > most_ || entries_.size() > most_places) {
    auto oldest = entries_.end();
    for (auto place = entries_.begin(); place != entries_.end(); ++place) {
      if (!place->busy && (oldest == entries_.end() || place->used < oldest->used)) oldest = place;
    }
    if (oldest == entries_.end()) return;
    entries_.erase(oldest);
  }
}

}  // namespace compeer::serve
