#pragma once
#include <gtest/gtest.h>

#include "comm/world.h"

// For tests that run as several processes (ranks) under mpirun: main(), and the communication between the ranks. Every
// rank runs every test. Use EXPECT, not ASSERT, so that a rank with a failure still takes part in later collectives.

/// Maximum number of bytes of one message; larger ones are split. To be defined before this header to test that.
#ifndef LARGEST_MESSAGE
#define LARGEST_MESSAGE (1 << 20)
#endif
/// Returns the communication of this rank.
inline compeer::comm::World& world() {
  static compeer::comm::World ranks(LARGEST_MESSAGE);
  return ranks;
}

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (world().rank() != 0) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
  }
  const bool failed = world().any(RUN_ALL_TESTS() != 0);
  world().finish();
  return failed;
}
