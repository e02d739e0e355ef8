-- Table 2 of the paper with its settings: ESC-Eval, five-round dialogues with 332 English and 324 Chinese seekers,
-- scored by ESC-Rank and GPT-4o. docs/paper.md lists the requirements. With --quick it runs with SmolLM2, without
-- network.
local compeer = require "compeer"
local laboratory = require "laboratory"
local new_method = require "lib.method"
local policies = require "lib.policies"

local chinese = {} -- the Chinese result of a row, by the path of its English one

-- Returns a figure: the mean over the dialogues of both languages.
local function both(title, figure)
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
    if not compeer.quick then chinese[english.path] = method.esc_eval(row, "zh") end -- esc_world has English only
    return english
  end,
  figures = {
    both("Fluency", "fluency"), both("Expression", "diversity"), both("Empathy", "empathic"),
    both("Information", "suggestion"), both("Skillful", "tech"), both("Humanoid", "human"),
    both("Overall", "overall"), both("Average", "average"),
  },
  contrasts = { { "SFT", "Qwen2.5-VL R" }, { "POR", "SFT" }, { "UR", "SFT" }, { "UR", "POR" }, { "URP", "UR" } },
}
