#!/usr/bin/env bash
# Prompts made of records: trimmed, skipped or refused if they are too long, with the spec's system turn; the messages
# about it; and supervised training on records without an answer.
#   usage: prompts_test.sh SOURCE_DIR BUILD_DIR
set -uo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-prompts.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export COMPEER_HOME=$source_dir OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
compeer=$build/bin/compeer tokenizer=$source_dir/plugins/datasets/esc_world/tokenizer
[[ -f $tokenizer/tokenizer.json ]] || tokenizer=$build/plugins/datasets/esc_world/tokenizer

failed=0
fault() { echo "FAILED  $1"; shift; (($#)) && cat "$@"; failed=1; }
holds() { if grep -qF -- "$2" "$3"; then echo "ok      $1"; else fault "$1: no '$2' in" "$3"; fi; }
ends() { if ((code == $1)); then echo "ok      exit $1"; else fault "ends with $code, not $1" said; fi; }

# Eight dialogues of 1, 3, 5, ... turns of five words; the last turn of "last" is longer than the model's positions;
# "system" has its own system turn.
python3 - <<'PY'
import json
words = "i feel sad and alone today because my friend left".split()
def turn(i, n=5): return {"role": "assistant" if i % 2 else "user", "content": " ".join(words[(i + k) % len(words)] for k in range(n))}
with open("dialogues.train.jsonl", "w") as out:
    for d in range(8):
        print(json.dumps({"id": f"d{d}", "messages": [turn(i) for i in range(2 * d + 1)], "reference": "tell me more"}), file=out)
    print(json.dumps({"id": "last", "messages": [turn(0), turn(1), turn(0, 90)], "reference": "i see"}), file=out)
    print(json.dumps({"id": "system", "messages": [{"role": "system", "content": "be kind"}] + [turn(i) for i in range(15)]}), file=out)
PY
cat >base.toml <<TOML
name = "base"
task = "grpo"
[model]
plugin    = "qwen2"
tokenizer = "$tokenizer"
config    = { hidden_size = 16, num_hidden_layers = 1, num_attention_heads = 2, num_key_value_heads = 1, intermediate_size = 16, max_position_embeddings = 80 }
[dataset]
plugin = "prompts"
path   = "dialogues.train.jsonl"
[[rewards]]
plugin = "length"
target = 4
[sampling]
max_new_tokens = 8
[sft]
batch = 4
steps = 3
[evaluate]
prompts = 4
split = "train"
[grpo]
group_size = 2
batch = 5
steps = 4
lr = 1e-3
TOML

# run NAME [--set ...]: runs it; `said` receives the output.
run() {
  local name=$1
  shift
  "$compeer" run base.toml -q --set "name=$name" "$@" >said 2>&1
  code=$?
}

# expected NAME MOST SYSTEM: compares the prompts of a run's rollouts with those that Python makes by leaving out one
# turn at a time.
expected() {
  "$compeer" log export "results/$1" --rollouts rollouts.jsonl --tokens >/dev/null 2>said || { fault "no rollouts" said; return; }
  python3 - "$compeer" "$tokenizer" "$@" <<'PY' || failed=1
import json, subprocess, sys
compeer, tokenizer, name, most, system = sys.argv[1:]
def ids(candidates):
    text = "".join(json.dumps({"messages": m, "add_generation_prompt": True}) + "\n" for m in candidates)
    done = subprocess.run([compeer, "tokenize", "--model", tokenizer], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line)["ids"] for line in done.stdout.splitlines()]
def shown(messages):
    own = [m for m in messages if m["role"] == "system"]
    turns = [m for m in messages if m["role"] != "system"]
    lead = [{"role": "system", "content": system}] if system else own
    all = [lead + turns[i:] for i in range(len(turns)) if i == 0 or turns[i]["role"] == "user"]
    return next((tokens for tokens in ids(all) if len(tokens) <= int(most)), None)
records = {r["id"]: shown(r["messages"]) for r in map(json.loads, open("dialogues.train.jsonl"))}
seen = {r["example"]: r["prompt_tokens"] for r in map(json.loads, open("rollouts.jsonl"))}
assert seen.keys() == {id for id, tokens in records.items() if tokens}, (seen.keys(), records)
for id, tokens in seen.items(): assert tokens == records[id], (id, tokens, records[id])
print(f"ok      {name}: {len(seen)} prompts as Python makes them")
PY
}

run trim --ranks 2
ends 0
expected trim 72 ""
holds "trimmed ones are counted" "split 'train': of 10 records to be read 7 are too long and trimmed: the oldest turns are left out; the first is d2, with 77 tokens where at most 72 fit" results/trim/log.txt
holds "and those that can't be" "split 'train': of 10 records to be read 1 is too long and skipped; other records replace them; the first is last, with 176 tokens where at most 72 fit" results/trim/log.txt
"$compeer" log show results/trim >shown 2>&1
holds "events tell it, too" "7 are too long and trimmed" shown
python3 -c '
import json
data = json.load(open("results/trim/summary.json"))["details"]["data"]
assert data == {"unreadable": 0, "splits": [{"split": "train", "records": 10, "trimmed": 7, "skipped": 1, "unanswered": 0}]}, data' || failed=1
run one
cmp results/trim/checkpoints/last/model.safetensors results/one/checkpoints/last/model.safetensors || fault "other weights on two ranks"

run few --ranks 2 --set grpo.batch=1 --set grpo.steps=1
ends 0
holds "a rank without work" "1 of 2 ranks have no work: grpo.batch = 1 gives 1 part; lower 'ranks', or raise 'grpo.batch'" results/few/log.txt
run few-parts --ranks 2 --set task=sft --set sft.steps=1
ends 0
holds "a part for each rank" "1 of 2 ranks have no work: sft.batch = 4, divided by sft.micro_batch = 8, gives 1 part; lower 'ranks' or 'sft.micro_batch', or raise 'sft.batch'" results/few-parts/log.txt

run shorter --set dataset.max_prompt_tokens=40 --set "dataset.system=answer in one word"
ends 0
expected shorter 40 "answer in one word"

printf 'answer in one word\n' >system.txt
run from-file --set dataset.max_prompt_tokens=40 --set dataset.system_file=system.txt
ends 0
cmp results/shorter/checkpoints/last/model.safetensors results/from-file/checkpoints/last/model.safetensors ||
  fault "a system turn from a file is another one"
run both --set dataset.system_file=system.txt --set dataset.system=hello
ends 3
holds "one of the two" "'dataset.system' and 'dataset.system_file' are both set" said

run refused --set dataset.long_prompts=error
ends 4
holds "long prompts are counted, the first one is named" "split 'train': of 10 records to be read 8 are too long; the first is d2, with 77 tokens where at most 72 fit; the longest has 221 tokens" said
holds "and a remedy" "help: set dataset.long_prompts to \"trim\" to drop the oldest turns, or to \"skip\" to drop the records" said
run refused-shorter --set dataset.long_prompts=error --set dataset.max_prompt_tokens=40
holds "a limit of the spec's own is named" "help: raise dataset.max_prompt_tokens, or set dataset.long_prompts to " said
[[ ! -e results/refused/run.h5 ]] || fault "a step was taken"

run skipped --set dataset.long_prompts=skip
ends 0
"$compeer" log export results/skipped --rollouts rollouts.jsonl >/dev/null
[[ $(grep -o '"example":"[a-z0-9]*"' rollouts.jsonl | sort -u | tr '\n' ' ') == '"example":"d0" "example":"d1" ' ]] ||
  fault "skipped records are read"
holds "skipped ones are counted" "of 10 records to be read 8 are too long and skipped; other records replace them; the first is d2" results/skipped/log.txt
run too-many --set task=evaluate --set dataset.long_prompts=skip
ends 4
holds "an evaluation counts what is left" "evaluate.prompts: is 4, but split 'train' has only 2 records" said
run nothing --set dataset.max_prompt_tokens=3
ends 4
holds "nothing fits" "datasets/prompts: has no usable record: split 'train': of 10 records to be read 10 are too long and skipped" said

run learned --set task=sft
ends 0
holds "what has no answer is not learned" "of 10 records to be read 1 is without an answer to train on and skipped; other records replace them; the first is system" results/learned/log.txt
sed 's/"reference"/"meta": {}, "language"/' dialogues.train.jsonl >unanswered.train.jsonl
run unlearned --set task=sft --set dataset.path=unanswered.train.jsonl
ends 4
holds "nothing to learn" "of 10 records to be read 10 are without an answer to train on and skipped" said

echo '{"prompt": 3}' >>dialogues.train.jsonl
run unreadable --set dataset.max_unreadable=0.5
ends 0
holds "unreadable records are named" "datasets/prompts omits 1 record that can't be read; the first: " results/unreadable/log.txt
"$compeer" log show results/unreadable >shown 2>&1
holds "events tell it" "omits 1 record" shown
grep -qE '"unreadable": 1' results/unreadable/summary.json || fault "summary.json does not count it" results/unreadable/summary.json

# Six dialogues of four replies each: prompts come from different dialogues if there are enough; otherwise intervals are
# computed over dialogues.
mkdir smile
python3 - <<'PY'
import json
for d in range(6):
    turns = [{"role": role, "content": f"{role} {d} {i}"} for i in range(4) for role in ("client", "counselor")]
    json.dump(turns, open(f"smile/{d}.json", "w"))
PY
corpus=(--set 'dataset={ plugin = "smile", path = "smile", valid = 0, test = 0 }' --set task=evaluate)
run spread "${corpus[@]}" --set evaluate.prompts=6
ends 0
"$compeer" log export results/spread --rollouts rollouts.jsonl >/dev/null
dialogues=$(grep -o '"example":"smile[^"]*/' rollouts.jsonl | sort -u | wc -l)
((dialogues == 6)) && echo "ok      six prompts of six dialogues" || fault "six prompts of $dialogues dialogues" rollouts.jsonl
run together "${corpus[@]}" --set evaluate.prompts=12 --ranks 2
ends 0
holds "prompts of one dialogue are told" "12 prompts come from 6 dialogues: confidence intervals are computed over dialogues" results/together/log.txt

run data --set task=data --set dataset.system=hello
ends 3
holds "no policy sees what stages make" "'dataset.system' has no effect with task = \"data\"" said
exit $failed
