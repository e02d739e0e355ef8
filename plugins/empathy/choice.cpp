// Finds the label that an answer of a chat model gives. A label counts where the model gives it as its own answer:
// alone in a clause, after "the answer is", at the beginning. Other occurrences don't count, because words such as
// "keep" and "first" also occur in explanations.
#include <algorithm>
#include <optional>
#include <set>

#include "empathy/choice_text.h"
#include "empathy/plain.h"
#include "empathy/reading.h"

namespace compeer::empathy {
namespace {

using nlohmann::json;
using Text = std::u32string;
using View = std::u32string_view;
constexpr auto npos = View::npos;

template <size_t N>
bool finds_any(View text, const View (&words)[N]) {
  return std::any_of(std::begin(words), std::end(words), [&](View word) { return text.find(word) != npos; });
}

// Returns a label with spaces between its words.
Text label_of(std::string_view word) {
  Text text = normalize(trim(word));
  for (char32_t& c : text) c = c == U'_' || c == U'-' ? U' ' : c;
  return text;
}

// A position at which a label occurs as a whole word or phrase.
struct Mention {
  size_t label, begin, end;
};

class ChoiceReader {
 public:
  ChoiceReader(std::string_view answer, const std::vector<std::string>& words)
      : text_(joined(without_tags(normalize(answer)))) {
    for (const auto& word : words) labels_.push_back(label_of(word));
    find_mentions();
  }

  ParseResult<size_t> read() const {
    std::set<size_t> given;
    for (const auto& clause : clauses()) {
      if (const auto label = whole(clause)) given.insert(*label);
    }
    for (const Mention& one : mentions_) {
      if ((ends(one) && (introduced(one) || leads(one))) || explained(one) || preferred(one)) given.insert(one.label);
    }
    if (given.empty()) given = emphasised();
    if (given.size() > 1) return {std::nullopt, "names more than one answer"};
    if (given.empty()) return {std::nullopt, "gives no answer of its own"};
    if (others(*given.begin()) && hedges()) return {std::nullopt, "takes its answer back"};
    return {*given.begin(), ""};
  }

  // Returns the label that a short text consists of, apart from decoration.
  std::optional<size_t> whole(View clause) const {
    clause = without_preface(strip_punctuation(clause));
    for (size_t i = 0; i < labels_.size(); ++i) {
      if (clause == labels_[i]) return i;
    }
    View rest = clause;
    if (rest.starts_with(U"the ")) rest.remove_prefix(4);
    for (const View noun : {U" reply", U" response", U" one", U" option", U" answer"}) {
      if (rest.ends_with(noun)) rest.remove_suffix(noun.size());
    }
    for (size_t i = 0; i < labels_.size(); ++i) {
      if (without_back(without_front(rest)) == labels_[i]) return i;
    }
    return std::nullopt;
  }

 private:
  // Replaces tags such as "<answer>" by ends of lines.
  static Text without_tags(Text text) {
    for (size_t at = text.find(U'<'); at != npos; at = text.find(U'<', at + 1)) {
      const size_t end = text.find_first_not_of(U"abcdefghijklmnopqrstuvwxyz_/", at + 1);
      if (end != npos && text[end] == U'>' && end > at + 1) text.replace(at, end + 1 - at, 1, U'\n');
    }
    return text;
  }

  // Replaces '_' and '-' between words by spaces, as labels have them.
  static Text joined(Text text) {
    for (size_t i = 1; i + 1 < text.size(); ++i) {
      if ((text[i] == U'_' || text[i] == U'-') && is_word(text[i - 1]) && is_word(text[i + 1])) text[i] = U' ';
    }
    return text;
  }

  void find_mentions() {
    const View text(text_);
    for (size_t at = 0; at < text.size(); ++at) {
      std::optional<Mention> longest;
      for (size_t i = 0; i < labels_.size(); ++i) {
        const size_t end = at + labels_[i].size();
        if (text.substr(at, labels_[i].size()) != labels_[i] || (longest && longest->end >= end)) continue;
        const bool begins = at == 0 || !is_word(text[at]) || !is_word(text[at - 1]);
        const bool finishes = end == text.size() || !is_word(text[end - 1]) || !is_word(text[end]);
        if (begins && finishes) longest = {i, at, end};
      }
      if (!longest) continue;
      mentions_.push_back(*longest);
      at = longest->end - 1;
    }
  }

  // Returns the parts of the text between ends of lines, full stops and similar marks, except questions.
  std::vector<View> clauses() const {
    std::vector<View> all;
    const View text(text_);
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find_first_of(U".!?;\n", begin), text.size());
      if (end == text.size() || text[end] != U'?') all.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return all;
  }

