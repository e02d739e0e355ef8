#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

// The closed label sets of the three reasoning steps of a completion, with their names and a parser. Step 1 (history)
// names the stage of the dialogue; step 2 (emotion) names the seeker's sentiment, emotion and its intensity; step 3
// (strategy) announces the strategy of the reply. The seeker asks for emotional support; the supporter gives it.

namespace compeer::empathy {

/// Stage of a dialogue: finding out about the problem, comforting the seeker, or planning what to do.
enum class Stage { exploration, comforting, action };
/// Polarity of a feeling.
enum class Sentiment { negative, neutral, positive };
/// The seeker's main emotion.
enum class Emotion { sadness, anxiety, anger, shame, loneliness, exhaustion, confusion, hope };

/// How a reply helps: the eight strategies of the data set ESConv, each by a word of its long name ("Restatement or
/// Paraphrasing").
enum class Strategy { question, restatement, reflection, disclosure, affirmation, suggestion, information, others };

/// All labels of each set, in the order of their values.
inline constexpr std::array<Stage, 3> stages = {Stage::exploration, Stage::comforting, Stage::action};
inline constexpr std::array<Sentiment, 3> sentiments = {Sentiment::negative, Sentiment::neutral, Sentiment::positive};
inline constexpr std::array<Emotion, 8> emotions = {Emotion::sadness,   Emotion::anxiety,    Emotion::anger,
                                                    Emotion::shame,     Emotion::loneliness, Emotion::exhaustion,
                                                    Emotion::confusion, Emotion::hope};
inline constexpr std::array<Strategy, 8> strategies = {
    Strategy::question,    Strategy::restatement, Strategy::reflection,  Strategy::disclosure,
    Strategy::affirmation, Strategy::suggestion,  Strategy::information, Strategy::others};

/// Return the name of a label, which is the name of its enumerator: "exploration".
std::string_view name(Stage stage);
std::string_view name(Sentiment sentiment);
std::string_view name(Emotion emotion);
std::string_view name(Strategy strategy);

/// Returns the sentiment of an emotion: `hope` is positive, `confusion` neutral, all others negative.
Sentiment sentiment_of(Emotion emotion);

/// Find the one label that a text names, such as a reasoning step. Matching ignores case, requires whole words, and
/// accepts other forms of a label ("suggestions", "paraphrasing", "sad"). Empty if the text names no label of the set
/// or several.
std::optional<Stage> read_stage(std::string_view text);
std::optional<Sentiment> read_sentiment(std::string_view text);
std::optional<Emotion> read_emotion(std::string_view text);
std::optional<Strategy> read_strategy(std::string_view text);

/// Returns the intensity of an emotion that a text names: the digit from 1 to 5 that is its only number. Empty if there
/// is no such digit, or another number too.
std::optional<int> read_intensity(std::string_view text);

}  // namespace compeer::empathy
