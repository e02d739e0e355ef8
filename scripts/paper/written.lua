-- The first half of the paper's CER alone, for each corpus of laboratory.lua: what two models wrote to its dialogues.
-- Several corpora are joined in one file, and people label such a file (docs/paper.md).
local files = require("lib.method")(1).written()
print("cat " .. table.concat(files, " ") .. " >corpora/written.jsonl")
