// esc_world_texts COUNT [SPLIT] [WRITER]: prints COUNT samples as JSON lines {"id", "history", "answer", "record"}: the
// tokenizer's training texts, also for a look at the world.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "datasets/esc_world/world/dialogue.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: esc_world_texts COUNT [train|valid|test] [expert|habit|mixed]\n", stderr);
    return 2;
  }
  try {
    const auto count = static_cast<uint32_t>(std::stoul(argv[1]));
    const std::string split = argc > 2 ? argv[2] : "train", writer = argc > 3 ? argv[3] : "mixed";
    const compeer::esc_world::WorldSettings world = compeer::esc_world::default_world(writer);
    for (uint32_t index = 0; index < count; ++index) {
      const compeer::esc_world::WorldSample sample = compeer::esc_world::sample(world, split, index);
      nlohmann::json history = nlohmann::json::array();
      for (const auto& line : sample.history) history.push_back({{"role", line.role}, {"content", line.text}});
      fmt::print(
          "{}\n",
          nlohmann::json{{"id", sample.id}, {"history", history}, {"answer", sample.answer}, {"record", sample.record}}
              .dump());
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "esc_world_texts: {}\n", error.what());
    return 1;
  }
}
