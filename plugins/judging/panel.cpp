#include "judging/panel.h"

namespace compeer::judging {

Panel::Panel(const Settings& settings, Host& host, Scope scope, Hearing hearing) {
  const auto add = [&](const char* key, Scope asked) {
    models_.push_back(settings.text(key));
    judges_.emplace_back(host.language_model(models_.back()), JudgeFormat(settings), asked, hearing);
  };
  const bool two = settings.has("outcome_model");
  add("model", two ? Scope{.steps = true, .reply = false, .apart = true} : scope);
  if (two) add("outcome_model", {.steps = false, .reply = true, .apart = true});
}

std::vector<Opinion> Panel::judge(const std::vector<Turn>& history, const InterpretedReply& reference,
                                  const std::vector<JudgeInput>& cases, const StepTexts& reading) const {
  auto all = judges_[0].judge(history, reference, cases, reading);
  if (judges_.size() == 1) return all;
  const auto of_replies = judges_[1].judge(history, reference, cases, reading);
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].reply = of_replies[i].reply;
    all[i].preference = of_replies[i].preference;
    all[i].unreadable += of_replies[i].unreadable;
  }
  return all;
}

}  // namespace compeer::judging
