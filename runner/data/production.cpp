#include "data/production.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "data/lines.h"

namespace compeer::data {

namespace {

// Rank 0's side: what arrives goes into the files.
struct Output {
  explicit Output(const std::filesystem::path& folder)
      : records(folder / "records.jsonl"), dropped(folder / "dropped.jsonl") {}

  void take(const std::vector<std::string>& packed) {
    for (const std::string& bytes : packed) {
      if (bytes.empty()) continue;  // that rank had no portion left
      const Portion portion = Portion::unpack(bytes);
      records.write(portion.records);
      dropped.write(portion.dropped);
      tally.add(portion.tally);
    }
  }

  LineWriter records, dropped;
  Tally tally;
};

[[noreturn]] void stopped(const std::string& name) {
  throw Error("", "stopped in stage " + name + " as asked; what is finished is kept", "the same command goes on",
              Exit::preempted);
}

}  // namespace

Tally produce(comm::World& world, const comm::StopFlag& stop, const Production& production,
              const std::filesystem::path& folder) {
  std::optional<Output> output;
  world.together("write", [&] {
    if (world.rank() == 0) output.emplace(folder);
  });
  const int64_t step = production.portion * world.size();
  for (int64_t begin = 0; begin < production.total; begin += step) {
    const int64_t first = begin + production.portion * world.rank();
    const int64_t count = std::min(production.portion, production.total - first);
    const auto mine = world.together(production.name,
                                     [&] { return count > 0 ? production.make(first, count).pack() : std::string(); });
    const auto all = world.gather(mine);
    world.together("write", [&] {
      if (output) output->take(all);
      if (output) production.progress(std::min(begin + step, production.total));
    });
    if (world.any(stop.raised())) stopped(production.name);
  }
  return world.together("write", [&] {
    if (!output) return Tally();
    output->records.finish();
    output->dropped.finish();
    return output->tally;
  });
}

}  // namespace compeer::data
