#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace compeer::empathy {

/// Labels of the three steps. The name of a label is the name of its enumerator.
enum class Stage { exploration, comforting, action };
enum class Sentiment { negative, neutral, positive };
enum class Emotion { sadness, anxiety, anger, shame, loneliness, exhaustion, confusion, hope };

/// The eight strategies of ESConv, each by the first word of its long name.
enum class Strategy { question, restatement, reflection, disclosure, affirmation, suggestion, information, others };

inline constexpr std::array<Stage, 3> stages = {Stage::exploration, Stage::comforting, Stage::action};
inline constexpr std::array<Sentiment, 3> sentiments = {Sentiment::negative, Sentiment::neutral, Sentiment::positive};
inline constexpr std::array<Emotion, 8> emotions = {Emotion::sadness,   Emotion::anxiety,    Emotion::anger,
                                                    Emotion::shame,     Emotion::loneliness, Emotion::exhaustion,
                                                    Emotion::confusion, Emotion::hope};
inline constexpr std::array<Strategy, 8> strategies = {
    Strategy::question,    Strategy::restatement, Strategy::reflection,  Strategy::disclosure,
    Strategy::affirmation, Strategy::suggestion,  Strategy::information, Strategy::others};

/// Return the name of a label.
std::string_view name(Stage stage);
std::string_view name(Sentiment sentiment);
std::string_view name(Emotion emotion);
std::string_view name(Strategy strategy);

/// Returns the sentiment an emotion belongs to.
Sentiment sentiment_of(Emotion emotion);

/// Find the one label that a text names. Matching ignores case, requires whole words, and accepts other forms of a
/// label ("suggestions", "paraphrasing", "sad"). Empty if the text names no label or several.
std::optional<Stage> read_stage(std::string_view text);
std::optional<Sentiment> read_sentiment(std::string_view text);
std::optional<Emotion> read_emotion(std::string_view text);
std::optional<Strategy> read_strategy(std::string_view text);

/// Returns the digit from 1 to 5 that is the only number in the text; empty if there is none, or another number too.
std::optional<int> read_intensity(std::string_view text);

}  // namespace compeer::empathy
