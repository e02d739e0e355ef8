#!/usr/bin/env bash
# Runs that change after their start: a finished run with more steps has the bits of a run of that length; another build
# of a plugin is refused for an unfinished run, or recorded with --changed.
#   usage: going_on_test.sh SOURCE_DIR BUILD_DIR
set -uo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-going-on.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export COMPEER_HOME=$source_dir OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
compeer=$build/bin/compeer

failed=0
fault() { echo "FAILED  $1"; shift; (($#)) && cat "$@"; failed=1; }
holds() { if grep -qF -- "$2" "$3"; then echo "ok      $1"; else fault "$1: no '$2' in" "$3"; fi; }
ends() { if ((code == $1)); then echo "ok      exit $1"; else fault "ends with $code, not $1" said; fi; }
call() { "$compeer" "$@" >said 2>&1; code=$?; }
rows() { # all metrics except times and memory
  "$compeer" log export "$1" --csv - | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) keep[i] = $i !~ /seconds|per_second|time|peak_memory/ }
    { line = ""; for (i = 1; i <= NF; i++) if (keep[i]) line = line "," $i; print line }'
}
completions() { [[ ! -e $1/rollouts ]] || "$compeer" log export "$1" --rollouts - | sed "s/^{\"run\":\"[^\"]*\"//"; }
same() { # RUN RUN
  for file in "$1"/checkpoints/last/*.safetensors; do
    cmp "$file" "$2/checkpoints/last/${file##*/}" || fault "$1 and $2 have other bits"
  done
  cmp <(rows "$1") <(rows "$2") || fault "$1 and $2 have other rows"
  cmp <(completions "$1") <(completions "$2") || fault "$1 and $2 have other rollouts"
  for name in "$1" "$2"; do "$compeer" log verify "$name" >said 2>&1 || fault "log verify $name" said; done
  echo "ok      $1 = $2"
}
spec_hash() { grep -m1 '"sha256"' "results/$1/spec.json"; }

# More steps for a finished run: killed on the way, and with another number of ranks.
looks=(--set validation.every=2 --set validation.prompts=3)
call run "$source_dir/tests/reliability/toy.toml" -q "${looks[@]}" --set grpo.steps=8 --set name=run
mkdir longer && mv results longer/ && mv longer/results/run long # with the same name, because the spec contains it
for name in run other; do call run "$source_dir/tests/reliability/toy.toml" -q "${looks[@]}" --set "name=$name"; ends 0; done
call resume results/run -q --set grpo.steps=8
ends 0
same results/run long
[[ $(spec_hash run) == "$(grep -m1 '"sha256"' long/spec.json)" ]] || fault "it has not the longer run's hash" results/run/spec.json
holds "status.json has the new number" '"state":"finished","step":8,"steps":8' <(python3 -c '
import json; s = json.load(open("results/run/status.json")); print(json.dumps({k: s[k] for k in ("state", "step", "steps")}, separators=(",", ":")))')
cmp <(python3 -c 'import json; print(json.load(open("results/run/summary.json"))["steps"])') <(echo 8) || fault "summary.json"
holds "log.txt says so" "compeer: note: after step 4 grpo.steps was changed from 4 to 8 (spec " results/run/log.txt
"$compeer" log show results/run >shown 2>&1
holds "so do the events" "after step 4 grpo.steps was changed from 4 to 8" shown
holds "and the report" "after step 4 grpo.steps was changed from 4 to 8" results/run/report.html
holds "and the history" '"what": "grpo.steps"' results/run/spec.json
call run "$source_dir/tests/reliability/toy.toml" "${looks[@]}" --set grpo.steps=8 --set name=run
holds "the longer spec is taken for finished" "finished before, results read from results/run" said

"$compeer" resume results/other --set grpo.steps=40 >said 2>&1 &
until [[ -e results/other/checkpoints/step-000006 ]] || ! kill -0 $! 2>/dev/null; do :; done
kill -9 $! 2>/dev/null
wait $! 2>/dev/null
call resume results/other -q --set grpo.steps=40
ends 0
call run "$source_dir/tests/reliability/toy.toml" -q "${looks[@]}" --set grpo.steps=40 --set name=whole --ranks 2
same results/other results/whole

cat >sft.toml <<TOML
name = "sft"
task = "sft"
model   = { plugin = "qwen2", tokenizer = "plugins/datasets/esc_world/tokenizer", config = { hidden_size = 16, num_hidden_layers = 1, num_attention_heads = 2, num_key_value_heads = 1, intermediate_size = 16 } }
dataset = { plugin = "esc_world" }
sft     = { batch = 4, steps = 6 }
optimizer = { warmup = 5 }
TOML
call run sft.toml -q --set name=sft-long
call run sft.toml -q --set sft.steps=3
call resume results/sft -q --set sft.steps=6
ends 0
same results/sft results/sft-long

call resume results/sft -q --set sft.lr=1
ends 3
holds "other settings stay" "'sft.lr' can't be changed in a run that has started" said
call run sft.toml -q --set name=linear --set optimizer.schedule=linear
call resume results/linear -q --set sft.steps=9
ends 3
holds "a schedule over all steps is refused" "'optimizer.schedule' is \"linear\": its learning rates depend on the number of steps" said
"$compeer" log verify results/linear >said 2>&1 || fault "it is no longer whole" said

# Another build of a plugin: the dynamic loader ignores bytes after the end of a library.
mkdir -p plugins/rewards && cp "$build/plugins/rewards/esc_world_truth.so" plugins/rewards
export COMPEER_PLUGIN_PATH=$work/plugins
begin() { # NAME: starts a run and kills it
  "$compeer" run "$source_dir/tests/reliability/toy.toml" --set "name=$1" --set grpo.steps=40 >said 2>&1 &
  until [[ -e results/$1/checkpoints/step-000002 ]] || ! kill -0 $! 2>/dev/null; do :; done
  kill -9 $! 2>/dev/null
  wait $! 2>/dev/null
}
begin first
begin second
echo other >>plugins/rewards/esc_world_truth.so
goes_on() { # NAME COMMAND...
  local which=$1
  shift
  call "$@"
  ends 5
  holds "$which: another build is refused" "was started with another build of plugin rewards/esc_world_truth" said
  call "$@" --changed
  ends 0
  for place in "results/$which/log.txt" "results/$which/report.html"; do
    holds "$which: it is recorded" "the plugin rewards/esc_world_truth was replaced by another build" "$place"
  done
  "$compeer" log show "results/$which" >shown 2>&1
  holds "$which: in the events" "the plugin rewards/esc_world_truth was replaced by another build" shown
  holds "$which: in the history" '"what": "plugin rewards/esc_world_truth"' "results/$which/spec.json"
  "$compeer" log verify "results/$which" >said 2>&1 || fault "log verify" said
}
goes_on first run "$source_dir/tests/reliability/toy.toml" -q --set name=first --set grpo.steps=40
goes_on second resume results/second -q
exit $failed
