// The truth of completions, and its JSON form.
#include "datasets/esc_world/world/truth.h"

#include <algorithm>
#include <stdexcept>

#include "base/error.h"
#include "datasets/esc_world/world/quality.h"
#include "empathy/format.h"

namespace compeer::esc_world {
namespace {

constexpr std::array<std::string_view, 3> need_names = {"be_heard", "understand", "find_a_way"};

template <class Labels>
size_t index_of(const nlohmann::json& record, const char* key, const Labels& names) {
  const std::string value = record.at(key);
  const auto found = std::find(names.begin(), names.end(), value);
  if (found == names.end()) throw std::invalid_argument("record: '" + value + "' is not a valid " + key);
  return static_cast<size_t>(found - names.begin());
}

template <class Labels>
auto names_of(const Labels& labels) {
  std::vector<std::string> names;
  for (const auto label : labels) {
    using empathy::name;
    names.emplace_back(name(label));
  }
  return names;
}

Seeker seeker_of(const nlohmann::json& record, const Lexicon& words) {
  Seeker seeker;
  seeker.stage = empathy::stages[index_of(record, "stage", names_of(empathy::stages))];
  seeker.emotion = empathy::emotions[index_of(record, "emotion", names_of(empathy::emotions))];
  seeker.style = styles[index_of(record, "style", names_of(styles))];
  seeker.need = static_cast<Need>(index_of(record, "need", need_names));
  seeker.intensity = record.at("intensity");
  std::vector<std::string> all;
  for (int subject = 0; subject < subjects; ++subject) all.push_back(words.subject(subject));
  seeker.subject = static_cast<int>(index_of(record, "subject", all));
  return seeker;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// True if `text` contains `word` as a whole word.
bool names(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

// True if the step names a subject or problem other than the seeker's.
bool names_another_matter(std::string_view text, int own, const Lexicon& words) {
  for (int subject = 0; subject < subjects; ++subject) {
    if (subject != own && names(text, words.subject(subject))) return true;
    const bool same_problem = subject / subjects_each == own / subjects_each;
    if (!same_problem && names(text, words.problem[static_cast<size_t>(subject / subjects_each)].name)) return true;
  }
  return false;
}

bool right_history(const Seeker& seeker, std::string_view step, const Lexicon& words) {
  return empathy::read_stage(step) == seeker.stage && !names_another_matter(step, seeker.subject, words);
}

bool right_emotion(const Seeker& seeker, std::string_view step) {
  const std::optional<int> intensity = empathy::read_intensity(step);
  return empathy::read_emotion(step) == seeker.emotion &&
         empathy::read_sentiment(step) == empathy::sentiment_of(seeker.emotion) && intensity &&
         std::abs(*intensity - seeker.intensity) <= 1;
}

bool right_strategy(const Seeker& seeker, std::optional<Strategy> announced) {
  return announced && fit(*announced, seeker.stage, seeker.emotion, seeker.style) == 1.0;
}

}  // namespace

nlohmann::json to_json(const Truth& truth) {
  const Seeker& seeker = truth.seeker;
  const Lexicon& words = lexicon(truth.language);
  return {{"language", truth.language},
          {"stage", empathy::name(seeker.stage)},
          {"sentiment", empathy::name(empathy::sentiment_of(seeker.emotion))},
          {"emotion", empathy::name(seeker.emotion)},
          {"intensity", seeker.intensity},
          {"strategies", names_of(good_strategies(seeker.stage, seeker.emotion, seeker.style))},
          {"problem", words.problem[static_cast<size_t>(seeker.subject / subjects_each)].name},
          {"subject", words.subject(seeker.subject)},
          {"style", name(seeker.style)},
          {"need", need_names[static_cast<size_t>(seeker.need)]},
          {"said", truth.said},
          {"habituation", truth.feelings.habituation},
          {"safe_quality", truth.feelings.safe_quality}};
}

Truth truth_of(const nlohmann::json& record) {
  try {
    Truth truth;
    truth.language = record.at("language");
    truth.seeker = seeker_of(record, lexicon(truth.language));
    truth.said = record.at("said").get<EarlierReplies>();
    truth.feelings = {record.at("habituation"), record.at("safe_quality")};
    return truth;
  } catch (const nlohmann::json::exception& error) {
    throw Error("record", std::string("is not one of esc_world (") + error.what() + ")",
                "use records of the dataset esc_world: others have no known correct labels", Exit::data);
  }
}

Verdict judge(const Truth& truth, std::string_view completion) {
  const Lexicon& words = lexicon(truth.language);
  const empathy::Steps steps = empathy::steps_of(completion);
  const std::optional<Strategy> announced = steps.strategy ? empathy::read_strategy(*steps.strategy) : std::nullopt;
  Verdict verdict;
  verdict.format = static_cast<bool>(empathy::parse(completion));
  verdict.history = steps.history && right_history(truth.seeker, *steps.history, words);
  verdict.emotion = steps.emotion && right_emotion(truth.seeker, *steps.emotion);
  verdict.strategy = right_strategy(truth.seeker, announced);
  if (const auto reply = read(empathy::reply_of(completion), words)) {
    verdict.grammatical = true;
    if (const auto act = reply->strategy()) verdict.follows = announced == act;
    verdict.quality = quality(*reply, announced, truth.seeker, truth.said, truth.feelings);
    verdict.felt = felt(*reply, truth.seeker, truth.said, truth.feelings);
  }
  return verdict;
}

}  // namespace compeer::esc_world
