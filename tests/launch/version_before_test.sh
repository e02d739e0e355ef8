#!/usr/bin/env bash
# A run that the version before wrote, with the former names of settings, and its TOML file.
# usage: version_before_test.sh SOURCE_DIR BUILD_DIR
set -uo pipefail
source_dir=$1 build=$2
work=$(mktemp -d -t compeer-version-before.XXXXXX)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export COMPEER_HOME=$source_dir OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
compeer=$build/bin/compeer

failed=0
fault() { echo "FAILED  $1"; shift; (($#)) && cat "$@"; failed=1; }
holds() { if grep -qF -- "$2" "$3"; then echo "ok      $1"; else fault "$1: no '$2' in" "$3"; fi; }
lacks() { if grep -qE -- "$2" "$3"; then fault "$1: '$2' in" "$3"; else echo "ok      $1"; fi; }
call() { "$compeer" "$@" >said 2>&1 || fault "compeer $*" said; }

ln -s "$source_dir/plugins" plugins # the tokenizer has the same path as in the run
mkdir results
tar xzf "$source_dir/tests/golden/version_before/run.tar.gz" -C results
run=results/of-version-before
before='together|cut_off|most|echo|slip|[a-z_]+_(most|least)'
now='groups_per_reduction|truncated_factor|max_tokens|ignore_user_words|min_token_probability|[a-z_]+_(min|max)'

# The run is read with the present names.
call log verify "$run"
holds "spec.json is intact" "good  spec.json" said
holds "and so is run.h5, which has its own copy" "good  run.h5" said
call log show "$run"
holds "its rows are shown" "1 rows" said
call report "$run" -o page.html
holds "the report has present names" "groups_per_reduction" page.html
lacks "and finds no problem" "another spec|SHA-256 mismatch" page.html
call resolve "$run" --toml
for line in 'groups_per_reduction = 2' 'truncated_factor = 0.5' 'max_tokens = 8' 'ignore_user_words = true' \
  'min_token_probability = 0.0025'; do holds "the spec" "$line" said; done
lacks "no former name" "^($before) = " said
grep -q '"together": 2' "$run/spec.json" || fault "reading has changed the file"

# The TOML file with former names, and one with present names, give the spec of the run.
cp "$source_dir/tests/golden/version_before/run.toml" former.toml
sed -e 's/^together /groups_per_reduction /; s/^cut_off /truncated_factor /; s/^most /max_tokens /' \
  -e 's/^echo *= "left_out"/ignore_user_words = true/; s/^slip /min_token_probability /' former.toml >present.toml
for name in former present; do
  call resolve $name.toml --diff "$run"
  lacks "$name.toml differs from the run in no renamed setting" "^(grpo|rewards|reweighting)[^:]*\.($now|$before):" said
done
lacks "no note about present names" "is now called" said

# Notes, once each.
"$compeer" resolve former.toml --set grpo.cispo_most=4 >/dev/null 2>notes || fault "resolve" notes
cat >wanted <<'END'
compeer: note: --set: 'grpo.cispo_most' is now called 'grpo.cispo_max'
compeer: note: former.toml:43: 'grpo.together' is now called 'grpo.groups_per_reduction'
compeer: note: former.toml:34: 'reweighting.echo' is now called 'reweighting.ignore_user_words'
compeer: note: former.toml:35: 'reweighting.slip' is now called 'reweighting.min_token_probability'
compeer: note: former.toml:25: 'rewards[1].cut_off' is now called 'rewards[1].truncated_factor'
compeer: note: former.toml:29: 'rewards[2].most' is now called 'rewards[2].max_tokens'
END
cmp <(sort notes) <(sort wanted) || fault "the notes of resolve" notes
grep -v cispo wanted | sort >of_file
cat >script.lua <<'END'
local compeer = require "compeer"
local base = compeer.load "former.toml"
for _, name in ipairs { "a", "b" } do
  base:with { name = name,
    grpo = { advantage_most = 2 } }:launch()
end
END
"$compeer" run former.toml --dry-run >/dev/null 2>notes || fault "run --dry-run" notes
cmp <(grep "is now called" notes | sort) of_file || fault "the notes of run" notes
"$compeer" submit former.toml --dry-run >/dev/null 2>notes || fault "submit --dry-run" notes
cmp <(grep "is now called" notes | sort) of_file || fault "the notes of submit" notes
echo "compeer: note: script.lua:5: 'grpo.advantage_most' is now called 'grpo.advantage_max'" | sort - of_file >of_script
for command in run submit; do
  "$compeer" $command script.lua --dry-run >/dev/null 2>notes || fault "$command script.lua --dry-run" notes
  cmp <(grep "is now called" notes | sort) of_script || fault "the notes of $command script.lua" notes
done

exit $failed
