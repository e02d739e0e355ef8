-- The endpoints and data of your laboratory, for all scripts of this folder. An endpoint is found by the name of its
-- model in experiments/paper; its settings are those of the chat plugin openai (docs/chat_models.md). API keys stay in
-- the environment variables that `key_env` names. Prices are per million tokens.
local openai = "https://api.openai.com/v1"
local served = "http://127.0.0.1:8000/v1" -- vLLM, another server, or a router in front of several

-- Returns an endpoint at `served`. `name`: the name that the server uses, if it differs.
local function serving(name)
  return { url = served, name = name, key_env = "SERVED_KEY", concurrent = 64 }
end

local laboratory = {
  seeds = 1, -- the paper doesn't state the number; several seeds give intervals
  corpora = { -- the paper uses at least ESConv, MESC, AvaMERG and SoulChat
    { plugin = "esconv", path = "corpora/esconv" },
  },
  -- pictures = "corpora/media", -- for corpora with pictures: a folder with a subfolder `media` for each corpus
  -- records = "corpora/written.jsonl", -- replaces `corpora`: their records, with or without labels by people
  small = "models/smollm2", -- replaces Qwen2.5-VL-7B with --quick
  endpoints = {
    ["gpt-4o"] = { url = openai, key_env = "OPENAI_API_KEY", price_in = 2.5, price_out = 10.0, concurrent = 32 },
    -- CER's writers and annotators
    ["Qwen2.5-72B-Instruct"] = serving(),
    ["Qwen2.5-VL-72B-Instruct"] = serving(),
    -- models to compare with
    ["Qwen2.5-VL-7B-Instruct"] = serving(),
    ["InternVL3-8B"] = serving(),
    ["Keye-VL-8B-Preview"] = serving(),
    ["MiMo-VL-7B-RL"] = serving(),
    ["internlm3-8b-instruct"] = serving(),
    ["Qwen3-8B"] = serving(),
    ["CPsyCounX"] = serving(),
    ["SoulChat2.0"] = serving(),
    ["EmoLLM_V3.0"] = serving(),
    -- ESC-Eval's seekers
    ["ESC-Role"] = serving(),
  },
}
for _, dimension in ipairs { "fluency", "diversity", "empathic", "suggestion", "human", "tech", "overall" } do
  for _, ending in ipairs { "", "_en" } do -- ESC-Rank's adapters for Chinese and English
    laboratory.endpoints["ESC-Rank/" .. dimension .. ending] = serving(dimension .. ending)
  end
end
return laboratory
