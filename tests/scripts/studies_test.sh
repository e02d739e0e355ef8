#!/usr/bin/env bash
# The studies: all of them can be planned; those that share their policies run to the end in their smallest form, which
# learns nothing, and what has run is not repeated.   usage: studies_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source_dir=$1 build=$2
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
  lines=$(wc -l <"$script")
  ((lines <= 60)) || fail "$(basename "$script") has $lines lines"
  "$build/bin/compeer" run "$script" --quick --dry-run >/dev/null 2>planned.log || { cat planned.log; fail "$script can't be planned"; }
done

# Twelve seeds have intervals, and a difference is marked only where it is one.
mkdir -p rows/lib
cp "$source_dir/scripts/lib/rows.lua" rows/lib/
cat >rows/rows.lua <<'LUA'
local rows = require("lib.rows")()
for seed = 1, 12 do
  rows.add("base", { x = seed % 3, y = seed % 3 })
  rows.add("other", { x = seed % 3 + (seed % 2) - 0.4, y = seed % 3 + 1 + 0.01 * (seed % 2) })
end
rows.show({ { "x", "x", better = 1 }, { "y", "y", better = 1 } }, "base")
LUA
"$build/bin/compeer" run rows/rows.lua >rows.txt
grep -q "^base .* 1.000  *±0.542[ +]* 1.000  *±0.542" rows.txt || { cat rows.txt; fail "twelve seeds have no intervals"; }
grep -q "^other .* 0.100  *±0.332  *1.005  *±0.003!!$" rows.txt || { cat rows.txt; fail "differences of twelve seeds are marked wrongly"; }
grep -q "for all 2 differences" rows.txt || fail "nobody says how many differences were tested"

quick table2
for policy in base writers SFT POR "POR equal compute" UR URP "URP signed"; do
  grep -q "^$policy  *[0-9]*[.][0-9]* " table2.txt || fail "table2 has no row $policy"
done
grep -q "^a single seed has no intervals" table2.txt || fail "table2 does not say that one seed has no intervals"
! grep -q "±\|!" table2.txt || fail "table2 shows an interval of one seed"
[[ -s results/quick/table2.html ]] || fail "table2 left no report"
for summary in results/quick/*/summary.json; do # rows of training are no independent values
  ! grep -q '"task": "\(sft\|grpo\)"' "$summary" || ! grep -q '"low": [-0-9]' "$summary" || fail "$summary has intervals over rows of training"
done
cp table2.txt before.txt
quick table2
cmp before.txt table2.txt || fail "table2 says something else the second time"
! grep -q starts table2.log || fail "table2 repeats what has run"
quick fig6_pairwise
grep -q "^URP against SFT" fig6_pairwise.txt || fail "fig6_pairwise compares nothing"
quick table3
grep -q "^URP signed" table3.txt || fail "table3 has no row URP signed"
quick ablate_redundancy
grep -q "^best replies, against UR: " ablate_redundancy.txt || fail "ablate_redundancy recommends nothing"
grep -q "^SAGE:" ablate_redundancy.txt || fail "ablate_redundancy says nothing of SAGE"
quick reward_information_density
quick por_with_consistency_filter # of what it plays some figures are unknown
for page in ablate_redundancy reward_information_density; do
  grep -q "<h2[^>]*>Frontiers" "results/quick/$page.html" || fail "$page shows no frontier"
done
