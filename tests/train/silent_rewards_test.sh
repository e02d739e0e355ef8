#!/usr/bin/env bash
# Messages about rewards without information: errors with step, record and completion, and warnings in log, events and
# report.
#   usage: silent_rewards_test.sh SOURCE_DIR BUILD_DIR
set -uo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-silent.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export COMPEER_HOME=$source_dir OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
compeer=$build/bin/compeer

failed=0
# holds WHAT TEXT FILE: checks that the file contains the text.
holds() {
  if grep -qF -- "$2" "$3"; then echo "ok      $1"; else echo "FAILED  $1: no '$2' in"; cat "$3"; failed=1; fi
}
# times COUNT WHAT TEXT FILE: checks the number of lines with the text.
times() {
  local count
  count=$(grep -cF -- "$3" "$4")
  if ((count == $1)); then echo "ok      $2"; else echo "FAILED  $2: $count times '$3' in"; cat "$4"; failed=1; fi
}
ends() { if ((code == $1)); then echo "ok      exit $1"; else echo "FAILED  ends with $code, not $1"; cat said; failed=1; fi; }

# run NAME SCRIPT [--set ...]: runs the toy with this Lua reward only; `said` receives the output.
run() {
  local name=$1 script=$2
  shift 2
  sed -e '/^\[\[rewards\]\]/,/^$/d' -e "s/^name .*/name = \"$name\"/" "$source_dir/tests/reliability/toy.toml" >"$name.toml"
  printf '\n[[rewards]]\nplugin = "lua"\nlabel = "mine"\nscript = """%s"""\n' "$script" >>"$name.toml"
  "$compeer" run "$name.toml" -q "$@" >said 2>&1
  code=$?
}

run nan 'return function() return 0/0 end' --ranks 2
ends 5
holds "a NaN has its place" "run nan, rank 0 on $(hostname), step 1, record " said
holds "and its part" ", in score(): returned NaN in column 'score' of completion 0 (the first is 0)" said
times 1 "the plugin is named once" "rewards/lua" said

run nothing 'return function() return nil end'
ends 5
holds "a nil has its line" "the function returned nil for 'score'" said

run wrong 'return function(c) return c.txt .. "" end'
ends 5
holds "a mistake has its record" "run wrong, rank 0 on $(hostname), step 1, record esc_world/" said
holds "and its completion" "scoring completion 0 (the first is 0)" said

run abstains 'return { abstains = true, score = function() return nil end }' --ranks 2
ends 0
holds "the user hears of it" "the last 4 steps gave no training signal: no reward scored any completion" said
times 1 "the log has it once" "gave no training signal" results/abstains/log.txt
"$compeer" log show results/abstains >events 2>&1
holds "so have the events" "gave no training signal" events
"$compeer" report results/abstains -o page.html >said 2>&1
holds "so has the report" "gave no training signal" page.html

run early 'return { abstains = true, score = function() return nil end }' --set grpo.steps=50 --set validation.every=1 \
  --set validation.prompts=2 --set validation.patience=2
ends 0
holds "validation ends the run" "ended after step 2 of 50: validation/reward was NaN in every validation" results/early/log.txt
times 1 "a run that ends early is warned of, too" "the last 2 steps gave no training signal: no reward" results/early/log.txt

run equal 'return function() return 0.1 end' --set grpo.steps=11 --set reweighting.plugin=none --set grpo.beta=0
ends 0
times 1 "equal rewards are told once" "gave no training signal: within every group all rewards were equal" results/equal/log.txt
holds "and what they are" "(of every completion 'mine' was 0.1)" results/equal/log.txt

run alike 'return { group = function(all) local list = {} for i = 1, #all do list[i] = i end return list end }' --ranks 2 \
  --set sampling.max_new_tokens=40 --set reweighting.on=completion
ends 0
times 0 "a run that learns says nothing" "gave no training signal" results/alike/log.txt
times 1 "the remark about tau comes once" "note: tau =" results/alike/log.txt

# A policy is used as a judge: none of its answers can be parsed.
judged='return { parts = { "score" }, score = function(c) return #c.text end }'
run policy "$judged" --set grpo.steps=1
ends 0
judge=results/policy/checkpoints/last
sed -e '/^\[\[rewards\]\]/,/^$/d' -e 's/^name .*/name = "unread"/' "$source_dir/tests/reliability/toy.toml" >unread.toml
printf '\n[[rewards]]\nplugin = "orm"\nmodel = "%s"\n' "$judge" >>unread.toml
for ranks in 1 2; do
  "$compeer" run unread.toml -q --ranks $ranks --set "name=unread$ranks" --set grpo.steps=30 >said 2>&1
  code=$?
  ends 4
  holds "the user is warned" "warning: unread$ranks: reward 'orm' could not parse 100.0 % of the answers in step 1; the run stops if it is more than 10 % in 10 steps (rewards[0].max_unreadable)" said
  holds "and told why the run ends" "reward 'orm': could not parse 100.0 % of the answers in steps 1 to 2; 'rewards[0].max_unreadable' allows 10 %" said
  holds "and what to check" "help: check that the reward calls the right model, with the prompt format that the model was trained on; log.txt contains such an answer, compeer log group RUN --step 2" said
  times 1 "the log has the warning" "could not parse 100.0 % of the answers in step 1;" "results/unread$ranks/log.txt"
  times 1 "and one such answer" "rewards/orm: note: an answer that could not be read: '" "results/unread$ranks/log.txt"
  times 1 "and that no form is known" "rewards/orm: note: no form.json in $judge" "results/unread$ranks/log.txt"
  "$compeer" report "results/unread$ranks" -o page.html >said 2>&1
  holds "the report has the warning" "could not parse 100.0 % of the answers in step 1;" page.html
  "$compeer" log group "results/unread$ranks" --step 2 --prompt 0 >said 2>&1
  holds "the last step is kept" "orm" said
done
"$compeer" run unread.toml -q --set name=allowed --set grpo.steps=3 --set rewards.0.max_unreadable=1 >said 2>&1
code=$?
ends 0
times 0 "what is allowed brings no warning" "could not parse" results/allowed/log.txt
sed -e 's/^task .*/task = "evaluate"/' -e '/^\[grpo\]/,/^$/d' -e '/^\[checkpoint\]/,/^$/d' unread.toml >evaluated.toml
printf '\n[evaluate]\nprompts = 16\nbatch = 4\n' >>evaluated.toml
"$compeer" run evaluated.toml -q --set name=evaluated >said 2>&1
code=$?
ends 4
holds "an evaluation ends, too" "reward 'orm': could not parse 100.0 % of the answers in step 1" said

exit $failed
