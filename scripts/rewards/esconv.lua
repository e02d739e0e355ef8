-- A reward (plugin lua) for ESConv, whose records have labels but no rating of replies. Completions with the wrong
-- format get -1. Others get the sum of: 1 if the emotion step is the emotion label, 1 if the strategy step is one of
-- the supporter's strategies, and the word overlap (F1, 0 to 1) of the reply and the supporter's own.
local function words(text)
  local set, count = {}, 0
  for word in text:lower():gmatch "%w+" do
    if not set[word] then set[word], count = true, count + 1 end
  end
  return set, count
end

local function word_f1(reply, other)
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
    local alike = word_f1(reply, example.answer:match "^.*>(.-)$" or example.answer)
    return felt + helped + alike, 1, felt, helped, alike
  end,
}
