#!/usr/bin/env bash
# NaN and infinity in rewards, loss, gradients and weights.
battery=nonfinite
promise="A reward, loss or gradient that is not finite stops the run on all ranks with a message that names rank, step, prompt and what it was; or, with nonfinite = \"skip\", all ranks leave the same step out: weights and optimizer stay as they were, the log says so, and the bits are the same over ranks. Weights that have become NaN always stop the run."
how="A reward in Lua gives, for one prompt of step 3, numbers whose weighted sum overflows, or such advantages that the loss is no number; a learning rate of 1e30 breaks the weights. Over one rank and two, with either policy."
source "$(dirname "${BASH_SOURCE[0]}")/scene.sh"

make_run whole
start whole 1 "FAULT_TRACE=$work/calls"
wait_for_end
((code == 0)) || { fault "the undisturbed run ends with $code" whole/log.txt; finish; }
id=$("$compeer" log group whole --step 3 --prompt 1 --json | grep -o '"example": *"[^"]*"' | head -1 | sed 's/.*"\([^"]*\)"$/\1/')
[[ $id ]] || fault "log group names no example"

# toy NAME WEIGHT RANKS POLICY [--set ...]: a run in which that prompt is worth WEIGHT for its first completion.
toy() {
  local name=$1 weight=$2 ranks=$3 policy=$4
  shift 4
  {
    cat "$SOURCE/tests/reliability/toy.toml"
    printf '\n[[rewards]]\nplugin = "lua"\nweight = %s\nscript = """\n' "$weight"
    printf 'return { group = function(all, example)\n  local list = {}\n  for i = 1, #all do list[i] = (i == 1 and example.id == "%s") and 1e30 or 0 end\n' "$id"
    printf '  return list\nend }\n"""\n'
  } >"$name.toml"
  rm -rf "$name" && mkdir "$name"
  "$compeer" resolve "$name.toml" --set "ranks=$ranks" --set "nonfinite=$policy" --set grpo.divisor=none --set checkpoint.keep=10 "$@" --json \
    >"$name/spec.json" || fault "$name: can't be resolved"
  start "$name" "$ranks"
  wait_for_end
  no_orphans "$name"
}
column() { # RUN COLUMN: its values, one a line
  "$compeer" log export "$1" --csv - | awk -F, -v want="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) c = i } NR > 1 { print c ? $c : "no column" }'
}
weights_of() { (cd "$1" && sha256sum model.safetensors optimizer.safetensors); }

stopped=0 left_out=0
declare -A weights=([reward]=1e300 [loss]=1e30)
declare -A says=([reward]="infinite sum of rewards" [loss]="the loss of prompt 1 is")
declare -A exits=([reward]=5 [loss]=1)
for what in reward loss; do
  for ranks in 1 2; do
    name=$what-stop-$ranks
    toy "$name" "${weights[$what]}" "$ranks" stop
    if ((code == exits[$what])) && grep -q "${says[$what]}" "$name/error.json"; then
      stopped=$((stopped + 1))
    else
      fault "$name: ends with $code" "$name/log.txt"
    fi
    [[ $(column "$name" step) == $'1\n2' ]] || fault "$name: the log has other rows than 1 and 2"
    name=$what-skip-$ranks
    toy "$name" "${weights[$what]}" "$ranks" skip
    ((code == 0)) || { fault "$name: ends with $code" "$name/log.txt"; continue; }
    [[ $(column "$name" left_out | sed -n 3p) == 1 ]] || fault "$name: left_out is $(column "$name" left_out | tr '\n' ' ')"
    grep -q "step 3 is left out: on rank" "$name/log.txt" || fault "$name: the log does not say so" "$name/log.txt"
    "$compeer" log show "$name" 2>/dev/null | grep -q "step 3 is left out" || fault "$name: no event says so"
    [[ $(weights_of "$name/checkpoints/step-000003") == "$(weights_of "$name/checkpoints/step-000002")" ]] ||
      fault "$name: weights or optimizer moved in step 3"
    "$compeer" log verify "$name" >verify.txt || fault "$name: log verify is not content" verify.txt
    left_out=$((left_out + 1))
  done
  [[ $(fingerprint "$what-skip-1") == "$(fingerprint "$what-skip-2")" ]] || fault "$what: two ranks leave out otherwise than one"
done
broken=0
for policy in stop skip; do
  toy "broken-$policy" 1 2 "$policy" --set grpo.lr=1e30
  if ((code == 4)) && grep -q 'the model computes numbers that are not finite' "broken-$policy/error.json"; then
    broken=$((broken + 1))
  else
    fault "broken weights, $policy: ends with $code" "broken-$policy/log.txt"
  fi

done
figure "runs that stopped, naming rank, step and cause" "$stopped of 4"
figure "runs that left the step out on all ranks, with untouched weights and optimizer" "$left_out of 4"
figure "runs with broken weights that stopped" "$broken of 2"
figure "otherwise" "${#wrong[@]}"
finish
