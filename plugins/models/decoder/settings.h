#pragma once

// JSON texts with the settings of the model plugins, for the "parameters" of their descriptors.

// clang-format off
/// The setting `adapter`: the LoRA adapter to be trained.
#define COMPEER_ADAPTER_SETTINGS \
  R"j("adapter": {"type": "table", "default": null,)j" \
    R"j("help": "LoRA: train low-rank updates; the base weights are frozen",)j" \
    R"j("parameters": {)j" \
      R"j("path": {"type": "path", "default": null,)j" \
        R"j("help": "folder of an adapter, in peft's layout, to train further; its settings replace those below"},)j" \
      R"j("rank": {"type": "integer", "default": 8, "min": 1, "help": "rank of the updates"},)j" \
      R"j("alpha": {"type": "number", "default": 16.0, "above": 0,)j" \
        R"j("help": "updates are multiplied by alpha / rank"},)j" \
      R"j("rslora": {"type": "boolean", "default": false, "help": "multiply by alpha / sqrt(rank) instead"},)j" \
      R"j("targets": {"type": "list", "items": "string", "default": ["*"],)j" \
        R"j("help": "projections to adapt: ends of their names, such as q_proj; * matches any text"}}},)j"

/// All "parameters" of a text model's descriptor. `more`: JSON text with further parameters of the table `config`, with a
/// comma before it; may be empty.
#define COMPEER_DECODER_SETTINGS(more) \
  R"j("parameters": {)j" \
    R"j("path": {"type": "path", "default": null, "help": "a model folder: config.json and safetensors"},)j" \
    R"j("config": {"type": "table", "default": null,)j" \
      R"j("help": "sizes of a new, untrained model; the vocabulary is the tokenizer's",)j" \
      R"j("parameters": {)j" \
        R"j("hidden_size": {"type": "integer", "min": 2, "help": "width of the model"},)j" \
        R"j("num_hidden_layers": {"type": "integer", "min": 1, "help": "number of layers"},)j" \
        R"j("num_attention_heads": {"type": "integer", "min": 1, "help": "number of query heads"},)j" \
        R"j("num_key_value_heads": {"type": "integer", "min": 1,)j" \
          R"j("help": "number of key and value heads; divides the number of query heads"},)j" \
        R"j("intermediate_size": {"type": "integer", "min": 1, "help": "width of the feed-forward layer"},)j" \
        R"j("max_position_embeddings": {"type": "integer", "default": 1024, "min": 1,)j" \
          R"j("help": "maximum tokens of context"},)j" \
        R"j("rope_theta": {"type": "number", "default": 10000.0, "min": 1, "help": "base of the rotary angles"},)j" \
        R"j("rms_norm_eps": {"type": "number", "default": 1e-6, "min": 0,)j" \
          R"j("help": "epsilon of the RMS norms"},)j" \
        R"j("tie_word_embeddings": {"type": "boolean", "default": true, "help": "use the embedding as output head"})j" \
        more \
      R"j(}},)j" \
    COMPEER_ADAPTER_SETTINGS \
    R"j("frozen": {"type": "boolean", "default": false, "help": "weights are not trained, which saves memory"},)j" \
    R"j("precision": {"type": "string", "default": "float32",)j" \
      R"j("choices": ["stored", "float32", "bfloat16", "q8_0", "q4_0"],)j" \
      R"j("help": "precision of weights in memory; trained: float32 or bfloat16; q8_0, q4_0: as in GGUF files"},)j" \
    R"j("compute": {"type": "string", "default": "float32", "choices": ["float32", "bfloat16"],)j" \
      R"j("help": "matrix-multiply precision; bfloat16 rounds the inputs and accumulates in float32"},)j" \
    R"j("recompute_above": {"type": "integer", "default": null, "min": 0,)j" \
      R"j()j" \
        R"j("help": "passes with more tokens than this recompute most activations in the backward pass; )j" \
          R"j(unset: never recompute"},)j" \
    R"j("engine": {"type": "string", "default": "exact", "choices": ["exact", "libtorch"],)j" \
      R"j("help": "exact: kernels whose log-probs are bitwise identical on every machine; or libtorch"},)j" \
    R"j("device": {"type": "string", "default": "cpu", "choices": ["cpu", "cuda", "auto"],)j" \
      R"j("help": "device of the model; a GPU requires engine = libtorch; auto: a GPU if there is one"},)j" \
    R"j("rotary_precision": {"type": "string", "default": "float32", "choices": ["float32", "bfloat16"],)j" \
      R"j("help": "precision of rotary frequencies; bfloat16: for models trained entirely in bfloat16"})j" \
  R"j(})j"
// clang-format on
