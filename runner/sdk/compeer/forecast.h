#pragma once
#include <map>
#include <string>
#include <vector>

namespace compeer {

/// Records that aren't there yet, as far as a dry run can tell of them: at most so many, of a usual length.
struct Forecast {
  std::map<std::string, double> records;  ///< of each split
  double dialogues = 0;                   ///< that they are rounds of
  double tokens = 0;                      ///< of what was said before the reply
  double answer = 0;                      ///< tokens of the reply with its reasoning
  double chinese = 0;                     ///< share of the records
  double rewritten = 0;                   ///< share of them that are others in other words
  double answers = 0;                     ///< of models under test, to each record

  double all() const {
    double sum = 0;
    for (const auto& [split, count] : records) sum += count;
    return sum;
  }
};

/// What will be asked of a model, at most, if every answer is as long as it may be and none is asked for again.
struct Asked {
  std::string who;  ///< the setting that names the model: "chat", "judges.en.fluency", "model"
  double requests = 0;
  double read = 0, written = 0;  ///< tokens of one request; read: beside the prompt's own words
};

}  // namespace compeer
