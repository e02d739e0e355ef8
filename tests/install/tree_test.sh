#!/usr/bin/env bash
# Installs the build and moves the result to TREE.   usage: tree_test.sh BUILD_DIR TREE
# shellcheck source=tests/install/claims.sh
source "$(dirname "${BASH_SOURCE[0]}")/claims.sh"
build=$1 tree=$2
rm -rf "$tree" "$tree.first"
quietly install cmake --install "$build" --prefix "$tree.first"
mv -T "$tree.first" "$tree"

for file in bin/compeer bin/compeer-worker bin/compeer-tools include/compeer/reward.h lib/cmake/compeer/compeerConfig.cmake \
    lib/compeer/plugins/rewards/length.so lib/compeer/plugins/stages/prompts/en/filter.txt \
    lib/compeer/plugins/rewards/prompts/en/judge_context.txt lib/compeer/plugins/chat/prompts/esc_world/en/filter.txt \
    share/compeer/experiments/smoke_grpo.toml share/compeer/scripts/lib/method.lua share/doc/compeer/LICENSE; do
  [[ -f $tree/$file ]] || fail "$file is not installed"
done
while IFS=: read -r page link; do
  target=${link#](} target=${target%%#*}
  [[ $target == http* || -z $target || -e $(dirname "$page")/$target ]] || fail "$page links to $target, which is not installed"
done < <(grep -roE '\]\([^)]*' --include='*.md' "$tree/share/doc" | sed 's/)$//')
others=$(find "$tree/bin" "$tree/lib/compeer/plugins" "$tree/lib/cmake" -name '*test*' -o -name '*fuzz*' -o -name '*.a' -o -name esc_world_texts)
[[ -z $others ]] || fail "what is not for users is installed: $others"
find "$tree" \( -name '*.cmake' -o -name '*.toml' -o -name '*.lua' \) -exec grep -l "$build\|$tree.first" {} + >named || true
[[ ! -s named ]] || fail "these name the build or the folder they were installed to: $(<named)"
