#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "script/run_result.h"

namespace compeer::script {

/// The numbers of a study: one for each row, figure and seed. Means are over seeds; differences are taken seed by seed,
/// so that what the runs of a seed share cancels out. Values that are NaN are left out, and with them their pairs.
struct StudyTable {
  struct Figure {
    std::string title;
    int better = 1;  ///< 1: the highest mean is best; -1: the lowest; 0: neither
  };
  struct Contrast {
    size_t row, base;             ///< the row minus the base
    std::vector<size_t> figures;  ///< that are compared

    bool compares(size_t figure) const;
  };

  std::string name;
  std::vector<std::string> rows;
  std::vector<Figure> figures;
  std::vector<Contrast> contrasts;  ///< declared beforehand, so Holm's correction is for all of them
  std::vector<int64_t> seeds;
  std::vector<std::vector<std::vector<double>>> values;  ///< [row][figure][seed], NaN: there is none
  std::vector<std::string> notes;                        ///< lines to stand below

  /// A table of NaN.
  void clear();

  /// Of those seeds alone that have any number.
  StudyTable so_far() const;

  /// Of the row less the base, seed by seed.
  std::vector<double> differences(size_t row, size_t base, size_t figure) const;

  /// Means ±half of their 95 % intervals (Student's t), the best mean of a figure marked *, the second best +; below it
  /// the contrasts: ! where the 95 % interval leaves zero out, !! where that holds with Holm's correction for all
  /// contrasts and figures. Lines stay below 120 characters: further figures stand in further blocks.
  std::string text() const;
};

}  // namespace compeer::script
