// Sums gradients of ranks on emulated devices, through a stub of NCCL.
#include <ATen/ATen.h>

#include "comm/ranks.h"
#include "comm/tree_sum.h"
#include "device/emulated_device.h"
#include "device/models.h"
#include "train/update/parameters.h"

namespace compeer::train {
namespace {

using Numbers = std::vector<float>;

// One leaf per rank, with values of all magnitudes, so that the order of additions changes the bits.
Numbers leaf_of(int rank, int64_t length) {
  Numbers leaf(static_cast<size_t>(length));
  for (size_t i = 0; i < leaf.size(); ++i)
    leaf[i] = std::sin(static_cast<float>(i * 31 + static_cast<size_t>(rank))) *
              std::pow(10.0f, static_cast<float>((i + rank) % 9));
  return leaf;
}

Numbers on_hosts(int64_t leaves, int64_t length) {
  comm::TreeSum sum(world(), leaves, length);
  if (world().rank() < leaves) sum.add(world().rank(), leaf_of(world().rank(), length));
  const auto all = sum.finish();
  return {all.begin(), all.end()};
}

Numbers on_devices(int64_t leaves, int64_t length, bool whole) {
  emulated::device();
  comm::DeviceMessages devices(world());
  auto own = leaf_of(world().rank(), length);
  const auto there = at::from_blob(own.data(), {length}).to(emulated::device());
  sum_on_devices(world(), devices, leaves, there, whole);
  const auto here = there.cpu();
  return {here.data_ptr<float>(), here.data_ptr<float>() + length};
}

TEST(SumsOnDevices, HaveTheBitsOfSumsOnHosts) {
  for (int64_t leaves = 0; leaves <= world().size(); ++leaves) {
    for (const int64_t length : {1, 1024, 5000})
      EXPECT_EQ(on_devices(leaves, length, true), on_hosts(leaves, length)) << leaves;
  }
}

TEST(SumsOnDevices, GiveEachRankItsSlice) {
  const int64_t length = 5000;
  const auto got = on_devices(world().size(), length, false), expected = on_hosts(world().size(), length);
  const auto own = comm::slice(length, comm::slice_block, world().size(), world().rank());
  EXPECT_TRUE(std::ranges::equal(comm::part(std::span(got), own), comm::part(std::span(expected), own)));
}

TEST(SumsOnDevices, GoInPieces) {
  const int64_t length = world().size() * (int64_t{1} << 22) + 5000;
  EXPECT_EQ(on_devices(world().size(), length, true), on_hosts(world().size(), length));
}

TEST(SumsOnDevices, NeedEachLeafOnce) {
  emulated::device();
  auto model = open_model("llama", "llama", {{"frozen", false}, {"precision", "float32"}, {"device", "emulated"}});
  Parameters parameters(model->object());
  Gradients gradients(world(), parameters, world().size(), {.on_devices = true, .delivery = {}});
  const int64_t own = world().rank();
  EXPECT_THROW(gradients.add(own + 1, gradients.next_leaf_buffer()), std::logic_error);
  if (own == 0) gradients.add(own, gradients.next_leaf_buffer());
  EXPECT_THROW(gradients.finish(), Error);  // on ranks with a missing leaf
  gradients.add(own, gradients.next_leaf_buffer());
  EXPECT_THROW(gradients.add(own, gradients.next_leaf_buffer()), std::logic_error);
  EXPECT_EQ(gradients.finish().size(), static_cast<size_t>(parameters.size()));
}

}  // namespace
}  // namespace compeer::train
