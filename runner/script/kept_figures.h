#pragma once
#include <string>

#include "script/actions.h"
#include "script/study_table.h"

namespace compeer::script {

/// The figures of a study's rows and seeds, each seed in a file of its own: what runs on different days and machines
/// adds up.
class KeptFigures {
 public:
  /// `folder`: where the files are; "": nothing is kept.
  KeptFigures(Actions& actions, StudyTable& table, const std::string& folder);

  /// Puts a row's figures of a seed into the table, if all of them were kept. Throws Error (exit 4) if the file is
  /// another study's.
  bool take(size_t seed, size_t row);
  /// Keeps what the table has of them, if it has any.
  void keep(size_t seed, size_t row);

 private:
  std::string file(size_t seed) const;

  Actions& actions_;
  StudyTable& table_;
  const std::string folder_;
  std::vector<spec::json> rows_;  // of each seed as kept, row -> figure -> number or null
};

}  // namespace compeer::script
