#pragma once
#include <string>
#include <vector>

#include "report/comparing/evaluation_groups.h"
#include "report/comparing/lineage.h"
#include "report/drawing/markup.h"
#include "report/runs/run_data.h"

namespace compeer::report {

/// A paragraph of the findings, begun by its heading.
struct Finding {
  std::string heading;
  std::vector<std::string> sentences;
};

/// What the numbers say, and no more. Evaluated models are compared with the model their training started from by the
/// first of the headline metrics, then with each other by all of them; a difference is called one only if its 95 %
/// interval leaves zero out. Training runs get the means of their first and last rows, without a verdict: the rows of
/// one run are no independent sample.
std::vector<Finding> findings(const std::vector<RunData>& runs, const Lineage& lineage);

/// What to be aware of: runs that did not finish, or ended early, with the reason they left; records that were cut or
/// left out; files that can't be read or were changed; warnings; what the figures of trials leave out.
std::vector<std::string> notices(const std::vector<RunData>& runs);

}  // namespace compeer::report
