#pragma once
#include <string>
#include <string_view>

// Normalization of chat models' answers, and word lists for finding the label that an answer gives (`read` in
// reading.h). A label is one of the answers that the question allows, such as "first" or "keep". All functions except
// `normalize` expect, and all lists contain, text in the form that `normalize` returns.

namespace compeer::empathy {

/// Decodes UTF-8 and normalizes it for matching: ASCII letters become lower case; full-width forms, quotes and dashes
/// become ASCII; white space other than '\n' becomes ' '.
std::u32string normalize(std::string_view bytes);

/// True for a lower-case ASCII letter or a digit. A label that begins or ends with such a character must have a
/// word boundary there.
bool is_word(char32_t c);

/// True for decoration: characters that may surround a label and have no meaning, such as white space, quotes,
/// brackets, emphasis marks, symbols and emoji.
bool is_decoration(char32_t c);

/// Return `text` without decoration at its beginning, or at its end.
std::u32string_view without_front(std::u32string_view text);
std::u32string_view without_back(std::u32string_view text);

/// Returns `text` without decoration, bullets and the punctuation that ends a clause (. , ! ; :). Keeps a question
/// mark.
std::u32string_view strip_punctuation(std::u32string_view text);

/// Phrases that directly precede a label and make it the answer, as in "I choose first".
inline constexpr std::u32string_view choosing[] = {U"i say",          U"i'd say",
                                                   U"i would say",    U"i choose",
                                                   U"i'd choose",     U"i would choose",
                                                   U"i pick",         U"i'd pick",
                                                   U"i would pick",   U"i select",
                                                   U"i answer",       U"i'd answer",
                                                   U"i vote",         U"i'd go with",
                                                   U"i would answer", U"i would go with",
                                                   U"i'll go with",   U"i go with",
                                                   U"label it",       U"label this as",
                                                   U"classify it as", U"classify this as",
                                                   U"judge it",       U"i judge",
                                                   U"rate it",        U"labelled",
                                                   U"labeled",        U"labelled as",
                                                   U"labeled as",     U"classified as",
                                                   U"rated as",       U"我选",
                                                   U"我选择",         U"选择",
                                                   U"我会说",         U"判断为",
                                                   U"判定为",         U"应为",
                                                   U"应该是",         U"认为是",
                                                   U"归为",           U"归类为",
                                                   U"属于",           U"标为",
                                                   U"标记为",         U"我认为",
                                                   U"我的看法是"};

/// Nouns by which a model refers to its answer, as in "the verdict is ..." and "verdict: ...".
inline constexpr std::u32string_view answer_words[] = {
    U"answer",         U"verdict",    U"label",      U"judgement", U"judgment", U"decision", U"conclusion",
    U"classification", U"category",   U"choice",     U"result",    U"rating",   U"response", U"output",
    U"preference",     U"evaluation", U"assessment", U"opinion",   U"better",   U"best",     U"答案",
    U"回答",           U"判断",       U"结论",       U"结果",      U"标签",     U"选择",     U"分类",
    U"评判",           U"评价",       U"判定",       U"类别",      U"意见",     U"选项"};

/// Words before a label in the same clause that negate it. A negated label does not count as the answer.
inline constexpr std::u32string_view negations[] = {U"not",         U"n't",        U"never", U"cannot", U"nor",
                                                    U"rather than", U"instead of", U"不",    U"非",     U"别"};

/// Phrases that withdraw an answer. A text that contains one of them and mentions another label is refused.
inline constexpr std::u32string_view taken_back[] = {U"can't say",
                                                     U"cannot say",
                                                     U"can't decide",
                                                     U"cannot decide",
                                                     U"not sure",
                                                     U"unsure",
                                                     U"hard to say",
                                                     U"or maybe",
                                                     U"on second thought",
                                                     U"wait,",
                                                     U"wait -",
                                                     U"wait.",
                                                     U"i take that back",
                                                     U"correction",
                                                     U"不确定",
                                                     U"说不准",
                                                     U"不好说",
                                                     U"无法判断",
                                                     U"等等",
                                                     U"更正",
                                                     U"或者"};

/// Introductory words and phrases before an answer, which are skipped.
inline constexpr std::u32string_view prefaces[] = {
    U"sure",       U"of course", U"certainly", U"ok",        U"okay",          U"alright",   U"absolutely",
    U"understood", U"got it",    U"well",      U"so",        U"thus",          U"therefore", U"hence",
    U"overall",    U"in short",  U"a",         U"assistant", U"in conclusion", U"final",     U"好的",
    U"好",         U"当然",      U"当然可以",  U"没问题",    U"明白",          U"明白了",    U"嗯",
    U"综上",       U"综上所述",  U"因此",      U"所以",      U"总之",          U"总的来说",  U"可以"};

/// Words after a label in the same sentence that restrict it, as in "True, but ...". Such a label does not count as the
/// answer.
inline constexpr std::u32string_view contrasts[] = {U"but ", U"however", U"although", U"though", U"except",
                                                    U"yet ", U"但",      U"不过",     U"然而",   U" or "};

}  // namespace compeer::empathy
