-- The rows of the paper's Tables 2 and 3: chat models without the reasoning prompt and with it ("R"), models trained
-- for emotional support, and the paper's own. `thinks`: the model reasons before it answers, so it may write more
-- tokens (docs/paper.md).
return {
  { "InternLM3", chat_model = "internlm3-8b-instruct", thinks = true },
  { "Qwen3", chat_model = "Qwen3-8B", thinks = true },
  { "Qwen2.5-VL", chat_model = "Qwen2.5-VL-7B-Instruct" },
  { "InternLM3 R", chat_model = "internlm3-8b-instruct", reasoning = true, thinks = true },
  { "Qwen3 R", chat_model = "Qwen3-8B", reasoning = true, thinks = true },
  { "Qwen2.5-VL R", chat_model = "Qwen2.5-VL-7B-Instruct", reasoning = true },
  { "CPsyCounX", chat_model = "CPsyCounX" },
  { "SoulChat 2.0", chat_model = "SoulChat2.0" },
  { "EmoLLM 3.0", chat_model = "EmoLLM_V3.0" },
  { "SFT", policy = "SFT" },
  { "POR", policy = "POR" },
  { "UR", policy = "UR" },
  { "URP", policy = "URP" },
}
