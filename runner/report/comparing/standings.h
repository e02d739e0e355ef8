#pragma once
#include <functional>
#include <vector>

#include "report/comparing/compare.h"
#include "report/runs/figures.h"

namespace compeer::report {

/// How the figures of a column stand to each other. `level`: not the best, but can't be told from it.
struct Standing {
  bool best = false, second = false, level = false;
};
std::vector<Standing> standings(const std::vector<Estimate>& figures, Better better);

/// The same for figures whose differences are known more exactly than as those of independent means. `differ(i, best)`.
std::vector<Standing> standings(const std::vector<Estimate>& figures, Better better,
                                const std::function<Difference(size_t, size_t)>& differ);

}  // namespace compeer::report
