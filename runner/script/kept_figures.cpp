#include "script/kept_figures.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace compeer::script {

KeptFigures::KeptFigures(Actions& actions, StudyTable& table, const std::string& folder)
    : actions_(actions),
      table_(table),
      folder_(actions.quick() ? "" : folder),
      rows_(table.seeds.size(), spec::json::object()) {
  if (folder_.empty()) return;
  for (size_t seed = 0; seed < rows_.size(); ++seed) {
    const auto all = actions_.kept(file(seed));
    if (!all) continue;
    if (all->value("study", spec::json()) != table_.name || all->value("seed", spec::json()) != table_.seeds[seed] ||
        !all->value("rows", spec::json()).is_object())
      throw Error(file(seed),
                  fmt::format("has no figures of the study '{}' with seed {}", table_.name, table_.seeds[seed]),
                  "move it out of the way; what it should hold is then run", Exit::data);
    rows_[seed] = all->at("rows");
  }
}

bool KeptFigures::take(size_t seed, size_t row) {
  const auto figures = rows_[seed].value(table_.rows[row], spec::json());
  std::vector<double> values;
  for (const auto& figure : table_.figures) {
    const auto found = figures.find(figure.title);
    if (found == figures.end() || !(found->is_number() || found->is_null())) return false;
    values.push_back(found->is_null() ? std::nan("") : found->get<double>());
  }
  for (size_t figure = 0; figure < values.size(); ++figure) table_.values[row][figure][seed] = values[figure];
  return true;
}

void KeptFigures::keep(size_t seed, size_t row) {
  if (folder_.empty() || actions_.dry_run()) return;
  auto figures = spec::json::object();
  bool any = false;
  for (size_t figure = 0; figure < table_.figures.size(); ++figure) {
    const double value = table_.values[row][figure][seed];
    any = any || !std::isnan(value);
    figures[table_.figures[figure].title] = std::isnan(value) ? spec::json() : spec::json(value);
  }
  if (!any) return;
  rows_[seed][table_.rows[row]] = std::move(figures);  // rows that the study has no longer stay
  actions_.keep(file(seed), {{"study", table_.name}, {"seed", table_.seeds[seed]}, {"rows", rows_[seed]}});
}

std::string KeptFigures::file(size_t seed) const { return fmt::format("{}/seed-{}.json", folder_, table_.seeds[seed]); }

}  // namespace compeer::script
