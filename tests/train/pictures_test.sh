#!/usr/bin/env bash
# A judge and a policy are trained on images: the same weights for any number of ranks, a frozen vision tower (or all
# but its merger), and the errors about images that can't be used.
#   usage: pictures_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-pictures.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir
fail() { echo "FAILED  $*"; exit 1; }

mkdir vl
cp "$source_dir"/tests/inference/seeing/* "$source_dir"/tests/golden/vl/{model.safetensors,preprocessor_config.json} vl
python3 - <<'PY'
import json
with open("cer.jsonl", "w") as out:
    for i in range(6):
        history = [{"role": "user", "text": "i am sad", "pictures": [f"image{i % 3}.png"]}]
        print(json.dumps({"id": f"r{i}", "history": history, "reference": "more?", "preference": "second", "steps": [[True] * 3],
            "candidates": [{"history": "e", "emotion": "s", "strategy": "q", "reply": "why?"}]}), file=out)
PY
cat >judge.toml <<TOML
name = "judge"
task = "sft"
model   = { plugin = "qwen2_5_vl", path = "vl" }
dataset = { plugin = "cer", path = "cer.jsonl", view = "unifireward", pictures = "shown", media = "$source_dir/tests/golden/vl/images" }
sft     = { batch = 4, steps = 2, lr = 1e-3, micro_batch = 2 }
TOML
cat >policy.toml <<TOML
name = "policy"
task = "grpo"
model    = { plugin = "qwen2_5_vl", path = "vl" }
dataset  = { plugin = "cer", path = "cer.jsonl", pictures = "shown", media = "$source_dir/tests/golden/vl/images" }
rewards  = [{ plugin = "unifireward", model = "judge1/checkpoints/last", score_by = "likelihood", max_unreadable = 1 }, { plugin = "length", target = 4 }]
sampling = { max_new_tokens = 6 }
grpo     = { group_size = 3, batch = 4, steps = 2, lr = 1e-3 }
TOML

# run SPEC NAME RANKS [--set ...]
run() {
  local spec=$1 name=$2 ranks=$3 launcher=()
  shift 3
  mkdir "$name"
  "$build/bin/compeer" resolve "$spec" --set "ranks=$ranks" "$@" --json >"$name/spec.json" 2>"$name/log.txt" || return
  ((ranks > 1)) && launcher=(mpirun -n "$ranks" --oversubscribe --bind-to none)
  "${launcher[@]}" "$build/bin/compeer-worker" "$name" >>"$name/log.txt" 2>&1
}

for task in judge policy; do
  for ranks in 1 2; do run $task.toml $task$ranks $ranks || fail "$task on $ranks: $(cat $task$ranks/log.txt)"; done
  cmp "$task"{1,2}/checkpoints/last/model.safetensors || fail "$task: other weights on two ranks"
  echo "ok      $task: two ranks = one"
done
# merger TASK WAY...: trains the merger in several ways (number of ranks and settings); all must give the same weights.
merger() {
  local task=$1 way words name number=0
  shift
  for way in "$@"; do
    number=$((number + 1)) name=$task-merger$number
    read -ra words <<<"$way"
    run $task.toml $name "${words[@]}" --set model.merger=true || fail "$name: $(cat $name/log.txt)"
    cmp {$task-merger1,$name}/checkpoints/last/model.safetensors || fail "$task with a merger: other weights with $way"
  done
  echo "ok      $task with a merger that trains: the same weights in $number ways"
}
merger judge "1" "2" "1 --set threads=2"
merger policy "1" "2 --set threads=2" "2 --set grpo.micro_tokens=1" "1 --set grpo.micro_tokens=40"
cmp vl/preprocessor_config.json judge1/checkpoints/last/preprocessor_config.json || fail "the judge does not know how pictures are cut"
for policy in policy1 policy-merger{1..4}; do
  "$build/bin/compeer" log export $policy --csv - | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == "rollout_trainer_max_diff") at = i }
    NR > 1 { if ($at + 0 != 0) exit 1; seen++ }
    END { if (seen != 2) exit 1 }' || fail "$policy: rollout and trainer differ"
done
echo "ok      rollout = trainer"

python3 - <<'PY' || fail "the tower"
import json, struct
def tensors(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    table, data = json.loads(data[8:8 + size]), data[8 + size:]
    return {name: data[slice(*entry["data_offsets"])] for name, entry in table.items() if name != "__metadata__"}
before = tensors("vl/model.safetensors")
tower = {name for name in before if name.startswith("visual.")}
merger = {name for name in tower if name.startswith("visual.merger.")}
assert len(merger) == 5 and len(tower) > 5
for run, frozen in ("policy1", tower), ("policy-merger1", tower - merger), ("judge-merger1", tower - merger):
    after = tensors(f"{run}/checkpoints/last/model.safetensors")
    assert before.keys() == after.keys()
    assert {name for name in before if before[name] == after[name]} == frozen
PY
echo "ok      the tower stays as it was, but for a merger that trains; all else moved"

# refused WHAT SPEC [--set ...]: the run must fail, and its log contain WHAT.
refused() {
  local what=$1 spec=$2
  shift 2
  rm -rf refused
  if run "$spec" refused 1 "$@"; then fail "not refused: $what"; fi
  grep -qF -- "$what" refused/log.txt || fail "'$what' is not in: $(cat refused/log.txt)"
  echo "ok      $what"
}
grep -q '"view": "unifireward"' judge1/checkpoints/last/form.json || fail "a judge's checkpoint without its form"
[[ ! -e policy1/checkpoints/last/form.json ]] || fail "a policy's checkpoint with a form"
refused "prompts: unset in training, \"$source_dir/plugins/empathy/prompts/en\" here" policy.toml --set "rewards.0.prompts=$source_dir/plugins/empathy/prompts/en"
refused "reward 'unifireward': could not parse" policy.toml --set rewards.0.max_unreadable=0.1
grep -qF "an answer that could not be read: '" refused/log.txt || fail "no such answer is shown: $(cat refused/log.txt)"
refused "record 1: shows $PWD/image0.png, which does not exist" judge.toml --set "dataset.media=$PWD"
mkdir broken && echo no >broken/image0.png && cp broken/image0.png broken/image1.png && cp broken/image0.png broken/image2.png
refused "broken/image" judge.toml --set "dataset.media=$PWD/broken"
grep -qE "r[0-5]: $PWD/broken/image[0-2].png" refused/log.txt || fail "a damaged picture without its record: $(cat refused/log.txt)"
sed 's/^model .*/model = { plugin = "qwen2", tokenizer = "vl", config = { hidden_size = 16, intermediate_size = 16, num_hidden_layers = 1, num_attention_heads = 2, num_key_value_heads = 1 } }/' \
  judge.toml >blind.toml
refused "but the model does not support pictures" blind.toml
