#!/usr/bin/env bash
# Rewards that say nothing, as a user sees them: errors with step, record and completion, warnings in log, events and report.
#   usage: silent_rewards_test.sh SOURCE_DIR BUILD_DIR
set -uo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-silent.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export COMPEER_HOME=$source_dir OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
compeer=$build/bin/compeer

failed=0
# holds WHAT TEXT FILE: the file has a line with that text.
holds() {
  if grep -qF -- "$2" "$3"; then echo "ok      $1"; else echo "FAILED  $1: no '$2' in"; cat "$3"; failed=1; fi
}
# times COUNT WHAT TEXT FILE
times() {
  local count
  count=$(grep -cF -- "$3" "$4")
  if ((count == $1)); then echo "ok      $2"; else echo "FAILED  $2: $count times '$3' in"; cat "$4"; failed=1; fi
}
ends() { if ((code == $1)); then echo "ok      exit $1"; else echo "FAILED  ends with $code, not $1"; cat said; failed=1; fi; }

# run NAME SCRIPT [--set ...]: the toy with that Lua reward alone; what the user sees goes into `said`.
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
holds "the user hears of it" "the last 4 steps taught nothing: no reward had an opinion of any completion" said
times 1 "the log has it once" "taught nothing" results/abstains/log.txt
"$compeer" log show results/abstains >events 2>&1
holds "so have the events" "taught nothing" events
"$compeer" report results/abstains -o page.html >said 2>&1
holds "so has the report" "taught nothing" page.html

run equal 'return function() return 0.1 end' --set grpo.steps=11 --set reweighting.plugin=none --set grpo.beta=0
ends 0
times 1 "equal rewards are told once" "taught nothing: within every group all rewards were equal" results/equal/log.txt
holds "and what they are" "(of every completion 'mine' was 0.1)" results/equal/log.txt

run alike 'return { group = function(all) local list = {} for i = 1, #all do list[i] = i end return list end }' --ranks 2 \
  --set sampling.max_new_tokens=40 --set reweighting.on=completion
ends 0
times 0 "a run that learns says nothing" "taught nothing" results/alike/log.txt
times 1 "the remark about tau comes once" "note: tau =" results/alike/log.txt

exit $failed
