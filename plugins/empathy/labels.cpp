// The words that name each label, and their search in texts.
#include "empathy/labels.h"

#include <cstddef>
#include <vector>

#include "empathy/plain.h"

namespace compeer::empathy {
namespace {

/// A label and the words that stand for it; the first is its name.
template <class Label>
struct LabelWords {
  Label label;
  std::vector<std::string_view> words;
};

const std::vector<LabelWords<Stage>>& stage_words() {
  static const std::vector<LabelWords<Stage>> table = {
      {Stage::exploration, {"exploration", "explore", "exploring"}},
      {Stage::comforting, {"comforting", "comfort"}},
      {Stage::action, {"action", "actions", "acting"}},
  };
  return table;
}

const std::vector<LabelWords<Sentiment>>& sentiment_words() {
  static const std::vector<LabelWords<Sentiment>> table = {
      {Sentiment::negative, {"negative"}}, {Sentiment::neutral, {"neutral"}}, {Sentiment::positive, {"positive"}}};
  return table;
}

const std::vector<LabelWords<Emotion>>& emotion_words() {
  static const std::vector<LabelWords<Emotion>> table = {
      {Emotion::sadness, {"sadness", "sad"}},
      {Emotion::anxiety, {"anxiety", "anxious"}},
      {Emotion::anger, {"anger", "angry"}},
      {Emotion::shame, {"shame", "ashamed"}},
      {Emotion::loneliness, {"loneliness", "lonely"}},
      {Emotion::exhaustion, {"exhaustion", "exhausted"}},
      {Emotion::confusion, {"confusion", "confused"}},
      {Emotion::hope, {"hope", "hopeful"}},
  };
  return table;
}

const std::vector<LabelWords<Strategy>>& strategy_words() {
  static const std::vector<LabelWords<Strategy>> table = {
      {Strategy::question, {"question", "questions"}},
      {Strategy::restatement, {"restatement", "paraphrasing", "paraphrase"}},
      {Strategy::reflection, {"reflection"}},
      {Strategy::disclosure, {"disclosure"}},
      {Strategy::affirmation, {"affirmation", "reassurance"}},
      {Strategy::suggestion, {"suggestion", "suggestions"}},
      {Strategy::information, {"information"}},
      {Strategy::others, {"others"}},
  };
  return table;
}

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

/// Returns the runs of ASCII letters, in lower case, and the runs of digits.
std::vector<std::string> words_of(std::string_view written) {
  const std::string text = lower(written);
  std::vector<std::string> words;
  for (size_t i = 0; i < text.size();) {
    bool (*const kind)(char) = is_letter(text[i]) ? is_letter : is_digit;
    std::string word;
    while (i < text.size() && kind(text[i])) word += text[i++];
    if (word.empty()) ++i;
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

template <class Label>
std::optional<Label> read(std::string_view text, const std::vector<LabelWords<Label>>& table) {
  std::optional<Label> found;
  for (const std::string& word : words_of(text)) {
    for (const LabelWords<Label>& entry : table) {
      for (std::string_view known : entry.words) {
        if (word != known) continue;
        if (found && *found != entry.label) return std::nullopt;
        found = entry.label;
      }
    }
  }
  return found;
}

template <class Label>
std::string_view first_word(Label label, const std::vector<LabelWords<Label>>& table) {
  return table.at(static_cast<size_t>(label)).words.front();
}

}  // namespace

std::string_view name(Stage stage) { return first_word(stage, stage_words()); }
std::string_view name(Sentiment sentiment) { return first_word(sentiment, sentiment_words()); }
std::string_view name(Emotion emotion) { return first_word(emotion, emotion_words()); }
std::string_view name(Strategy strategy) { return first_word(strategy, strategy_words()); }

Sentiment sentiment_of(Emotion emotion) {
  switch (emotion) {
    case Emotion::hope:
      return Sentiment::positive;
    case Emotion::confusion:
      return Sentiment::neutral;
    default:
      return Sentiment::negative;
  }
}

std::optional<Stage> read_stage(std::string_view text) { return read(text, stage_words()); }
std::optional<Sentiment> read_sentiment(std::string_view text) { return read(text, sentiment_words()); }
std::optional<Emotion> read_emotion(std::string_view text) { return read(text, emotion_words()); }
std::optional<Strategy> read_strategy(std::string_view text) { return read(text, strategy_words()); }

std::optional<int> read_intensity(std::string_view text) {
  std::optional<int> found;
  for (const std::string& word : words_of(text)) {
    if (!is_digit(word[0])) continue;
    const bool good = word.size() == 1 && word[0] >= '1' && word[0] <= '5';
    if (!good || (found && *found != word[0] - '0')) return std::nullopt;
    found = word[0] - '0';
  }
  return found;
}

}  // namespace compeer::empathy
