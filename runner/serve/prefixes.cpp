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

Prefixes::Place* Prefixes::enter(const std::vector<int32_t>& prompt, int32_t adapter) {
  int64_t most_read = 0, most_coming = 0;
  Place* nearest = nullptr;
  for (Place& place : places_) {
    if (place.sequence.adapter() != adapter) continue;
    if (const auto read = shared(prompt, place.sequence.tokens()); read > most_read) {
      most_read = read;
      nearest = &place;
    }
    if (place.busy) most_coming = std::max(most_coming, shared(prompt, place.prompt));
  }
  if (most_coming >= most_read + worth_waiting) return nullptr;
  Place place{prompt, nearest ? nearest->sequence : engine_.new_sequence(adapter), 0, 0, ++count_, true};
  place.begun = place.sequence.keep(most_read);
  place.cached = place.begun - place.sequence.unread();
  if (nearest) nearest->used = count_;
  make_room();
  places_.push_back(std::move(place));
  return &places_.back();
}

// Removes idle sequences that are a prefix of this one, or equal to it.
void Prefixes::leave(Place* place) {
  place->busy = false;
  const auto& tokens = place->sequence.tokens();
  std::erase_if(places_, [&](const Place& other) {
    return &other != place && !other.busy && other.sequence.adapter() == place->sequence.adapter() &&
           begins_with(tokens, other.sequence.tokens());
  });
  make_room();
}

void Prefixes::make_room() {
  while (engine_.pages().in_use() > most_ || places_.size() > most_places) {
    auto oldest = places_.end();
    for (auto place = places_.begin(); place != places_.end(); ++place) {
      if (!place->busy && (oldest == places_.end() || place->used < oldest->used)) oldest = place;
    }
    if (oldest == places_.end()) return;
    places_.erase(oldest);
  }
}

}  // namespace compeer::serve