  // Returns the part of the clause before a mention.
  View before(const Mention& one) const {
    const View text = View(text_).substr(0, one.begin);
    size_t begin = text.find_last_of(U".!?;");
    begin = begin == npos ? 0 : begin + 1;
    // An empty line ends a clause; a single one does not: "The answer is:\nkeep".
    if (const size_t gap = text.rfind(U"\n\n");
        gap != npos && gap >= begin && !strip_punctuation(text.substr(gap)).empty())
      begin = gap;
    return text.substr(begin);
  }

  // Returns the text after a mention, without emphasis marks.
  View after(const Mention& one) const {
    View rest = View(text_).substr(one.end);
    while (!rest.empty() && rest.front() != U'\n' && rest.front() != U'(' && is_decoration(rest.front()))
      rest.remove_prefix(1);
    return rest;
  }

  // True if the mention may end an answer: nothing follows, or a separator does.
  bool ends(const Mention& one) const {
    const View rest = after(one);
    for (const View noun : {U"reply", U"response", U"one", U"option"}) {
      if (rest == noun || rest.starts_with(Text(noun) + U".") || rest.starts_with(Text(noun) + U"\n")) return true;
    }
    if (contrasted(rest)) return false;
    if (rest.empty() || View(U".!;\n(").find(rest.front()) != npos) return true;
    for (const View word :
         {U"because", U"since ", U",because", U", because", U", since ", U", as ", U"因为", U",因为", U"- "}) {
      if (rest.starts_with(word)) return true;
    }
    const bool quoted = one.end < text_.size() && text_[one.end] == U'"';
    return rest.front() == U',' && (quoted || !names_another(one, rest.substr(0, rest.find_first_of(U".!?;\n"))));
  }

  // True if `rest`, a part of the text, mentions another label.
  bool names_another(const Mention& one, View rest) const {
    const auto begin = static_cast<size_t>(rest.data() - text_.data());
    return std::any_of(mentions_.begin(), mentions_.end(), [&](const Mention& other) {
      return other.label != one.label && other.begin >= begin && other.end <= begin + rest.size();
    });
  }

  // True for "True, but ...": looks at the rest of the sentence.
  static bool contrasted(View after) { return finds_any(after.substr(0, after.find_first_of(U".!?;\n")), contrasts); }

  // True if the words before the mention introduce an answer.
  bool introduced(const Mention& one) const {
    View lead = without_back(before(one));
    if (negated(lead)) return false;
    if (ends_with_word(lead, U"the")) lead = without_back(lead.substr(0, lead.size() - 3));
    bool colon = false;
    while (!lead.empty() && View(U":=-").find(lead.back()) != npos) {
      colon = true;
      lead = without_back(lead.substr(0, lead.size() - 1));
    }
    for (const View words : choosing) {
      if (ends_with_word(lead, words)) return true;
    }
    static constexpr View copulas[] = {U"is", U"be", U"as", U"是", U"为"};
    for (const View word : copulas) {
      if (!ends_with_word(lead, word)) continue;
      lead.remove_suffix(word.size());
      return has_answer_word(lead);
    }
    return colon && (has_answer_word(lead) || lead.find(U"here is") != npos || lead.find(U"here's") != npos ||
                     is_preface(strip_punctuation(lead)));
  }

  static bool ends_with_word(View text, View word) {
    if (!text.ends_with(word)) return false;
    return text.size() == word.size() || !is_word(word.front()) || !is_word(text[text.size() - word.size() - 1]);
  }

  static bool has_answer_word(View text) { return finds_any(text, answer_words); }

  bool begins(const Mention& one) const {
    return without_preface(strip_punctuation(View(text_).substr(0, one.begin))).empty();
  }

  // True for labels that may begin an explanation, as in "First, ..." and "1. ...".
  bool ordinal(const Mention& one) const {
    const auto& label = labels_[one.label];
    return label == U"first" || label == U"second" ||
           std::all_of(label.begin(), label.end(), [](char32_t c) { return c >= U'0' && c <= U'9'; });
  }

  // True if the answer begins with the mention, as in "keep - it reads well".
  bool leads(const Mention& one) const {
    const View rest = after(one);
    return begins(one) && (!ordinal(one) || rest.empty() || rest.front() == U'\n');
  }

  // True for "keep: it reads well", unless the text mentions other labels.
  bool explained(const Mention& one) const {
    return begins(one) && !ordinal(one) && after(one).starts_with(U':') && !others(one.label);
  }

