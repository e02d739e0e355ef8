#include "train/checkpoints.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "record/checkpoint.h"
#include "train/run.h"

namespace compeer::train {

void save_checkpoint(comm::World& world, const std::filesystem::path& run, uint64_t step, Cast& cast,
                     Training& training, uint64_t keep) {
  std::optional<record::CheckpointWriter> writer;
  world.together("checkpoint", [&] {
    if (world.rank() != 0) return;
    writer.emplace(run, step);
    cast.model().call("save", [&](Model& model) { model.save(writer->folder().string()); });
    cast.tokenizer().save(writer->folder());
    cast.eyes().save(writer->folder());
  });
  training.save(writer ? writer->folder() : std::filesystem::path());
  world.together("checkpoint", [&] {
    if (!writer) return;
    writer->commit({{"step", step}});
    record::prune(run, keep);
  });
}

Start find_start(comm::World& world, const std::filesystem::path& run, bool resume) {
  std::string found = world.together("find the checkpoint", [&]() -> std::string {
    if (world.rank() != 0) return "";
    record::remove_unfinished(run);
    if (!resume) return "";
    std::vector<std::string> problems;
    const auto checkpoint = record::newest_good(run, &problems);
    for (const auto& problem : problems) fmt::print(stderr, "compeer: warning: {}\n", problem);
    if (checkpoint) record::point_last_at(checkpoint->folder);
    return checkpoint ? nlohmann::json{{"step", checkpoint->step}, {"folder", checkpoint->folder.string()}}.dump() : "";
  });
  world.broadcast(found);
  if (found.empty()) return {};
  const auto start = nlohmann::json::parse(found);
  return {start.at("step").get<uint64_t>(), start.at("folder").get<std::string>()};
}

}  // namespace compeer::train
