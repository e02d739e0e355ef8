-- A reward (plugin lua) for records of the stage human_labels. Completions with the wrong format get -1. Others get the
-- share of the emotions named in the second step that people named too, plus the same share of strategies. "format" is
-- 1 for the right format, otherwise 0.
local form = "^%s*<history>([^<>]+)</history>%s*<emotion>([^<>]+)</emotion>%s*<strategy>([^<>]+)</strategy>%s*([^<>]+)$"

local function share_named(step, labels)
  local named, found = 0, 0
  for name in step:gmatch "[^,]+" do
    name, named = name:match "^%s*(.-)%s*$", named + 1
    for _, label in ipairs(labels) do
      if label:lower() == name:lower() then found = found + 1 end
    end
  end
  return found / named
end

return {
  parts = { "reward", "format", "history", "emotion", "strategy", "words" },
  score = function(completion, example)
    local history, emotion, strategy, reply = completion.text:match(form)
    local _, words = (reply or completion.text):gsub("%S+", "")
    if not completion.finished or not reply then return -1, 0, 0, 0, 0, words end
    local people = example.record.people
    local felt, helped = share_named(emotion, people.emotion), share_named(strategy, people.strategy)
    return felt + helped, 1, share_named(history, people.history), felt, helped, words
  end,
}