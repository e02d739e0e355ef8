#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::stages {

/// What people said under this name of a round that the stage sample drew, each value once: of the seeker's turn before
/// the reply, else of the dialogue, else of the reply. Empty if the corpus has no such label, or the round lacks it.
std::vector<std::string> labels_of(const nlohmann::json& record, const std::string& name);

/// The names under which people said something of this round, in order: "emotion, problem, strategy".
std::string names_of(const nlohmann::json& record);

/// The text of a step made of labels: "{problem}, {cause}".
class LabelTemplate {
 public:
  /// Throws Error (exit 3) naming `setting` if no label is named, or a brace stays open.
  LabelTemplate(const std::string& setting, const std::string& text);

  struct Step {
    std::string text;                 ///< with all values in their places, in one line
    std::vector<std::string> values;  ///< of all labels
    std::string missing;              ///< the first label that the round lacks; then there is no text
  };
  Step of(const nlohmann::json& record) const;

 private:
  struct Piece {
    std::string text, label;  // what stands before a label; the last has none
  };
  std::vector<Piece> pieces_;
};

/// Whether a record is what people said and noted down, without a part of another dialogue in the candidate. There is
/// one of a round.
bool is_right(const nlohmann::json& record);

/// Whether two steps have no value in common: then one is wrong where the other is right.
bool disjoint(const std::vector<std::string>& one, const std::vector<std::string>& other);

}  // namespace compeer::stages
