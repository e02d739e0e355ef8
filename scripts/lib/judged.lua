-- The columns of a table of judges: of each step weighted F1 and how many of the wrong ones are found, and what is right of replies.
local columns = {}
for i, step in ipairs { "history", "emotion", "strategy" } do
  columns[2 * i - 1] = { i .. ": F1", ("01-reward_accuracy/%s/weighted_f1/value"):format(step), better = 1 }
  columns[2 * i] = { "False found", ("01-reward_accuracy/%s/false_recall/value"):format(step), better = 1 }
end
for _, figure in ipairs { { "reply: F1", "weighted_f1" }, { "better or not", "better_or_not" }, { "ranked", "ranked_within_rounds" } } do
  columns[#columns + 1] = { figure[1], ("01-reward_accuracy/reply/%s/value"):format(figure[2]), better = 1 }
end
return columns
