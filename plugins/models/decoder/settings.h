#pragma once

// clang-format off
/// The setting `adapter`, for the "parameters" of descriptors.
#define COMPEER_ADAPTER_SETTINGS \
  R"j("adapter": {"type": "table", "default": null, "help": "LoRA: low-rank changes of the frozen model learn in its place",)j" \
    R"j("parameters": {)j" \
      R"j("path": {"type": "path", "default": null,)j" \
        R"j("help": "an adapter's folder in peft's layout to go on with; the settings below are then its own"},)j" \
      R"j("rank": {"type": "integer", "default": 8, "min": 1, "help": "r: rows of A, columns of B"},)j" \
      R"j("alpha": {"type": "number", "default": 16.0, "above": 0, "help": "changes count alpha / rank times"},)j" \
      R"j("rslora": {"type": "boolean", "default": false, "help": "they count alpha / sqrt(rank) times"},)j" \
      R"j("targets": {"type": "list", "items": "string", "default": ["*"],)j" \
        R"j("help": "ends of names of projections, such as q_proj; * stands for anything"}}},)j"

/// The "parameters" of a text model's descriptor; `more` adds parameters to its table `config`.
#define COMPEER_DECODER_SETTINGS(more) \
  R"j("parameters": {)j" \
    R"j("path": {"type": "path", "default": null, "help": "a model folder: config.json and safetensors"},)j" \
    R"j("config": {"type": "table", "default": null,)j" \
      R"j("help": "sizes of a fresh model; the tokenizer gives the vocabulary",)j" \
      R"j("parameters": {)j" \
        R"j("hidden_size": {"type": "integer", "min": 2, "help": "width of the model"},)j" \
        R"j("num_hidden_layers": {"type": "integer", "min": 1, "help": "blocks"},)j" \
        R"j("num_attention_heads": {"type": "integer", "min": 1, "help": "query heads"},)j" \
        R"j("num_key_value_heads": {"type": "integer", "min": 1,)j" \
          R"j("help": "key and value heads, a divisor of the query heads"},)j" \
        R"j("intermediate_size": {"type": "integer", "min": 1, "help": "width of the feed-forward layer"},)j" \
        R"j("max_position_embeddings": {"type": "integer", "default": 1024, "min": 1, "help": "longest context"},)j" \
        R"j("rope_theta": {"type": "number", "default": 10000.0, "min": 1, "help": "base of the rotary angles"},)j" \
        R"j("rms_norm_eps": {"type": "number", "default": 1e-6, "min": 0,)j" \
          R"j("help": "added to the mean square in the norms"},)j" \
        R"j("tie_word_embeddings": {"type": "boolean", "default": true, "help": "the head is the embedding"})j" \
        more \
      R"j(}},)j" \
    COMPEER_ADAPTER_SETTINGS \
    R"j("frozen": {"type": "boolean", "default": false, "help": "weights are only read: less memory, no training"},)j" \
    R"j("precision": {"type": "string", "default": "float32",)j" \
      R"j("choices": ["stored", "float32", "bfloat16", "q8_0", "q4_0"],)j" \
      R"j("help": "what weights are kept in, trained ones in float32 or bfloat16; q8_0, q4_0: as in GGUF files"},)j" \
    R"j("compute": {"type": "string", "default": "float32", "choices": ["float32", "bfloat16"],)j" \
      R"j("help": "bfloat16: what products multiply is rounded to it, and sums are float32"},)j" \
    R"j("recompute_above": {"type": "integer", "default": null, "min": 0,)j" \
      R"j()j" \
        R"j("help": "passes over more tokens than this recompute most activations in the backward pass; )j" \
          R"j(unset: none"},)j" \
    R"j("engine": {"type": "string", "default": "exact", "choices": ["exact", "libtorch"],)j" \
      R"j("help": "what computes: kernels whose log-probs are the same bits everywhere, or libtorch"},)j" \
    R"j("device": {"type": "string", "default": "cpu", "choices": ["cpu", "cuda", "auto"],)j" \
      R"j("help": "where it computes: with engine = libtorch also on a GPU; auto: on one if there is one"},)j" \
    R"j("rotary_precision": {"type": "string", "default": "float32", "choices": ["float32", "bfloat16"],)j" \
      R"j("help": "what rotary frequencies are rounded to: bfloat16 for models that ran in it as a whole"})j" \
  R"j(})j"
// clang-format on
