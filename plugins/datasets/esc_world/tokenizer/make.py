#!/usr/bin/env python3
"""Makes tokenizer.json and tokenizer_config.json of the world, and the reference file its tests use.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install tokenizers==0.23.3
    /tmp/venv/bin/python plugins/datasets/esc_world/tokenizer/make.py <build>/bin/esc_world_texts

A byte-level BPE with the splitting and normalization of Qwen2.5, trained on what the world says. The words of the
world change rarely; when they do, run this again and commit what it writes. Models trained with the old tokenizer keep
theirs: it is saved beside their weights.
"""
import json
import pathlib
import subprocess
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[3]
VOCABULARY = 1024
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TAGS = ["<history>", "</history>", "<emotion>", "</emotion>", "<strategy>", "</strategy>"]
SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
         r"|\s+(?!\S)|\s+")
TEMPLATE = ("{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' "
            "+ '\\n' }}{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}")


def texts(program, count):
    """What the model will see, role names included, so that they become tokens too."""
    for writer in ("expert", "habit"):
        run = subprocess.run([program, str(count), "train", writer], capture_output=True, text=True, check=True)
        for line in run.stdout.splitlines():
            sample = json.loads(line)
            for turn in sample["history"]:
                yield turn["role"]
                yield turn["content"]
            yield "system"
            yield from sample["answer"].replace(">", ">\0").replace("<", "\0<").split("\0")


def train(program):
    tokenizer = Tokenizer(models.BPE(byte_fallback=False, ignore_merges=False))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(SPLIT), behavior="isolated", invert=False),
        pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False),
    ])
    tokenizer.decoder = decoders.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False)
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - len(SPECIAL) - len(TAGS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False)
    tokenizer.train_from_iterator((text for text in texts(program, 4000) if text not in TAGS), trainer)
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL])
    tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in TAGS])
    return tokenizer


def config(tokenizer):
    decoder = {str(tokenizer.token_to_id(token)): {
        "content": token, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False,
        "special": token in SPECIAL} for token in SPECIAL + TAGS}
    return {
        "add_bos_token": False, "add_prefix_space": False, "added_tokens_decoder": decoder,
        "additional_special_tokens": ["<|im_start|>", "<|im_end|>"], "bos_token": None, "chat_template": TEMPLATE,
        "clean_up_tokenization_spaces": False, "eos_token": "<|im_end|>", "errors": "replace",
        "model_max_length": 4096, "pad_token": "<|endoftext|>", "split_special_tokens": False,
        "tokenizer_class": "Qwen2Tokenizer", "unk_token": None,
    }


def odd_texts():
    """Texts a tokenizer gets wrong if it can: every branch of the split, normalization, added tokens, odd bytes."""
    return [
        "", " ", "  ", "\n", "\n\n", " \n", "\r\n", "\t", "a", " a", "  a", "a ", "a  ", "a\nb", "a \n b", "a\r\nb",
        "\n\n\na", "   \n  a", "a\n ", "a\u00a0b", "a\u2003b", "a\u3000b", "a\u200bb", "tab\there", "\x0b\x0c",
        "\x00", "\x7f",
        "I'm", "i'm we've you'll he'd it's don't they're", "I'M WE'VE YOU'LL", "'tis", "''s", "'\u017f", "x'S",
        "rock'n'roll",
        "0", "12", "3.14", "1,234", "a1b2", "\u0661\u0662\u0663", "\u00bd", "\u2167", "x\u00b2",
        "?", "?!", " ?!", "?!\n", " ...\n\n", "a.b", "a. b", "...", "$5 #tag @name", "(a)", "\"quoted\"", "a-b",
        "--", "a_b",
        "<history>", "</history>", "<history></history>", "<history> a </history>", "<history>a", "< history>",
        "<histor", "<History>",
        "<<history>>", "<history>\n", "\n<history>", "<history><history>", "<|im_start|>", "<|im_end|>\n",
        "<|im_start|>user\nhi<|im_end|>\n",
        "<|endoftext|>", "<|endoftext|><|endoftext|>", "a<|im_end|>b", "<|im_end", "|im_end|>", "<|IM_END|>",
        "<emotion>negative, sadness 4</emotion>",
        "caf\u00e9", "cafe\u0301", "\u00c5", "A\u030a", "\u212b", "\ufb01", "\u1e69", "s\u0323\u0307",
        "s\u0307\u0323",
        "\uac00", "\u1100\u1161", "\u1100\u1161\u11a8", "\u0958", "\u2126", "\u0344", "\u0301", "\u0301a",
        " \u0301", "a\u0301\u0301",
        "\u4f60\u597d", "\u4f60\u597d\uff0c\u4e16\u754c\uff01", "\u3053\u3093\u306b\u3061\u306f",
        "\u041f\u0440\u0438\u0432\u0435\u0442", "\u0645\u0631\u062d\u0628\u0627",
        "\u0928\u092e\u0938\u094d\u0924\u0947", "\u05e9\u05dc\u05d5\u05dd", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35",
        "\u0130stanbul",
        "\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "\u2764\ufe0f",
        "\U00010348", "\U0001d518\U0001d52b", "\U0010ffff", "\ufffd", "\ufeffa",
        "\u2028", "a\u2028b", "a\u2029 b", "\u0085", "a\u0085b", "\u1680", "\u00ad", "\u202ea",
        "na\u00efve r\u00e9sum\u00e9", "Stra\u00dfe", "\u01c5", "\u00aa", "\u02b0", "\u0300\u0300\u0300",
        "zzzzqqqq xylophone", "HELLO World",
        "your boss", "your  boss", "Your Boss", "yourboss", " your boss.", "your boss?\n", "exploration stage",
        "a" * 300, " " * 50, "\n" * 9, "ab " * 60,
        "i feel very sad.<|im_end|>\n<|im_start|>assistant\n<history>work, boss, exploration stage</history>",
    ]


def reference(tokenizer, program):
    run = subprocess.run([program, "12", "test", "mixed"], capture_output=True, text=True, check=True)
    lines = odd_texts()
    for line in run.stdout.splitlines():
        sample = json.loads(line)
        lines += [turn["content"] for turn in sample["history"]] + [sample["answer"]]
        chat = "".join(f"<|im_start|>{turn['role']}\n{turn['content']}<|im_end|>\n" for turn in sample["history"])
        lines.append(chat + "<|im_start|>assistant\n")
    return [{"text": text, "ids": tokenizer.encode(text, add_special_tokens=False).ids} for text in lines]


def main():
    program = sys.argv[1]
    tokenizer = train(program)
    tokenizer.save(str(HERE / "tokenizer.json"))
    with open(HERE / "tokenizer_config.json", "w") as out:
        json.dump(config(tokenizer), out, indent=2)
        out.write("\n")
    with open(ROOT / "tests/golden/esc_world_tokenizer.jsonl", "w") as out:
        for line in reference(tokenizer, program):
            out.write(json.dumps(line) + "\n")
    print(tokenizer.get_vocab_size(), "tokens")


if __name__ == "__main__":
    main()
