-- What your laboratory has, for all scripts of this folder. An endpoint is found by the name that experiments/paper
-- gives its model; its settings are those of the chat plugin openai (docs/chat_models.md). Keys stay in environment
-- variables, which `key_env` names. Prices are for a million tokens.
local openai = "https://api.openai.com/v1"
local served = "http://127.0.0.1:8000/v1" -- by vLLM or another server, or a router before several

local function serving(name) -- there, if it is called otherwise
  return { url = served, name = name, key_env = "SERVED_KEY", concurrent = 64 }
end

local laboratory = {
  seeds = 1, -- the paper doesn't say; more give intervals
  corpora = { -- the paper has at least ESConv, MESC, AvaMERG and SoulChat
    { plugin = "esconv", path = "corpora/esconv" },
  },
  -- pictures = "corpora/media", -- with corpora that show some: the folder that has those of all, each in its `media`
  -- records = "corpora/written.jsonl", -- in place of corpora: what was written to them, labelled by people or not
  small = "models/smollm2", -- with --quick, in place of Qwen2.5-VL-7B
  endpoints = {
    ["gpt-4o"] = { url = openai, key_env = "OPENAI_API_KEY", price_in = 2.5, price_out = 10.0, concurrent = 32 },
    -- of CER
    ["Qwen2.5-72B-Instruct"] = serving(),
    ["Qwen2.5-VL-72B-Instruct"] = serving(),
    -- compared with
    ["Qwen2.5-VL-7B-Instruct"] = serving(),
    ["InternVL3-8B"] = serving(),
    ["Keye-VL-8B-Preview"] = serving(),
    ["MiMo-VL-7B-RL"] = serving(),
    ["internlm3-8b-instruct"] = serving(),
    ["Qwen3-8B"] = serving(),
    ["CPsyCounX"] = serving(),
    ["SoulChat2.0"] = serving(),
    ["EmoLLM_V3.0"] = serving(),
    -- of ESC-Eval
    ["ESC-Role"] = serving(),
  },
}
for _, dimension in ipairs { "fluency", "diversity", "empathic", "suggestion", "human", "tech", "overall" } do
  for _, ending in ipairs { "", "_en" } do -- adapters for Chinese and English
    laboratory.endpoints["ESC-Rank/" .. dimension .. ending] = serving(dimension .. ending)
  end
end
return laboratory
