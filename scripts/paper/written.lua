-- The first half of the paper's CER: two models write completions for the dialogues of each corpus in laboratory.lua.
-- Prints the command that joins the files of several corpora into one, for labelling by people (docs/paper.md).
local files = require("lib.method")(1).written()
print("cat " .. table.concat(files, " ") .. " >corpora/written.jsonl")
