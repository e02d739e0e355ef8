#pragma once
#include <cstdint>

namespace compeer::train {

/// Which record of a data set stands at a position of the stream that training reads: every epoch is another
/// permutation of all records, and a position's record follows from (seed, position, size) alone, so a run can go on
/// anywhere. 1 <= size < 2^32. `neighbours` records of the data set each stay together, in their order; `size` is a
/// multiple of it.
int64_t record_at(uint64_t seed, uint64_t position, int64_t size, int64_t neighbours = 1);

}  // namespace compeer::train
