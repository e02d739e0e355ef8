#include "judging/reading.h"

#include <memory>
#include <stdexcept>

#include "judging/judge.h"

namespace compeer::judging {

namespace {

constexpr int64_t kLongestReading = 512;

}  // namespace

std::vector<Said> answers(Speaker& model, const std::vector<std::vector<Turn>>& histories, const Manner& manner) {
  std::vector<std::unique_ptr<Talk>> talks;
  std::vector<Talk*> lent;
  std::vector<std::string> last;
  for (const auto& history : histories) {
    if (history.empty() || history.back().role != "user")
      throw std::runtime_error("a dialogue does not end with the seeker, so there is nothing to answer");
    talks.push_back(model.begin({history.begin(), history.end() - 1}));
    lent.push_back(talks.back().get());
    last.push_back(history.back().text);
  }
  return model.answer(lent, last, manner);
}

std::vector<Steps> read(Speaker& reader, const std::vector<std::vector<Turn>>& histories) {
  std::vector<Steps> all;
  const Manner steps_alone{0, kLongestReading, 0, {"</strategy>"}};
  for (const Said& said : answers(reader, histories, steps_alone)) all.push_back(case_of(said.text).steps);
  return all;
}

nlohmann::json to_json(const Steps& reading) {
  auto object = nlohmann::json::object();
  for (size_t step = 0; step < reading.size(); ++step) {
    if (reading[step]) object[step_names[step]] = *reading[step];
  }
  return object;
}

Steps reading_in(const nlohmann::json& record) {
  if (!record.contains("reading")) throw std::runtime_error("has no 'reading', which the stage read makes");
  const auto& object = record.at("reading");
  if (!object.is_object()) throw std::runtime_error("has a 'reading' that is no object");
  Steps reading;
  for (size_t step = 0; step < reading.size(); ++step) {
    const auto found = object.find(step_names[step]);
    if (found == object.end()) continue;
    if (!found->is_string()) throw std::runtime_error(std::string("has no text in 'reading.") + step_names[step] + "'");
    reading[step] = found->get<std::string>();
  }
  return reading;
}

}  // namespace compeer::judging
