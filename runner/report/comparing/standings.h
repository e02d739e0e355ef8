#pragma once
#include <vector>

#include "report/runs/figures.h"

namespace compeer::report {

/// How the figures of a column stand to each other. `level`: not the best, but can't be told from it.
struct Standing {
  bool best = false, second = false, level = false;
};
std::vector<Standing> standings(const std::vector<Estimate>& figures, Better better);

}  // namespace compeer::report
