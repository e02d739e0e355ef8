// Benchmark of the all-reduce in fixed order.
#include "tools/bench/worker/allreduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iostream>

#include "comm/mpi_library.h"
#include "comm/tree_sum.h"
#include "tools/bench/measurement.h"
#include "train/update/parameters.h"

namespace compeer::bench {

namespace {

using nlohmann::json;

struct Seconds {
  std::vector<double> ours, theirs, ratios;
};

// Uses one leaf per rank, so that both sides add the same number of vectors.
Seconds measure(comm::World& world, int64_t length, int64_t repeats) {
  const std::vector<float> own(static_cast<size_t>(length), static_cast<float>(world.rank() + 1));
  std::vector<float> theirs(own);
  comm::TreeSum tree(world, world.size(), length, train::add);
  Seconds seconds;
  const auto clocked = [&](const std::function<void()>& work) {
    world.barrier();
    return timed(1,
                 [&] {
                   work();
                   world.barrier();
                 })
        .front();
  };
  for (int64_t i = 0; i <= repeats; ++i) {
    const auto room = tree.next_leaf_buffer();
    std::copy(own.begin(), own.end(), room.begin());
    const double mine = clocked([&] {
      tree.add(world.rank(), room);
      tree.finish();
    });
    const double other = clocked([&] { comm::library_sum(world, theirs); });
    if (i == 0) continue;  // warm
    seconds.ours.push_back(1e3 * mine);
    seconds.theirs.push_back(1e3 * other);
    seconds.ratios.push_back(mine / other);
  }
  return seconds;
}

void print(const std::string& what, int ranks, int64_t length, const std::string& unit,
           const std::vector<double>& values) {
  json line =
      measurement("allreduce", fmt::format("{}: {} ranks, {} floats", what, ranks, length), unit, spread(values));
  line.update({{"ranks", ranks}, {"floats", length}});
  std::cout << line.dump() << std::endl;
}

}  // namespace

int bench_allreduce(const json& options) {
  comm::World world;
  const auto given = options.at("repeats").get<int64_t>();
  for (const int64_t length : {int64_t{1} << 10, int64_t{1} << 20, int64_t{1} << 24}) {
    const auto seconds = measure(world, length, given > 0 ? given : 9);
    if (world.rank() != 0) continue;
    print("fixed order", world.size(), length, "ms", seconds.ours);
    print("MPI_Allreduce", world.size(), length, "ms", seconds.theirs);
    print("ratio", world.size(), length, "x", seconds.ratios);
  }
  world.finish();
  return 0;
}

}  // namespace compeer::bench
