-- Figure 6 of the paper with its settings: people compare replies of four models to dialogues with pictures. The last
-- line prints the command that shows the replies. With --quick a judge that needs no network compares them.
local compeer = require "compeer"
local new_method = require "lib.method"

local comparison = new_method(1).pairwise()
if compeer.quick then
  compeer.study {
    name = "paper fig6",
    seeds = 1,
    rows = { "GPT-4o", "Qwen2.5-VL", "InternVL3" },
    run = function() return comparison:stage "pairwise" end,
    figures = {
      { "COMPEER wins", "pairs.COMPEER-URP vs {row}.win" },
      { "tie", "pairs.COMPEER-URP vs {row}.tie", better = "neither" },
      { "COMPEER loses", "pairs.COMPEER-URP vs {row}.lose", better = "lower" },
    },
  }
else
  print("compeer data annotate " .. comparison.records .. " --out results/fig6")
end
