#include "chat/esc_world/support.h"

#include "datasets/esc_world/world/play.h"

namespace compeer::esc_world {

Support::Support(const WorldSettings& world, const Profile& profile, const std::string& split, uint32_t count)
    : world_(world), profile_(profile), split_(split) {
  for (uint32_t index = 0; index < count; ++index) known_.emplace(Play(world, split, index).utterance(), index);
}

std::optional<std::string> Support::answer(const std::vector<WorldTurn>& lines, uint32_t draw) const {
  if (lines.empty()) return std::nullopt;
  const auto [begin, end] = known_.equal_range(lines[0].text);
  for (auto one = begin; one != end; ++one) {
    if (auto completion = answer_as(one->second, lines, draw)) return completion;
  }
  return std::nullopt;
}

std::optional<std::string> Support::answer_as(uint32_t index, const std::vector<WorldTurn>& lines,
                                              uint32_t draw) const {
  Play play(world_, split_, index);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].role != (i % 2 == 0 ? "user" : "assistant")) return std::nullopt;
    if (i % 2 == 0 && lines[i].text != play.utterance()) return std::nullopt;
    if (i % 2 == 0) continue;
    const Heard heard = play.hear(lines[i].text);
    play.go_on(heard.keys, heard.felt);
  }
  DrawKey place = play.place();
  place.seed = profile_.seed_of(world_, draw);
  return write(profile_.writer, play.truth().seeker, play.truth().said, play.truth().feelings, play.words(), place,
               Purpose::answer)
      .text;
}

}  // namespace compeer::esc_world
