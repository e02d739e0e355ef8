// Recognizes the prompts of the stages and extracts their parts.
#include "chat/esc_world/parsed_prompt.h"

#include <algorithm>
#include <utility>

#include "empathy/plain.h"

namespace compeer::esc_world {
namespace {

using empathy::trim;

/// A phrase that occurs in one prompt only.
constexpr std::pair<std::string_view, Task> signs[] = {
    {"Rewrite each line of this dialogue as if the seeker were a person", Task::rewrite_as},
    {"Rewrite each line of this dialogue in other words", Task::rewrite},
    {"Is this dialogue fit to learn from?", Task::filter},
    {"Think in three steps", Task::generate},
    {"does the conversation stand at the stage", Task::history},
    {"the direction of the feeling", Task::emotion},
    {"Is this a good way to help", Task::strategy},
    {"Which of them helps the seeker more?", Task::preference},
    {"How does the seeker behave in conversation?", Task::persona},
    {"on the second reply contradict each other?", Task::consistency},
    {"You play a person in distress", Task::role},
    {"how does the seeker's emotion change", Task::sage_planning},
    {"what does the seeker say next", Task::sage_reply},
};

/// The same for the dimensions of ratings.
constexpr std::pair<std::string_view, std::string_view> rated[] = {
    {"Rate how fluently the supporter speaks", "fluency"},
    {"Rate how varied the supporter's words are", "diversity"},
    {"Rate how well the supporter understands", "empathic"},
    {"Rate how much substance there is", "suggestion"},
    {"Rate how much the supporter talks like a person", "human"},
    {"Rate how skilfully the supporter helps", "tech"},
    {"Rate the supporter as a whole", "overall"},
};

/// Returns the text that follows the dialogue in prompts of evaluations.
std::string_view end_for(Task task) {
  if (task == Task::sage_planning) return "The seeker's emotion is a number";
  return task == Task::sage_reply ? "What the supporter's last reply did" : "4: ";
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(trim(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool read_id(std::string_view id, ParsedPrompt& asked) {
  const auto found = named(id);
  if (!found) return false;
  asked.id = id;
  asked.split = found->split;
  asked.dialogue = found->dialogue;
  asked.round = found->round;
  return true;
}

std::string_view without_number(std::string_view line) {
  size_t digits = 0;
  while (digits < line.size() && line[digits] >= '0' && line[digits] <= '9') ++digits;
  const bool numbered = digits > 0 && digits < line.size() && line[digits] == ':';
  return numbered ? trim(line.substr(digits + 1)) : line;
}

void read_line(std::string_view line, ParsedPrompt& asked) {
  constexpr std::string_view seeker = "Seeker: ", supporter = "Supporter: ";
  const auto said = without_number(line);
  if (said.starts_with(seeker)) asked.lines.push_back({"user", std::string(said.substr(seeker.size()))});
  if (said.starts_with(supporter)) asked.lines.push_back({"assistant", std::string(said.substr(supporter.size()))});
  const std::pair<std::string_view, std::string*> named[] = {
      {"First: ", &asked.replies[0]}, {"Second: ", &asked.replies[1]}, {"History: ", &asked.steps[0]},
      {"Emotion: ", &asked.steps[1]}, {"Strategy: ", &asked.steps[2]}, {"Judged: ", &asked.judged}};
  for (const auto& [name, text] : named) {
    if (line.starts_with(name)) *text = line.substr(name.size());
  }
}

/// Parses a dialogue whose turns may span lines: a line without a speaker's name continues the previous turn. A reply
/// may contain a line that looks like the end, so the last such line is the end.
void read_dialogue(std::vector<std::string_view> lines, ParsedPrompt& asked) {
  const auto end = std::find_if(lines.rbegin(), lines.rend(),
                                [mark = end_for(asked.task)](auto line) { return line.starts_with(mark); });
  if (end != lines.rend()) lines.erase(end.base() - 1, lines.end());
  for (const auto line : lines) {
    const size_t before = asked.lines.size();
    read_line(line, asked);
    if (asked.lines.size() == before && before > 0 && !line.empty())
      asked.lines.back().text += "\n" + std::string(line);
  }
}

/// Sets the task; returns false if it is unknown.
bool read_task(std::string_view prompt, ParsedPrompt& asked) {
  for (const auto& [words, task] : signs) {
    asked.task = task;
    if (prompt.find(words) != std::string_view::npos) return true;
  }
  asked.task = Task::rating;
  for (const auto& [words, dimension] : rated) {
    asked.dimension = dimension;
    if (prompt.find(words) != std::string_view::npos) return true;
  }
  return false;
}

/// Returns the paragraph after the line that ends with `beginning`.
std::string paragraph_after(const std::vector<std::string_view>& lines, std::string_view beginning) {
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].ends_with(beginning)) continue;
    while (++i < lines.size() && lines[i].empty()) {
    }
    for (; i < lines.size() && !lines[i].empty(); ++i) text += (text.empty() ? "" : "\n") + std::string(lines[i]);
    break;
  }
  return text;
}

}  // namespace

std::optional<ParsedPrompt> read_prompt(std::string_view prompt) {
  const auto lines = lines_of(prompt);
  ParsedPrompt asked;
  if (lines.empty() || !lines[0].starts_with("Case ") || !read_id(lines[0].substr(5), asked)) return std::nullopt;
  if (!read_task(prompt, asked)) return std::nullopt;
  if (asked.task >= Task::sage_planning) {
    read_dialogue(lines, asked);
    return asked;
  }
  for (const auto line : lines) read_line(line, asked);
  if (asked.task == Task::history) asked.step = paragraph_after(lines, "says of it:");
  if (asked.task == Task::emotion) asked.step = paragraph_after(lines, "what the seeker feels now:");
  if (asked.task == Task::strategy) asked.step = paragraph_after(lines, "plans to help in this way:");
  if (asked.task == Task::rewrite_as) asked.persona = paragraph_after(lines, "with these traits (0 to 10):");
  return asked;
}

std::optional<ParsedPrompt> read_role(std::string_view system, const std::vector<WorldTurn>& turns) {
  auto asked = read_prompt(system);
  if (!asked || asked->task != Task::role) return std::nullopt;
  asked->lines.clear();
  for (const WorldTurn& turn : turns) asked->lines.push_back({turn.role == "user" ? "assistant" : "user", turn.text});
  return asked;
}

}  // namespace compeer::esc_world
