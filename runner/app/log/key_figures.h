#pragma once
#include <string>
#include <vector>

#include "app/log/figures.h"

/// Which of a run's many metrics are shown first, and how they are written for people.
namespace compeer::app {

/// How a metric is shown: 0.125 of "truncated" as 12.5 %.
struct Unit {
  std::string name = "";  ///< "%", "tokens", "MiB"; empty: the number stands for itself
  double factor = 1;      ///< by which what was recorded is multiplied
};
Unit unit_of(const std::string& metric);

/// A metric, and under which heading it stands.
struct KeyFigure {
  std::string group, name;
};

/// At most ten of these names: those that tell how a run goes or what it came to, the most telling first. A run with
/// few metrics has all of them among these.
std::vector<KeyFigure> key_figures(const std::vector<std::string>& names);

/// Figures with units and intervals in aligned lines: the key ones under headings, or all of them by name.
std::string figures_text(const std::vector<RunFigure>& figures, bool all = false);

}  // namespace compeer::app
