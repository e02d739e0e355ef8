#!/usr/bin/env bash
# The studies: all can be planned; Tables 2 and 3 run to the end in their smallest form, which is too short to learn
# anything, and finished runs are not repeated. With `all` the other studies run, too.
#   usage: studies_test.sh SOURCE_DIR BUILD_DIR [all]
set -euo pipefail
source_dir=$(realpath "$1") build=$(realpath "$2") which=${3:-}
work=$(mktemp -d -t compeer-studies.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 COMPEER_HOME=$source_dir

fail() { echo "FAILED  $1"; exit 1; }
quick() {
  local code=0
  "$build/bin/compeer" run "$source_dir/scripts/$1.lua" --quick --ranks 1 >"$1.txt" 2>"$1.log" || code=$?
  ((code == 0)) || { cat "$1.log"; fail "$1 ended with $code"; }
}

for script in "$source_dir"/scripts/*.lua; do
  ! grep -n "stages/\|checkpoints/\|%02d\|%s" "$script" || fail "$(basename "$script") makes paths or names by formatting"
  case $script in */smollm2*.lua | */real_*.lua | */chinese.lua | */table[23].lua) continue ;; esac # tested elsewhere
  "$build/bin/compeer" run "$script" --quick --dry-run >/dev/null 2>planned.log || { cat planned.log; fail "$script can't be planned"; }
done

[[ $(cat "$source_dir"/scripts/lib/*.lua | wc -l) -le 120 ]] || fail "scripts/lib has more than 120 lines"
! grep -rn '"results/' "$source_dir"/experiments "$source_dir"/scripts/*.lua "$source_dir"/scripts/lib || fail "an input is named by its path"

# Studies with stored figures for all seeds run nothing and print their tables.
mkdir kept && ln -s "$source_dir/docs" kept/docs
for study in table2 judged_or_true ablate_arithmetic quickstart_seeds; do
  (cd kept && "$build/bin/compeer" run "$source_dir/scripts/$study.lua" >"../$study.txt" 2>&1) || { cat $study.txt; fail "$study isn't kept"; }
  grep -q "±" $study.txt || fail "$study prints no intervals"
done
[[ ! -e kept/results ]] || fail "a kept study runs something"

quick table2
for policy in base writers SFT POR "POR equal compute" UR URP "URP as in the paper" "format only" "steps only" "perfect verdict"; do
  grep -q "^$policy  *[0-9]*[.][0-9]" table2.txt || fail "table2 has no row $policy"
done
grep -q "^a single seed has no intervals" table2.txt || fail "table2 does not say that one seed has no intervals"
! grep -q "±\|!" table2.txt || fail "table2 shows an interval of one seed"
[[ ! -e docs ]] || fail "table2 keeps figures of a quick run"
for summary in results/quick/*/summary.json; do # training rows are not independent samples
  ! grep -q '"task": "\(sft\|grpo\)"' "$summary" || ! grep -q '"low": [-0-9]' "$summary" || fail "$summary has intervals over rows of training"
done
known=$(sed -n 's/.*"quick": "\(.*\)".*/\1/p' "$source_dir/docs/lab/data/quickstart/weights.json")
[[ $(sha256sum <results/quick/esc-world-cer-sft/checkpoints/last/model.safetensors) == "$known  -" ]] ||
  fail "SFT gives other weights than when the quickstart's figures were measured: delete docs/lab/data/quickstart/seed-*.json,
  run scripts/quickstart_seeds.lua, mend what README.md and docs/lab/studies.md say of it, and write weights.json anew"
cp table2.txt before.txt
quick table2
cmp before.txt table2.txt || fail "table2 says something else the second time"
! grep -q starts table2.log || fail "table2 repeats what has run"
quick table3
grep -q "^URP as in the paper" table3.txt || fail "table3 has no row URP as in the paper"
[[ -s results/quick/table3.html ]] || fail "table3 left no report"
[[ $which == all ]] || exit 0

quick fig6_pairwise
grep -q "^SFT  *[0-9]" fig6_pairwise.txt || fail "fig6_pairwise compares nothing"
quick judged_or_true
grep -q "^UR, greedy  *[0-9]" judged_or_true.txt || fail "judged_or_true has no row UR, greedy"
quick ablate_redundancy
grep -q "^own history  " ablate_redundancy.txt || fail "ablate_redundancy compares no variants"
grep -q "^SAGE  *mean emotion" ablate_redundancy.txt || fail "ablate_redundancy says nothing of SAGE"
quick ablate_arithmetic
grep -q "^bfloat16  *[-0-9]" ablate_arithmetic.txt || fail "ablate_arithmetic has no row bfloat16"
quick reward_information_density
quick por_with_consistency_filter # in its played dialogues some figures are unknown
for page in ablate_redundancy reward_information_density; do
  grep -q "<h2[^>]*>Frontiers" "results/quick/$page.html" || fail "$page shows no frontier"
done

quick grpo_variants
gradient() { awk -v row="$1" '$1 == row { print $5; exit }' grpo_variants.txt; }
for variant in clip-higher dual-clip KL-in-the-reward off-policy-mask bounded-advantages GDPO; do
  [[ $(gradient $variant) != "$(gradient GRPO)" ]] || fail "the variant $variant learns as GRPO does"
done
for variant in unbiased-KL bounded-KL entropy-held; do # in two steps they change less than the printed digits
  [[ -n $(gradient $variant) ]] || fail "grpo_variants has no row $variant"
done
