-- Figure 6 of the paper with its settings: replies of four models to dialogues with pictures. People compare them: the
-- last line says how to ask them. With --quick a judge that needs no network does.
local compeer = require "compeer"
local new_method = require "lib.method"

local compared = new_method(1).pairwise()
if compeer.quick then
  compeer.study {
    name = "paper fig6",
    seeds = 1,
    rows = { "GPT-4o", "Qwen2.5-VL", "InternVL3" },
    run = function() return compared:stage "pairwise" end,
    figures = {
      { "COMPEER wins", "pairs.COMPEER-URP vs {row}.win" },
      { "tie", "pairs.COMPEER-URP vs {row}.tie", better = "neither" },
      { "COMPEER loses", "pairs.COMPEER-URP vs {row}.lose", better = "lower" },
    },
  }
else
  print("compeer data annotate " .. compared.records .. " --out results/fig6")
end