  // True for "The second reply is better."
  bool preferred(const Mention& one) const {
    View rest = after(one);
    for (const View noun : {U"reply ", U"response ", U"one "}) {
      if (rest.starts_with(noun)) rest.remove_prefix(noun.size());
    }
    const bool better = rest.starts_with(U"is better") || rest.starts_with(U"helps more") ||
                        rest.starts_with(U"helps the seeker more") || rest.starts_with(U"is more helpful");
    const View lead = before(one);
    return better && !negated(lead) && !contrasted(rest) && lead.find(U"if ") == npos &&
           lead.find(U"whether") == npos && rest.substr(0, rest.find_first_of(U".!\n")).find(U'?') == npos;
  }

  static bool negated(View lead) {
    return std::any_of(std::begin(negations), std::end(negations), [&](View word) {
      const size_t at = lead.rfind(word);
      if (at == npos) return false;
      const bool begins = at == 0 || !is_word(word.front()) || word == U"n't" || !is_word(lead[at - 1]);
      const size_t end = at + word.size();
      return begins && (end == lead.size() || !is_word(word.back()) || !is_word(lead[end]));
    });
  }

  // Returns the label in bold type, code or a box, if it is the only such label and no other is mentioned anywhere.
  std::set<size_t> emphasised() const {
    std::set<size_t> found;
    const View text(text_);
    for (const Mention& one : mentions_) {
      const View left = text.substr(0, one.begin), right = text.substr(one.end);
      const bool bold =
          (left.ends_with(U"**") && right.starts_with(U"**")) || (left.ends_with(U"__") && right.starts_with(U"__")) ||
          (left.ends_with(U"`") && right.starts_with(U"`")) || (left.ends_with(U"{") && right.starts_with(U"}")) ||
          (left.ends_with(U"【") && right.starts_with(U"】"));
      if (!bold) continue;
      const auto sentence = right.substr(0, right.find_first_of(U".!\n"));
      if (after(one).starts_with(U':') || sentence.find(U'?') != npos || contrasted(right) || negated(before(one)))
        return {};
      found.insert(one.label);
    }
    return found.size() == 1 && others(*found.begin()) ? std::set<size_t>{} : found;
  }

  // True if the text mentions a label other than this one.
  bool others(size_t label) const {
    return std::any_of(mentions_.begin(), mentions_.end(), [&](const Mention& one) { return one.label != label; });
  }

  bool hedges() const { return finds_any(text_, taken_back); }

  static bool is_preface(View text) {
    return std::find(std::begin(prefaces), std::end(prefaces), text) != std::end(prefaces);
  }

  static View without_preface(View text) {
    for (size_t at = text.find_first_of(U",:!."); at != npos; at = text.find_first_of(U",:!.")) {
      if (!is_preface(strip_punctuation(text.substr(0, at)))) break;
      text = strip_punctuation(text.substr(at + 1));
    }
    if (is_preface(text)) return {};
    return text;
  }

  Text text_;
  std::vector<Text> labels_;
  std::vector<Mention> mentions_;
};

std::string text_of(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// Adds the labels among the values of an object or list to `found`.
void collect(const json& value, const ChoiceReader& labels, std::set<size_t>& found) {
  if (value.is_structured()) {
    for (const json& inner : value) collect(inner, labels, found);
  } else if (const auto label = labels.whole(normalize(text_of(value)))) {
    found.insert(*label);
  }
}

// Returns the label in a JSON answer, preferably from a member with a name such as "answer"; empty if it has none.
std::optional<ParseResult<size_t>> in_json(const std::string& answer, const std::vector<std::string>& words) {
  const json value = json_in(answer);
  if (value.is_discarded() || value.empty()) return std::nullopt;
  std::set<size_t> found;
  const ChoiceReader labels("", words);
  if (value.is_object()) {
    for (const char* name : {"answer", "label", "verdict", "judgement", "judgment", "decision", "choice", "result",
                             "classification", "category", "preference", "答案", "回答", "判断", "结论"}) {
      if (value.contains(name)) collect(value.at(name), labels, found);
    }
  }
  if (found.empty()) collect(value, labels, found);
  if (found.empty()) return std::nullopt;
  if (found.size() > 1) return ParseResult<size_t>{std::nullopt, "names more than one answer"};
  return ParseResult<size_t>{*found.begin(), ""};
}

}  // namespace

ParseResult<size_t> read(const Answers& answers, std::string_view text) {
  const auto answer = answer_in(text);
  if (!answer) return {std::nullopt, answer.refusal};
  if (auto exact = answers.parse(*answer.value)) return exact;
  if (auto read = in_json(*answer.value, answers.answers())) return *read;
  auto read = ChoiceReader(*answer.value, answers.answers()).read();
  if (!read) read.refusal = quote_prefix(*answer.value) + " " + read.refusal;
  return read;
}

}  // namespace compeer::empathy
