// The English words of the world. Words are short and reused where possible, because the tokenizer has at most 1,024
// entries and should contain nearly all of them.
#include "datasets/esc_world/world/lexicon.h"

#include <stdexcept>
#include <utility>

namespace compeer::esc_world {

namespace {

void add_seekers(Lexicon& l) {
  l.facts = {"my {s} has been hard on me {c}.", "i can not stop thinking about my {s} {c}.",
             "my {s} takes all my strength {c}.", "things with my {s} got worse {c}.", "it is about my {s} {c}."};
  l.reminders = {"it is my {s} again.", "my {s} is still on my mind.", "my {s} did not change."};
  l.cues = {{
      {"i feel {i} sad.", "i am {i} down.", "my heart is {i} heavy.", "i am {i} close to tears."},
      {"i feel {i} nervous.", "i am {i} worried.", "i get {i} scared.", "my chest is {i} tight."},
      {"i feel {i} angry.", "i am {i} mad.", "it is {i} unfair to me.", "i am {i} fed up."},
      {"i feel {i} ashamed.", "i am {i} embarrassed.", "i feel {i} small.", "i feel {i} worthless."},
      {"i feel {i} lonely.", "i am {i} alone.", "i feel {i} left out.", "i am {i} isolated."},
      {"i feel {i} exhausted.", "i am {i} tired.", "i feel {i} empty.", "i am {i} worn out."},
      {"i feel {i} confused.", "i am {i} lost.", "i feel {i} torn.", "it is {i} unclear to me."},
      {"i feel {i} hopeful.", "i am {i} relieved.", "i feel {i} better.", "i am {i} calm."},
  }};
  l.shared_cues = {{Emotion::sadness, Emotion::exhaustion, "i feel {i} low."},
                   {Emotion::anxiety, Emotion::anger, "i am {i} upset."},
                   {Emotion::shame, Emotion::loneliness, "i feel {i} unwanted."},
                   {Emotion::confusion, Emotion::hope, "i am {i} restless."}};
  l.intensities = {{{"a bit", "slightly"},
                    {"rather", "somewhat"},
                    {"quite", "pretty"},
                    {"very", "really"},
                    {"terribly", "totally"}}};
  l.stage_cues = {{
      {"i do not know where to start.", "it all began last week.", "so much happened.", "there is more to tell.",
       "let me tell you more."},
      {"i just need someone to listen.", "please stay with me.", "is it okay to feel this way?",
       "it hurts to talk about it.", "no one understands me."},
      {"what should i do now?", "how can i change this?", "i want a plan.", "i am ready to try.",
       "what is the next step?"},
  }};
  l.shared_stage_cues = {{Stage::exploration, Stage::comforting, "it is too much for me."},
                         {Stage::comforting, Stage::action, "it can not go on like this."},
                         {Stage::exploration, Stage::action, "i keep asking myself why."}};
  l.markers = {{
      {"to be direct,", "listen,", "in short,"},
      {"oh wow,", "you know what,", "guess what,"},
      {"sorry to bother you,", "if it is okay,", "no rush, but"},
      {"to be exact,", "in detail,", "to be precise,"},
  }};
}

void add_cards(Lexicon& l) {
  l.card = "Problem: {problem}\nManner: {manner}\nFeeling: {feeling}\nNow: {now}";
  l.manners = {"direct and in a hurry, begins with \"{m}\"", "open and lively, begins with \"{m}\"",
               "shy and patient, begins with \"{m}\"", "exact and careful, begins with \"{m}\""};
  l.wishes = {"to be heard", "to understand what is going on", "to find a way out"};
}

void add_acts(Lexicon& l) {
  l.acts = {{
      {"what happened with {s}?", "how long has {s} been like this?", "what is the hardest part about {s}?",
       "can you tell me more about {s}?", "when did {s} start to hurt?", "what do you need most with {s}?"},
      {"so {s} has been on your mind a lot.", "so you are saying {s} is too much right now.",
       "if i understand, {s} keeps coming back.", "in other words, {s} changed your days.",
       "so it all comes down to {s}.", "you told me that {s} takes your strength."},
      {"i sense how deeply {s} touches you.", "it seems {s} leaves you with strong feelings.",
       "part of you still fights with {s}.", "i can feel how much {s} matters to you.",
       "{s} brings up a lot inside you.", "deep down, {s} seems to hurt you."},
      {"i once struggled too, like you with {s}.", "{s} reminds me of my own past.",
       "i have been there, just like you with {s}.", "years ago i had a time like yours with {s}.",
       "i also cried over something like {s}.", "my own story is close to yours with {s}."},
      {"you are doing your best with {s}.", "anyone would struggle with {s}.", "it takes courage to face {s}.",
       "you have handled {s} with care.", "i believe you will find your way with {s}.",
       "you can be proud of how you face {s}."},
      {"maybe you could take one small step with {s}.", "you could write down your thoughts about {s}.",
       "how about taking a break from {s}?", "try to talk to a friend about {s}.",
       "perhaps set a clear limit with {s}.", "you might plan one hour for {s}."},
      {"many people have trouble with {s}.", "experts say that rest helps with {s}.",
       "stress about {s} often fades with time.", "studies show that sharing helps with {s}.",
       "a counselor can help with {s}.", "it is common to need weeks with {s}."},
      {"thank you for trusting me with {s}.", "i am glad you told me about {s}.", "i wish you the best with {s}.",
       "it is good to see you talk about {s}."},
  }};
}

void add_manners(Lexicon& l) {
  l.attunements = {{
      {"i hear your sadness.", "that sounds so sad.", "your tears make sense.", "no wonder your heart is heavy."},
      {"i hear your worry.", "that sounds scary.", "your fear makes sense.", "no wonder you feel nervous."},
      {"i hear your anger.", "that sounds unfair.", "your anger makes sense.", "no wonder you are mad."},
      {"i hear your shame.", "that sounds painful.", "you have nothing to hide.", "no wonder you feel small."},
      {"i hear how alone you are.", "that sounds lonely.", "you miss being close to someone.",
       "no wonder you feel left out."},
      {"i hear how tired you are.", "that sounds exhausting.", "you need rest.", "no wonder you are worn out."},
      {"i hear your doubts.", "that sounds confusing.", "it makes sense to be unsure.", "no wonder you feel lost."},
      {"i hear your hope.", "that sounds promising.", "it is good to feel better.", "no wonder you are relieved."},
  }};
  l.tails = {{
      {"let us get to the point.", "you are in charge.", "keep it short and direct.", "you decide what comes next."},
      {"you bring so much energy!", "we can figure it out together!", "i love how open you are!",
       "wow, you have come so far!"},
      {"take all the time you need.", "there is no rush.", "we can go slowly.", "i will stay right here."},
      {"let us look at the details.", "we can go step by step.", "one thing at a time.", "let us be exact."},
  }};
  l.artificial = {"your message was received.", "the data shows progress."};
  l.safe = {"i am here for you.",       "you are not alone.",       "i hear you.",
            "that sounds really hard.", "everything will be okay.", "it is okay to feel this way."};
}

Lexicon make() {
  Lexicon l;
  l.language = "en";
  l.problem = {{{"work", "at work", {"boss", "deadline", "team"}},
                {"school", "at school", {"exam", "thesis", "teacher"}},
                {"family", "at home", {"mother", "father", "brother"}},
                {"love", "in love", {"breakup", "partner", "divorce"}},
                {"friends", "with friends", {"roommate", "neighbor", "old friend"}},
                {"health", "in my body", {"illness", "back pain", "surgery"}},
                {"money", "with money", {"debt", "rent", "loan"}},
                {"sleep", "at night", {"insomnia", "nightmare", "night shift"}},
                {"loss", "since the funeral", {"grandmother", "dog", "uncle"}},
                {"moving", "in the new city", {"move", "flat", "visa"}},
                {"looks", "in the mirror", {"weight", "skin", "voice"}},
                {"habits", "every evening", {"drinking", "gaming", "smoking"}}}};
  l.yours = "your {s}";
  l.unnamed = "this";
  add_seekers(l);
  add_cards(l);
  add_acts(l);
  add_manners(l);
  return l;
}

}  // namespace

std::string_view name(Style style) {
  static constexpr std::array<std::string_view, 4> names = {"dominance", "influence", "steadiness",
                                                            "conscientiousness"};
  return names.at(static_cast<size_t>(style));
}

const Lexicon& lexicon(const std::string& language) {
  if (language == "en") return english();
  throw std::invalid_argument("esc_world has no language '" + language + "' (known: en)");
}

std::string fill(std::string_view text, std::string_view slot, std::string_view value) {
  const size_t at = text.find(slot);
  if (at == std::string_view::npos) return std::string(text);
  return std::string(text.substr(0, at)) + std::string(value) + std::string(text.substr(at + slot.size()));
}

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " ") + part;
  return text;
}

std::vector<std::string> sentences_of(std::string_view text) {
  std::vector<std::string> sentences;
  std::string sentence;
  for (char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (space && sentence.empty()) continue;
    sentence += c;
    if (c == '.' || c == '?' || c == '!') sentences.push_back(std::exchange(sentence, {}));
  }
  while (!sentence.empty() && (sentence.back() == ' ' || sentence.back() == '\n')) sentence.pop_back();
  if (!sentence.empty()) sentences.push_back(sentence);
  return sentences;
}

const Lexicon& english() {
  static const Lexicon table = make();
  return table;
}

}  // namespace compeer::esc_world
