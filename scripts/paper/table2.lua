-- Table 2 of the paper with its settings: ESC-Eval, dialogues of five rounds with 332 English and 324 Chinese seekers,
-- scored by ESC-Rank and GPT-4o. What it takes: docs/paper.md. --quick goes through it with SmolLM2, without network.
local compeer = require "compeer"
local laboratory = require "laboratory"
local new_method = require "lib.method"
local policies = require "lib.policies"

local chinese = {} -- results, by the path of the English one

-- The mean over all dialogues of both languages.
local function of_both(title, figure)
  return { title, function(result)
    local one, other = result["esc_eval." .. figure], chinese[result.path]
    if not other then return one end
    local n, m = result["esc_eval.n"], other["esc_eval.n"]
    return (n * one + m * other["esc_eval." .. figure]) / (n + m)
  end }
end

compeer.study {
  name = "paper table2",
  seeds = laboratory.seeds,
  rows = policies,
  run = function(seed, row)
    local method = new_method(seed)
    local english = method.esc_eval(row, "en")
    if not compeer.quick then chinese[english.path] = method.esc_eval(row, "zh") end -- esc_world speaks English alone
    return english
  end,
  figures = {
    of_both("Fluency", "fluency"), of_both("Expression", "diversity"), of_both("Empathy", "empathic"),
    of_both("Information", "suggestion"), of_both("Skillful", "tech"), of_both("Humanoid", "human"),
    of_both("Overall", "overall"), of_both("Average", "average"),
  },
  contrasts = { { "SFT", "Qwen2.5-VL R" }, { "POR", "SFT" }, { "UR", "SFT" }, { "UR", "POR" }, { "URP", "UR" } },
}
