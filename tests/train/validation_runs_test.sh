#!/usr/bin/env bash
# Validation during training: metrics equal to those of evaluations and `score`, the best checkpoint, early stopping,
# the same bits for any number of ranks and after a kill, and no effect on the weights.
#   usage: validation_runs_test.sh SOURCE_DIR BUILD_DIR
set -uo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-validation.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export COMPEER_HOME=$source_dir OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
compeer=$build/bin/compeer

failed=0
fault() { echo "FAILED  $1"; shift; (($#)) && cat "$@"; failed=1; }
holds() { if grep -qF -- "$2" "$3"; then echo "ok      $1"; else fault "$1: no '$2' in" "$3"; fi; }
ends() { if ((code == $1)); then echo "ok      exit $1"; else fault "ends with $code, not $1" said; fi; }
# run NAME [option ...]: runs the toy with 6 steps; `said` receives the output.
sed 's/^steps .*/steps = 6/' "$source_dir/tests/reliability/toy.toml" >toy.toml
run() {
  local name=$1
  shift
  "$compeer" run toy.toml -q --set "name=$name" "$@" >said 2>&1
  code=$?
}
# column NAME RUN: prints a column of run.h5, one value per line.
column() {
  "$compeer" log export "results/$2" --csv - | awk -F, -v wanted="$1" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == wanted) at = i } NR > 1 { print at ? $at : "no column" }'
}
looks=(--set validation.every=2 --set validation.prompts=5 --set 'validation.metrics=["reward", "distinct_2"]')

run plain
ends 0
run one "${looks[@]}"
ends 0
cmp results/plain/checkpoints/last/model.safetensors results/one/checkpoints/last/model.safetensors || fault "validation changes the weights"
run two "${looks[@]}" --ranks 2
ends 0
for metric in reward distinct_2; do
  column "validation/$metric" one >one.txt
  [[ $(grep -c . one.txt) == 3 ]] || fault "looks at other steps than 2, 4 and 6" one.txt
  cmp <(column "validation/$metric" two) one.txt || fault "$metric: other bits on two ranks"
done
echo "ok      the same looks on two ranks"

# The same prompts and greedy completions in a separate evaluation.
run greedy "${looks[@]}" --set sampling.greedy=true --set validation.split=test --set grpo.divisor=none
ends 0
"$compeer" run toy.toml -q --set name=by-itself --set task=evaluate --set sampling.greedy=true --set evaluate.prompts=5 \
  --set evaluate.group_size=1 --set model.path=results/greedy/checkpoints/last >said 2>&1 || fault "no evaluation" said
python3 - "$(column validation/reward greedy | tail -n 1)" <<'PY' || failed=1
import json, sys
own = json.load(open("results/by-itself/summary.json"))["metrics"]["reward"]["mean"]
assert abs(own - float(sys.argv[1])) < 1e-12, (own, sys.argv[1])
print("ok      an evaluation of the last checkpoint gives the same reward")
PY

# The best checkpoint is that of the best value in the column, and is kept even if only one checkpoint is kept.
run kept "${looks[@]}" --set checkpoint.keep=1 --set checkpoint.every=1
ends 0
best=$(column validation/reward kept | awk '$1 != "" && (best == "" || $1 + 0 > best) { best = $1 + 0; at = NR } END { print at }')
[[ $(readlink results/kept/checkpoints/best) == "$(printf 'step-%06d' "$best")" ]] || fault "best is not step $best" said
"$compeer" log verify results/kept >said 2>&1 || fault "log verify" said
holds "log verify looks at it" "checkpoints/best" said
python3 - "$best" "$(column validation/reward kept | sed -n "${best}p")" <<'PY' || failed=1
import json, sys
metrics = json.load(open("results/kept/summary.json"))["metrics"]
assert metrics["validation/best_step"]["mean"] == int(sys.argv[1]) and metrics["validation/reward"]["mean"] == float(sys.argv[2]), metrics
PY
run worst "${looks[@]}" --set validation.better=lower --set validation.keep=last
ends 0
[[ ! -e results/worst/checkpoints/best ]] || fault "keep = last keeps a best one"

# A reward that never improves ends the run after two more validations.
sed -e '/^\[\[rewards\]\]/,/^$/d' -e 's/^steps .*/steps = 20/' toy.toml >dull.toml
printf '\n[[rewards]]\nplugin = "lua"\nscript = "return function() return 0.5 end"\n' >>dull.toml
"$compeer" run dull.toml --set name=dull --set validation.every=2 --set validation.prompts=2 --set validation.patience=2 --ranks 2 >said 2>&1
code=$?
ends 0
holds "it ends early, says the front end" "dull: finished early at step 6 of 20 (best: step 2) after 0:0" said
holds "and the log" "compeer: note: ended after step 6 of 20" results/dull/log.txt
holds "which says what is better" "validation: at most 2 records of split 'valid' every 2 steps; higher reward is better" results/dull/log.txt
"$compeer" log show results/dull >shown 2>&1
holds "it says why" "ended after step 6 of 20: no better validation/reward since step 2" shown
[[ $(readlink results/dull/checkpoints/last) == step-000006 && $(readlink results/dull/checkpoints/best) == step-000002 ]] ||
  fault "checkpoints of an early end" shown
"$compeer" log verify results/dull >said 2>&1 || fault "log verify of an early end" said
"$compeer" run dull.toml -q --set name=dull --set validation.every=2 --set validation.prompts=2 --set validation.patience=2 --ranks 2 >said 2>&1 ||
  fault "it is not taken for finished" said

# Killed after the first validation: the best step is remembered.
"$compeer" resolve toy.toml --set name=killed "${looks[@]}" --set checkpoint.every=1 --json >spec.json
for name in whole killed; do mkdir -p results/$name && cp spec.json results/$name; done
"$build/bin/compeer-worker" results/whole >said 2>&1 || fault "the whole run" said
"$build/bin/compeer-worker" results/killed >said 2>&1 &
until [[ -e results/killed/checkpoints/step-000003 ]] || ! kill -0 $! 2>/dev/null; do :; done
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
"$build/bin/compeer-worker" results/killed --resume >said 2>&1 || fault "resume" said
for what in checkpoints/last/model.safetensors checkpoints/last/optimizer.safetensors; do
  cmp "results/killed/$what" "results/whole/$what" || fault "other bits after a kill: $what"
done
cmp <(column validation/reward killed) <(column validation/reward whole) || fault "other looks after a kill"
[[ $(readlink results/killed/checkpoints/best) == "$(readlink results/whole/checkpoints/best)" ]] || fault "another best after a kill"
echo "ok      a kill changes nothing"

# The validation loss of supervised training is that of \`score\` for the same records.
cat >sft.toml <<TOML
name = "sft"
task = "sft"
model      = { plugin = "qwen2", tokenizer = "plugins/datasets/esc_world/tokenizer", config = { hidden_size = 16, num_hidden_layers = 1, num_attention_heads = 2, num_key_value_heads = 1, intermediate_size = 16 } }
dataset    = { plugin = "prompts", path = "few" }
sft        = { batch = 4, steps = 4 }
validation = { every = 2 }
TOML
mkdir few
for split in train valid; do
  for i in 1 2 3 4 5; do echo "{\"prompt\": \"i feel sad today\", \"reference\": \"why do you feel so $split $i\"}"; done >few/$split.jsonl
done
for ranks in 1 2; do
  "$compeer" run sft.toml -q --set "name=sft$ranks" --ranks $ranks >said 2>&1 || fault "sft" said
done
cmp <(column validation/loss sft1) <(column validation/loss sft2) || fault "other losses on two ranks"
python3 - "$compeer" "$(column validation/loss sft1 | tail -n 1)" <<'PY' || failed=1
import json, subprocess, sys
model = "results/sft1/checkpoints/last"
def call(command, lines):
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run([sys.argv[1], command, "--model", model], input=text, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]
user = lambda r: {"messages": [{"role": "user", "content": r["prompt"]}]}
records = [json.loads(line) for line in open("few/valid.jsonl")]
prompts = call("tokenize", [{**user(r), "add_generation_prompt": True} for r in records])
wholes = call("tokenize", [{"messages": user(r)["messages"] + [{"role": "assistant", "content": r["reference"]}]} for r in records])
ends = [ids["ids"][:-1] if ids["text"].endswith("\n") else ids["ids"] for ids in wholes]  # no loss after the end token
scores = call("score", [{"ids": ids} for ids in ends])
sums = [score["logprobs"][len(p["ids"]) - 1:] for score, p in zip(scores, prompts)]
loss = -sum(map(sum, sums)) / sum(map(len, sums))
assert abs(loss - float(sys.argv[2])) < 1e-5, (loss, sys.argv[2])
print("ok      the loss is what `score` gives")
PY

run misspelt "${looks[@]}" --set 'validation.metrics=["rewrad"]' --dry-run
ends 3
holds "names are checked beforehand" "no metric 'rewrad'" said
holds "with the nearest" "did you mean 'reward'?" said
run idle --set validation.patience=3
ends 3
holds "patience needs looks" "'validation.patience' counts validations, but 'validation.every' is unset" said
exit $failed
