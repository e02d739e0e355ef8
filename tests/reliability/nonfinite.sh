#!/usr/bin/env bash
# NaN and infinity in rewards, loss, gradients and weights.
battery=nonfinite
promise="A reward, loss or gradient that is not finite stops the run on all ranks with a message that names rank, step, prompt or record, and what it was; or, with nonfinite = \"skip\", all ranks leave the same step out: weights and optimizer stay as they were, the log says so, and the bits are the same over ranks. Weights with which the model computes no finite number any more always stop the run."
how="A reward in Lua gives, for one prompt of step 3, numbers whose weighted sum overflows, or such advantages that the loss is no number. In supervised training one record has a token whose embedding is NaN. A learning rate of 1e30 breaks the weights. Over one rank and two, with either policy."
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"
TIMES=${TIMES:-2} # 2, or 1: over one rank or two, not both

make_run whole
start whole 1
wait_for_end
((code == 0)) || { fault "the undisturbed run ends with $code" whole/log.txt; finish; }
id=$("$compeer" log group whole --step 3 --prompt 1 --json | grep -o '"example": *"[^"]*"' | head -1 | sed 's/.*"\([^"]*\)"$/\1/')
[[ $id ]] || fault "log group names no example"

runs=0
# go NAME RANKS POLICY [--set ...]: runs NAME.toml.
go() {
  local name=$1 ranks=$2 policy=$3
  shift 3
  rm -rf "$name" && mkdir "$name"
  "$compeer" resolve "$name.toml" --set "ranks=$ranks" --set "nonfinite=$policy" --set checkpoint.keep=10 "$@" --json \
    >"$name/spec.json" || fault "$name: can't be resolved"
  start "$name" "$ranks"
  wait_for_end
  no_orphans "$name"
  runs=$((runs + 1))
}
# toy NAME WEIGHT RANKS POLICY [--set ...]: a run in which one prompt's first completion has the reward WEIGHT.
toy() {
  local name=$1 weight=$2
  shift 2
  {
    cat "$SOURCE/tests/reliability/toy.toml"
    printf '\n[[rewards]]\nplugin = "lua"\nweight = %s\nscript = """\n' "$weight"
    printf 'return { group = function(all, example)\n  local list = {}\n  for i = 1, #all do list[i] = (i == 1 and example.id == "%s") and 1e30 or 0 end\n' "$id"
    printf '  return list\nend }\n"""\n'
  } >"$name.toml"
  go "$name" "$@" --set grpo.divisor=none
}
# lessons NAME MODEL RANKS POLICY [--set ...]: supervised fine-tuning; MODEL is the content of its [model] table.
lessons() {
  local name=$1 model=$2
  shift 2
  {
    printf 'name = "lessons"\ntask = "sft"\nseed = 7\n\n[model]\nplugin = "qwen2"\n%s\n\n' "$model"
    printf '[dataset]\nplugin = "emollm"\npath = "%s/talks.jsonl"\nvalid = 0\ntest = 0\n\n' "$work"
    printf '[sft]\nbatch = 2\nsteps = 4\nlr = 1e-2\nmicro_batch = 1\n\n[checkpoint]\nevery = 1\n\n[watchdog]\nseconds = 20\n'
  } >"$name.toml"
  go "$name" "$@"
}
column() { # RUN COLUMN: prints its values, one per line
  "$compeer" log export "$1" --csv - | awk -F, -v want="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) c = i } NR > 1 { print c ? $c : "no column" }'
}
weights_of() { (cd "$1" && sha256sum model.safetensors optimizer.safetensors); }

# With one rank and with two; in the short form with one of these.
ranks_for() { if ((TIMES > 1)); then echo "1 2"; else echo "$1"; fi; }

