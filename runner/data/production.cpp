#include "data/production.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/error.h"
#include "data/lines.h"

namespace compeer::data {

namespace {

using Clock = std::chrono::steady_clock;

// Where portions take no time, ranks would mostly wait for each other: then several are made before they meet.
constexpr auto long_enough = std::chrono::milliseconds(100);
constexpr int64_t most_portions = 16;

// Rank 0's side: what arrives goes into the files.
class Output {
 public:
  explicit Output(const std::filesystem::path& folder) {
    if (folder.empty()) return;
    records_.emplace(folder / "records.jsonl");
    dropped_.emplace(folder / "dropped.jsonl");
  }

  void take(const std::vector<std::string>& packed) {
    for (const std::string& bytes : packed) {
      if (bytes.empty()) continue;  // that rank had no portion left
      const Portion portion = Portion::unpack(bytes);
      if (records_) records_->write(portion.records);
      if (dropped_) dropped_->write(portion.dropped);
      product_.tally.add(portion.tally);
      product_.glimpses += portion.glimpses;
    }
  }

  Product finish() {
    if (records_) records_->finish();
    if (dropped_) dropped_->finish();
    return std::move(product_);
  }

 private:
  std::optional<LineWriter> records_, dropped_;
  Product product_;
};

std::string packed(const Production& production, int64_t first, int64_t count) {
  Portion all;
  const int64_t end = std::min(first + count, production.total);
  if (first >= end) return "";
  for (; first < end; first += production.portion)
    all.add(production.make(first, std::min(production.portion, end - first)));
  return all.pack();
}

[[noreturn]] void stopped(const std::string& name) {
  throw Error("", "stopped in stage " + name + " as asked; what is finished is kept", "the same command goes on",
              Exit::preempted);
}

}  // namespace

Product produce(comm::World& world, const comm::StopFlag& stop, const Production& production,
                const std::filesystem::path& folder) {
  std::optional<Output> output;
  world.together("write", [&] {
    if (world.rank() == 0) output.emplace(folder);
  });
  int64_t portions = 1;
  for (int64_t begin = 0; begin < production.total;) {
    const auto start = Clock::now();
    const int64_t count = production.portion * portions;
    const auto mine =
        world.together(production.name, [&] { return packed(production, begin + count * world.rank(), count); });
    const bool slow = world.any(Clock::now() - start > long_enough);
    const auto all = world.gather(mine);
    begin += count * world.size();
    world.together("write", [&] {
      if (output) output->take(all);
      if (output) production.progress(std::min(begin, production.total));
    });
    if (world.any(stop.raised())) stopped(production.name);
    portions = slow ? std::max<int64_t>(portions / 2, 1) : std::min(portions * 2, most_portions);
  }
  return world.together("write", [&] { return output ? output->finish() : Product(); });
}

}  // namespace compeer::data
