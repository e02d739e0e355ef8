#include "train/update/learning.h"

#include <gtest/gtest.h>

namespace compeer::train {
namespace {

TEST(OneThread, IsAllThatTensorOperationsHaveWhileItLives) {
  at::set_num_threads(2);
  {
    const OneThread one_thread;
    EXPECT_EQ(at::get_num_threads(), 1);
  }
  EXPECT_EQ(at::get_num_threads(), 2);
}

}  // namespace
}  // namespace compeer::train
