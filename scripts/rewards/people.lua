-- A reward (plugin lua) for records of the stage human_labels: -1 for a completion out of the form; in the form the
-- share of the emotions that its second step names which people named, too, and the same of strategies. "format": 1 in
-- the form, 0 out of it.
local form = "^%s*<history>([^<>]+)</history>%s*<emotion>([^<>]+)</emotion>%s*<strategy>([^<>]+)</strategy>%s*([^<>]+)$"

local function right(step, labels)
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
    local felt, helped = right(emotion, people.emotion), right(strategy, people.strategy)
    return felt + helped, 1, right(history, people.history), felt, helped, words
  end,
}