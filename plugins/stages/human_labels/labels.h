#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace compeer::stages {

// Labels that people gave to the turns of a corpus, such as emotion and strategy. The stage human_labels of a data run
// makes reasoning steps from them, without a model. A record is one round of a dialogue: the turns up to one of the
// seeker, and the supporter's reply. Its candidate is a completion: three steps and a reply.

/// Returns the values of the label `name` of a round, without duplicates: from the seeker's turn before the reply;
/// otherwise from the dialogue; otherwise from the reply. Empty if there are none.
std::vector<std::string> labels_of(const nlohmann::json& record, const std::string& name);

/// Returns the names of all labels that the round has, sorted and separated by commas: "emotion, problem, strategy".
std::string names_of(const nlohmann::json& record);

/// A template for the text of a step, with labels in braces: "{problem}, {cause}".
class LabelTemplate {
 public:
  /// `setting`: the setting that contains the template `text`, for messages. Throws Error (exit code 3: wrong settings)
  /// if the text contains no label, an unclosed brace or empty braces.
  LabelTemplate(const std::string& setting, const std::string& text);

  /// A reasoning step made from labels.
  struct Step {
    std::string text;                 ///< the filled template, on one line
    std::vector<std::string> values;  ///< the values of all its labels
    std::string missing;              ///< the first label the round lacks; the other fields are then empty
  };
  /// Returns the step made from the labels of the round `record`; several values of a label are joined by ", ".
  Step of(const nlohmann::json& record) const;

 private:
  // A part of the template: literal text, and the label that follows it.
  struct Piece {
    std::string text, label;  // "" as label: the last piece
  };
  std::vector<Piece> pieces_;  // the whole template, in order
};

/// Returns true if the record's candidate consists of the supporter's own reply and of labels of its own round. Returns
/// false for the wrong candidates that the stage human_labels makes with parts of other dialogues. Each round has one
/// right record.
bool is_right(const nlohmann::json& record);

/// Returns true if two lists of label values (Step::values) have none in common. A step with the one list is then wrong
/// in a round with the other.
bool disjoint(const std::vector<std::string>& one, const std::vector<std::string>& other);

}  // namespace compeer::stages
