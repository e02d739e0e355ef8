#!/usr/bin/env bash
# Models used by stages: data.compute and data.device choose precision and device, the log prints them, and results made
# with other values are not reused.
#   usage: models_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 compeer=$2/bin/compeer
work=$(mktemp -d -t compeer-data-models.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir CUDA_VISIBLE_DEVICES=

fail() { echo "FAILED  $1"; exit 1; }
said() { # NAME EXPECTED_EXIT OPTIONS...
  local name=$1 expected=$2 code=0
  shift 2
  "$compeer" run said.toml --set "name=$name" "$@" >"$name.txt" 2>"$name.log" || code=$?
  ((code == expected)) || { cat "$name.log"; fail "$name ended with $code"; }
}
says() { grep -qF -- "$2" "$1" || { cat "$1"; fail "$1 does not say '$2'"; }; }

"$compeer" run "$source_dir/experiments/smoke_grpo.toml" --ranks 1 --set grpo.steps=1 >made.log 2>&1 || { cat made.log; fail "no model is made"; }
cat >said.toml <<'TOML'
name = "said"
task = "data"
[dataset]
plugin = "esc_world"
unit = "dialogue"
rounds = 2
train = 3
[data]
splits = ["train"]
[[stages]]
plugin = "sample"
rounds = 1
[[stages]]
plugin = "answer"
supporter_tokens = 12
supporter = { plugin = "local", path = "results/smoke-grpo/checkpoints/last" }
TOML

said usual 0
says results/usual/log.txt "float32 by"
says usual.txt "asked 3, from stored answers 0"
said half 0 --set data.compute=bfloat16
says results/half/log.txt "bfloat16 by"
says half.txt "asked 3, from stored answers 0"
said again 0 --set data.compute=bfloat16 --set data.concurrency=1
grep -q "02-answer .*(reused)" again.txt || fail "what was made in bfloat16 is made again"
said auto 0 --set data.device=auto
says results/auto/log.txt "note: data.device is 'auto', and the run computes on the CPU: "
says auto.txt "asked 0, from stored answers 3"
said cuda 2 --set data.device=cuda
says cuda.log "data.device: is 'cuda', but "

# A policy is used as a judge. Its answers can't be parsed, unless the likelihoods of the choices are compared.
python3 - <<'PY'
import json
with open("cer.jsonl", "w") as out:
    for i in range(3):
        print(json.dumps({"id": f"r{i}", "split": "test", "history": [{"role": "user", "text": "i am sad"}], "reference": "more?",
            "steps": [[True] * 3], "preference": "second",
            "candidates": [{"history": "e", "emotion": "s", "strategy": "q", "reply": "why?"}]}), file=out)
PY
cat >said.toml <<'TOML'
name = "said"
task = "data"
dataset = { plugin = "cer", path = "cer.jsonl", view = "record" }
data = { splits = ["test"] }
stages = [{ plugin = "reward_accuracy", model = "results/smoke-grpo/checkpoints/last" }]
TOML
said unread 4
says unread.log "stage 01-reward_accuracy: 12 of 12 questions got no answer that could be parsed; 'data.max_malformed' allows a share of 0.1"
says unread.log "help: check that the stage calls the right model, with the prompt format that the model was trained on; log.txt contains such an answer"
says results/unread/log.txt "stages/reward_accuracy: note: an answer that could not be read: '"
said allowed 0 --set data.max_malformed=1
said weighed 0 --set stages.0.score_by=likelihood
echo "ok"
