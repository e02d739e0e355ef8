-- A reward (plugin lua) for ESConv, whose labels are known but not how good a reply is: -1 for a completion
-- out of the form; in the form 1 for an emotion step that says the label, 1 for a strategy step that says one of the
-- supporter's, and how many words the reply shares with the supporter's own (F1, from 0 to 1).
local function words(text)
  local set, count = {}, 0
  for word in text:lower():gmatch "%w+" do
    if not set[word] then set[word], count = true, count + 1 end
  end
  return set, count
end

local function shared(reply, other)
  local mine, many = words(reply)
  local theirs, more = words(other)
  local both = 0
  for word in pairs(mine) do both = both + (theirs[word] and 1 or 0) end
  return both == 0 and 0 or 2 * both / (many + more)
end

local form = "^%s*<history>[^<>]+</history>%s*<emotion>([^<>]+)</emotion>%s*<strategy>([^<>]+)</strategy>%s*([^<>]+)$"

return {
  parts = { "reward", "format", "emotion", "strategy", "words" },
  score = function(completion, example)
    local emotion, strategy, reply = completion.text:match(form)
    if not completion.finished or not reply then return -1, -1, 0, 0, 0 end
    local felt, helped = emotion == example.record.emotion and 1 or 0, 0
    for _, name in ipairs(example.record.strategies) do
      if name == strategy then helped = 1 end
    end
    local alike = shared(reply, example.answer:match "^.*>(.-)$" or example.answer)
    return felt + helped + alike, 1, felt, helped, alike
  end,
}
