#!/usr/bin/env bash
# A moved installation works from any folder and uses only its own files.   usage: moved_test.sh SOURCE_DIR TREE
# shellcheck source=tests/install/claims.sh
source "$(dirname "${BASH_SOURCE[0]}")/claims.sh"
source_dir=$1 tree=$2
compeer=$tree/bin/compeer

# The dynamic loader finds all libraries, and none of them in the build folder.
for file in "$compeer" "$tree"/bin/compeer-{worker,tools} "$tree"/lib/compeer/plugins/*/*.so; do
  LD_TRACE_LOADED_OBJECTS=1 /lib64/ld-linux-x86-64.so.2 "$file" >loaded
  ! grep "not found" loaded || fail "$file lacks libraries"
  if [[ -d $tree/lib/compeer/libtorch ]]; then
    ! grep "libtorch_cpu\|libc10\|libcudart" loaded | grep -v "$tree/" || fail "$file takes libtorch from elsewhere"
  fi
done

# A run of an experiment by the name that the documentation uses; its spec contains no path of the source tree.
quietly run "$compeer" run experiments/smoke_grpo.toml --set grpo.steps=2
[[ -f results/smoke-grpo/summary.json ]] || fail "the run left nothing here"
! grep -o "\"$source_dir/[^\"]*" results/smoke-grpo/spec.json | grep -v "\"$tree/" || fail "the run names the source tree"
grep -q "$tree/share/compeer/plugins/datasets/esc_world/tokenizer" results/smoke-grpo/spec.json || fail "no tokenizer of its own"
quietly script "$compeer" run scripts/quickstart.lua --quick --dry-run
quietly data "$compeer" run scripts/build_cer.lua --quick
quietly doctor "$compeer" doctor --json

"$compeer" plugins list --json >plugins.json
! grep '"problem"' plugins.json || fail "some plugins can't be used"
! grep '"path": "' plugins.json | grep -v "$tree/lib/compeer/plugins/" || fail "plugins come from elsewhere"
