#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::stages {

/// Returns people's labels `name` of a round that the stage sample drew, without duplicates: from the seeker's turn
/// before the reply, otherwise from the dialogue, otherwise from the reply. Empty if there are none.
std::vector<std::string> labels_of(const nlohmann::json& record, const std::string& name);

/// Returns the names of all labels of this round, sorted: "emotion, problem, strategy".
std::string names_of(const nlohmann::json& record);

/// A template for the text of a step, with labels in braces: "{problem}, {cause}".
class LabelTemplate {
 public:
  /// Throws Error (exit 3) that names `setting` if the text contains no label or an unclosed brace.
  LabelTemplate(const std::string& setting, const std::string& text);

  struct Step {
    std::string text;                 ///< the filled template, on one line
    std::vector<std::string> values;  ///< the values of all its labels
    std::string missing;              ///< the first label the round lacks; the other fields are then empty
  };
  /// Returns the step made from the labels of a round.
  Step of(const nlohmann::json& record) const;

 private:
  struct Piece {
    std::string text, label;  // the text before a label, and the label ("" for the last piece)
  };
  std::vector<Piece> pieces_;
};

/// Returns true if the candidate consists of people's own reply and labels, without a part from another dialogue. There
/// is one such record for each round.
bool is_right(const nlohmann::json& record);

/// Returns true if two steps have no label value in common, so that one is wrong where the other is right.
bool disjoint(const std::vector<std::string>& one, const std::vector<std::string>& other);

}  // namespace compeer::stages
