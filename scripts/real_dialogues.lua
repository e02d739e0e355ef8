-- ESC-Eval and SAGE with the policies of real_study.lua. A chat model of yours plays the seekers and the judge; with
-- --quick, esc_world's players replace it. `--dry-run` prints the number of requests. docs/evaluations.md describes
-- role cards and profiles.
local compeer = require "compeer"
local new_real = require "lib.real"

local seeds = 3
local endpoint = nil -- { plugin = "openai", url = "http://127.0.0.1:8000/v1", name = "a-large-model" }
local cards = { plugin = "profiles", path = "corpora/esc-eval/card_high_en.json" }
local profiles = { plugin = "profiles", path = "corpora/sage/simulator_profile_withfirsttalk.jsonl" } -- in Chinese

if compeer.quick then
  endpoint = endpoint or { plugin = "esc_world", world = {} }
  cards = { plugin = "esc_world", unit = "scenario", test = 2 }
  profiles = cards
elseif not endpoint then
  error("scripts/real_dialogues.lua names no endpoint: a chat model that plays seekers and judges", 0)
end

-- Runs an experiment's dialogues with all policies. `players`: the chat model of each role.
local function study(name, dataset, players, figures)
  return compeer.study {
    name = "real " .. name,
    seeds = seeds,
    rows = { { "base" }, { "SFT", policy = "real-sft" }, { "UR", policy = "real-ur" }, { "URP", policy = "real-urp" } },
    run = function(seed, row)
      local folder = row.policy and new_real(seed).run(row.policy).checkpoint or "models/smollm2"
      local stage = { plugin = name, supporter = { plugin = "local", path = folder },
        supporter_prompt = "experiments/real/reasoning.txt", supporter_tokens = 96 }
      for _, player in ipairs(players) do stage[player] = endpoint end
      if compeer.quick then stage.rounds = 2 end
      return compeer.load("experiments/" .. name .. ".toml"):with {
        name = table.concat({ "real", name, row.name:lower(), seed }, "-"),
        seed = seed, ranks = 1, threads = 2,
        dataset = dataset,
        data = { compute = "bfloat16" }, -- as in training
        stages = { stage, { plugin = "diversity" } },
      }:launch()
    end,
    figures = figures,
    against = "base",
  }
end

study("esc_eval", cards, { "role_player", "judge" }, {
  { "Fluency", "esc_eval.fluency" }, { "Expression", "esc_eval.diversity" }, { "Empathy", "esc_eval.empathic" },
  { "Information", "esc_eval.suggestion" }, { "Skillful", "esc_eval.tech" }, { "Humanoid", "esc_eval.human" },
  { "Overall", "esc_eval.overall" }, { "Average", "esc_eval.average" },
  { "repetition", "diversity.repetition", better = "lower" },
})
study("sage", profiles, { "simulator" }, {
  { "mean emotion", "sage.mean_emotion" }, { "success", "sage.success" },
  { "failure", "sage.failure", better = "lower" },
})
