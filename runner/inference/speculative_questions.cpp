// Plans drafts of questions and answers, and accepts the tokens that the engine verified.
#include "inference/speculative_questions.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/hash.h"

namespace compeer::inference {

namespace {

constexpr const char* where = "language_model";

bool begins_with(const std::vector<int32_t>& all, const std::vector<int32_t>& beginning) {
  return all.size() >= beginning.size() && std::equal(beginning.begin(), beginning.end(), all.begin());
}

}  // namespace

std::shared_ptr<const std::vector<Picture>> PromptFormat::see(const std::vector<Turn>& turns) const {
  return std::make_shared<const std::vector<Picture>>(vision_input.read(turns, where));
}

std::shared_ptr<const language::TokenizedMessage> PromptFormat::line(const Turn& turn) const {
  return chat.tokenize({turn.role, turn.text, turn.pictures.size()});
}

std::vector<int32_t> PromptFormat::prompt(const language::TokenizedMessages& lines,
                                          const ConversationState& conversation) const {
  return vision_input.prompt_of(chat, lines, *conversation.pictures, where);
}

std::shared_ptr<const VisionFeatures> PromptFormat::compute_vision(std::span<const int32_t> tokens, int64_t from,
                                                                   const ConversationState& conversation) const {
  return vision_input.compute_vision(tokens, static_cast<size_t>(from), conversation.sequence.next_position(),
                                     *conversation.pictures);
}

void PromptFormat::check(const std::vector<int32_t>& prompt) const {
  if (fits(prompt)) return;
  throw Error(where,
              fmt::format("a conversation has {} tokens, but its model has room for {}", prompt.size(), max_positions),
              "shorten the prompt, or use a model with a longer context (max_position_embeddings)", Exit::data);
}

uint32_t prompt_hash(const std::vector<int32_t>& prompt) {
  const auto hash = sha256({reinterpret_cast<const char*>(prompt.data()), prompt.size() * sizeof(int32_t)});
  return static_cast<uint32_t>(std::stoul(hash.substr(0, 8), nullptr, 16));
}

const EncodedChoice& ChoiceTokenCache::of(const std::string& choice) {
  auto& word = words_[choice];
  if (!word.line) word = {format_.chat.answer(choice), format_.line({"assistant", choice})};
  return word;
}

std::shared_ptr<const language::TokenizedMessage> ChoiceTokenCache::said(const std::string& text) const {
  const auto known = words_.find(text);
  return known != words_.end() ? known->second.line : format_.line({"assistant", text});
}

SpeculativeQuestions::SpeculativeQuestions(const PromptFormat& format, ChoiceTokenCache& words,
                                           ConversationState& conversation, const std::vector<Question>& questions,
                                           const SamplingParams& sampling, bool want_log_probs,
                                           bool single_conversation)
    : format_(format),
      words_(words),
      conversation_(conversation),
      questions_(questions),
      sampling_(sampling),
      want_log_probs_(want_log_probs),
      single_conversation_(single_conversation),
      prompts_(questions.size()) {
  for (const Question& question : questions) lines_.push_back(format.line({"user", question.text}));
}

rollout::DraftTokens SpeculativeQuestions::next(uint64_t seed) {
  draft();
  auto& conversation = conversation_.sequence;
  const auto& old = conversation.tokens();
  const auto sure = std::span(drafted_).first(static_cast<size_t>(expected_.front().at));
  int64_t left = conversation.truncate(std::ranges::mismatch(sure, old).in1 - sure.begin());
  if (const auto vision = format_.compute_vision(sure, left, conversation_)) {
    conversation.append(sure.subspan(static_cast<size_t>(left)), vision);
    left = expected_.front().at;
  }
  rollout::DraftTokens guess{&conversation, {drafted_.begin() + left, drafted_.begin() + expected_.back().at}, {}};
  for (const ExpectedToken& one : expected_)
    guess.positions.push_back({one.at, {seed, sampling_.sample_index, one.prompt, 0, one.token}});
  return guess;
}

void SpeculativeQuestions::draft() {
  auto lines = conversation_.lines;
  expected_.clear();
  for (size_t question = answered_; question < questions_.size(); ++question) {
    const bool guessed = question > answered_;
    lines.push_back(lines_[question]);
    auto& prompt = prompts_[question];
    if (prompt.empty()) prompt = format_.prompt(lines, conversation_);
    if (!guessed) format_.check(prompt);
    // A chat template may render an answer with other tokens than the model generates.
    if (guessed && !(format_.fits(prompt) && begins_with(prompt, drafted_))) return;
    drafted_ = prompt;
    const auto answer = draft_answer(question, guessed ? std::vector<int32_t>() : answer_);
    const bool begun = !guessed && !answer_.empty();
    if (answer.empty() || !(begun || questions_[question].speculate)) return;
    lines.push_back(words_.said(format_.tokenizer.decode(answer)));
  }
}

// True if an answer that has no token yet is drafted. If another question follows, that saves a pass only if the answer
// is `speculate`, so that the question is read in the same pass.
bool SpeculativeQuestions::drafts_answer(size_t question) const {
  return questions_[question].speculate || (single_conversation_ && question + 1 == questions_.size());
}

// Appends to the draft the first choice, the guess before all others, that begins with the tokens `begun`, and samples
// at each of its tokens. Returns the choice's tokens; empty if none matches: then only the next token is sampled.
std::vector<int32_t> SpeculativeQuestions::draft_answer(size_t question, const std::vector<int32_t>& begun) {
  const auto& choices = questions_[question].choices;
  std::vector<int32_t> answer;
  const size_t tried = begun.empty() && !drafts_answer(question) ? 0 : choices.size() + 1;
  for (size_t i = 0; i < tried && answer.empty(); ++i) {
    const size_t choice = i == 0 ? questions_[question].guess : i - 1;
    if (choice >= choices.size()) continue;
    const auto& word = words_.of(choices[choice]).ids;
    if (begins_with(word, begun) && static_cast<int64_t>(word.size()) <= limit(question)) answer = word;
  }
  const auto& said = answer.empty() ? begun : answer;
  const auto first = static_cast<int64_t>(prompts_[question].size());
  const uint32_t number = prompt_hash(prompts_[question]);
  drafted_.insert(drafted_.end(), said.begin(), said.end());
  for (size_t token = begun.size(); token < std::max(said.size(), begun.size() + 1); ++token)
    expected_.push_back({first + static_cast<int64_t>(token), number, static_cast<uint32_t>(token)});
  return answer;
}

// Most tokens of an answer.
int64_t SpeculativeQuestions::limit(size_t question) const {
  return std::min(sampling_.max_tokens, format_.max_positions - static_cast<int64_t>(prompts_[question].size()));
}

void SpeculativeQuestions::accept_tokens(const std::vector<rollout::NextToken>& choices) {
  for (size_t i = 0; i < choices.size(); ++i) {
    const auto at = static_cast<size_t>(expected_[i].at);
    const int32_t token = choices[i].token.id;
    if (want_log_probs_ && expected_[i].token == 0) {
      beginnings_.push_back(conversation_.sequence);
      beginnings_.back().truncate(expected_[i].at, choices[i].state);
    }
    const size_t question = answered_;
    accept(token);
    if (at < drafted_.size() && drafted_[at] == token) continue;
    conversation_.sequence.truncate(expected_[i].at, choices[i].state);
    for (size_t later = question + 1; later < prompts_.size(); ++later) prompts_[later].clear();
    return;
  }
}

void SpeculativeQuestions::accept(int32_t token) {
  answer_.push_back(token);
  const bool finished = token == format_.tokenizer.end_token();
  if (!finished && static_cast<int64_t>(answer_.size()) < limit(answered_)) return;
  answers_.push_back({format_.tokenizer.decode(answer_), static_cast<int64_t>(answer_.size()), finished});
  conversation_.lines.push_back(lines_[answered_]);
  conversation_.lines.push_back(words_.said(answers_.back().text));
  answer_.clear();
  ++answered_;
}

}  // namespace compeer::inference
