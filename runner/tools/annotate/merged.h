#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/annotate/judgements.h"
#include "tools/annotate/records.h"

namespace compeer::annotate {

/// What several people's judgements of the same records come to. Two annotators judge; what they disagree about in any
/// answer goes to a third; every answer is what more than half of them say.
struct Merged {
  /// Records with "steps", "preference" and "annotators" (all judgements), in the order of the file. Where the
  /// preference is evident and nobody was asked, "annotators" is empty.
  std::vector<nlohmann::json> finished;
  std::vector<nlohmann::json> dropped;  ///< {"id", "reason", "annotators"}: three or more judged, no majority
  std::vector<size_t> open;             ///< two judged, and disagree
  std::vector<size_t> waiting;          ///< judged by fewer than two
};

/// `judgements` in the order in which they were given; no annotator twice for a record.
Merged merged(const RecordFile& file, const std::vector<AnnotationLine>& judgements);

/// How much annotators agree on one question, whose items are candidates for steps and records for the preference.
struct QuestionAgreement {
  std::string question;  ///< history, emotion, strategy, preference
  Agreement agreement;
};

/// Annotators who saw disagreements only are left out.
std::vector<QuestionAgreement> agreement_by_question(const RecordFile& file,
                                                     const std::vector<AnnotationLine>& judgements,
                                                     const statistics::Resampling& how);

}  // namespace compeer::annotate