stopped=0 left_out=0
# stops EXIT TEXT ROWS: checks that the last run ended with this code and text, after these rows.
stops() {
  if ((code == $1)) && grep -q "$2" "$name/error.json"; then
    stopped=$((stopped + 1))
  else
    fault "$name: ends with $code" "$name/log.txt"
  fi
  [[ $(column "$name" step | tr '\n' ' ') == "$3 " ]] || fault "$name: the log has other rows than $3"
}
# leaves_out STEP: checks that the last run skipped this step and continued.
leaves_out() {
  local before after
  ((code == 0)) || { fault "$name: ends with $code" "$name/log.txt"; return; }
  [[ $(column "$name" left_out | sed -n "$1p") == 1 ]] || fault "$name: left_out is $(column "$name" left_out | tr '\n' ' ')"
  grep -q "step $1 is left out: on rank" "$name/log.txt" || fault "$name: the log does not say so" "$name/log.txt"
  "$compeer" log show "$name" 2>/dev/null | grep -q "step $1 is left out" || fault "$name: no event says so"
  before=$name/checkpoints/step-00000$(($1 - 1)) after=$name/checkpoints/step-00000$1
  [[ $(weights_of "$after") == "$(weights_of "$before")" ]] || fault "$name: weights or optimizer moved in step $1"
  "$compeer" log verify "$name" >verify.txt || fault "$name: log verify is not content" verify.txt
  left_out=$((left_out + 1))
}
same_over_ranks() { # WHAT
  ((TIMES < 2)) || [[ $(fingerprint "$1-skip-1") == "$(fingerprint "$1-skip-2")" ]] || fault "$1: two ranks leave out otherwise than one"
}

for ranks in $(ranks_for 2); do
  name=reward-stop-$ranks && toy "$name" 1e300 "$ranks" stop && stops 5 "the sum of rewards infinite" "1 2"
  name=reward-skip-$ranks && toy "$name" 1e300 "$ranks" skip && leaves_out 3
done
for ranks in $(ranks_for 1); do
  name=loss-stop-$ranks && toy "$name" 1e30 "$ranks" stop && stops 1 "the loss of prompt 1 is" "1 2"
  name=loss-skip-$ranks && toy "$name" 1e30 "$ranks" skip && leaves_out 3
done

# One of eight records contains a "~"; the embedding of that token is set to 16 NaN. Each record is used once.
for i in 1 2 3 4 5 6 7 8; do
  printf '{"conversation":[{"input":"%sI feel %d","output":"Tell me more of %d."}]}\n' "$( ((i == 5)) && printf '~')" "$i" "$i"
done >talks.jsonl
fresh=$(sed -n '/^tokenizer/p; /^\[model.config\]/,/^$/p' "$SOURCE/tests/reliability/toy.toml")
lessons first "$fresh" 1 stop --set sft.steps=1 --set model.config.tie_word_embeddings=false
((code == 0)) || fault "the first supervised run ends with $code" first/log.txt
cp -rL first/checkpoints/last model
rm model/manifest.json # it has the hash of the unchanged weights
token=$(printf '{"text":"~"}' | "$compeer" tokenize --model model | grep -o '[0-9]*')
head=$(od -An -tu8 -N 8 model/model.safetensors)
start=$(head -c $((head + 8)) model/model.safetensors | grep -ao '"model.embed_tokens.weight":{[^}]*"data_offsets":\[[0-9]*' | grep -o '[0-9]*$')
for i in {1..16}; do printf '\0\0\xc0\x7f'; done |
  dd of=model/model.safetensors bs=1 seek=$((8 + head + start + 64 * token)) conv=notrunc status=none
damaged="path = \"$work/model\""
for ranks in $(ranks_for 2); do
  name=record-stop-$ranks && lessons "$name" "$damaged" "$ranks" stop && stops 1 "the loss of record . of the step is not a number" 1
  name=record-skip-$ranks && lessons "$name" "$damaged" "$ranks" skip && leaves_out 2
done
for what in reward loss record; do same_over_ranks "$what"; done

broken=0
breaks() {
  if ((code == 4)) && grep -q 'the model computes numbers that are not finite' "$name/error.json"; then
    broken=$((broken + 1))
  else
    fault "$name: ends with $code" "$name/log.txt"
  fi
}
name=broken-stop && toy "$name" 1 2 stop --set grpo.lr=1e30 && breaks
((TIMES < 2)) || { name=broken-skip && toy "$name" 1 2 skip --set grpo.lr=1e30 && breaks; }
name=broken-lessons && lessons "$name" "$fresh" "$TIMES" skip --set sft.lr=1e30 && breaks

tried "$runs" 16 runs
figure "runs that stopped, naming rank, step and cause" "$stopped"
figure "runs that left the step out on all ranks, with untouched weights and optimizer" "$left_out"
figure "runs with broken weights that stopped" "$broken"
figure "otherwise" "${#wrong[@]}"
finish
