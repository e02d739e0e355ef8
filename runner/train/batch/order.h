#pragma once
#include <cstdint>
#include <string>

namespace compeer::train {

/// Which record of a data set stands at a position of the stream that training reads: every epoch is another
/// permutation of all records, and a position's record follows from (seed, position, size) alone, so a run can go on
/// anywhere. 1 <= size < 2^32. `neighbours` records of the data set each stay together, in their order; `size` is a
/// multiple of it.
int64_t record_at(uint64_t seed, uint64_t position, int64_t size, int64_t neighbours = 1);

/// Throws if a split of so many examples can't be shuffled with so many neighbours together (sft.neighbours).
void check_neighbours(int64_t neighbours, const std::string& split, int64_t size);

}  // namespace compeer::train
