#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace compeer::empathy {

/// Label sets of the three steps. The enumerator's own word is the label's name.
enum class Stage { exploration, comforting, action };
enum class Sentiment { negative, neutral, positive };
enum class Emotion { sadness, anxiety, anger, shame, loneliness, exhaustion, confusion, hope };

/// ESConv's eight, by the first word of their long names.
enum class Strategy { question, restatement, reflection, disclosure, affirmation, suggestion, information, others };

inline constexpr std::array<Stage, 3> stages = {Stage::exploration, Stage::comforting, Stage::action};
inline constexpr std::array<Sentiment, 3> sentiments = {Sentiment::negative, Sentiment::neutral, Sentiment::positive};
inline constexpr std::array<Emotion, 8> emotions = {Emotion::sadness,   Emotion::anxiety,    Emotion::anger,
                                                    Emotion::shame,     Emotion::loneliness, Emotion::exhaustion,
                                                    Emotion::confusion, Emotion::hope};
inline constexpr std::array<Strategy, 8> strategies = {
    Strategy::question,    Strategy::restatement, Strategy::reflection,  Strategy::disclosure,
    Strategy::affirmation, Strategy::suggestion,  Strategy::information, Strategy::others};

std::string_view name(Stage stage);
std::string_view name(Sentiment sentiment);
std::string_view name(Emotion emotion);
std::string_view name(Strategy strategy);

Sentiment sentiment_of(Emotion emotion);

/// Lenient reading, wording apart: the one label of the set that the text names. Letters' case does not matter, a
/// label counts only as a whole word, near forms ("suggestions", "paraphrasing", "sad") count as their label.
/// Nothing if the text names no label, or two different ones.
std::optional<Stage> read_stage(std::string_view text);
std::optional<Sentiment> read_sentiment(std::string_view text);
std::optional<Emotion> read_emotion(std::string_view text);
std::optional<Strategy> read_strategy(std::string_view text);

/// The one digit 1-5 that stands alone in the text.
std::optional<int> read_intensity(std::string_view text);

}  // namespace compeer::empathy
