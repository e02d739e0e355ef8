#!/usr/bin/env bash
# Plugins of each kind built since its interface got its version must still work: abidiff (package abigail-tools)
# compares the SDK of that commit with the current one. The same for what the host offers to plugins.
# usage: abi_test.sh SOURCE_DIR CXX [COMPILER OPTION...]
set -euo pipefail
source_dir=$1 compiler=("${@:2}")
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
header=runner/sdk/compeer/plugin.h
work=$(mktemp -d -t compeer-abi.XXXXXX)
trap 'rm -rf "$work"' EXIT

skip() { echo "skipped: $1"; exit 77; }
command -v abidiff >/dev/null || skip "abidiff is not installed (package abigail-tools)"
git -C "$source_dir" log -n 1 --format=%H -- "$header" >/dev/null 2>&1 || skip "$source_dir has no history"

# need_object NAME SDK_FOLDER: compiles $work/NAME.o, unless it exists.
need_object() {
  [[ -f $work/$1.o ]] || "${compiler[@]}" -I"$2" -std=c++20 -g -femit-class-debug-always -fPIC -fvisibility=hidden \
    -c "$here/libraries/every_interface.cpp" -o "$work/$1.o"
}

# library NAME KIND: links $work/NAME-KIND.so, which exports only that kind's function, for abidiff.
library() {
  echo "{ global: $2; local: *; };" >"$work/exports"
  "${compiler[@]}" -shared "$work/$1.o" -o "$work/$1-$2.so" -Wl,--unresolved-symbols=ignore-all,--version-script="$work/exports"
}

# need_sdk COMMIT: extracts that commit's SDK to $work/COMMIT.
need_sdk() {
  [[ -d $work/$1 ]] || { mkdir "$work/$1" && git -C "$source_dir" archive "$1" runner/sdk | tar -x -C "$work/$1"; }
}

failures=0
for kind in datasets models rewards reweighting similarity chat stages host; do
  number="^#define COMPEER_INTERFACE_$kind [0-9]"
  commit=$(git -C "$source_dir" log -n 1 --format=%H -G"$number" -- "$header")
  [[ -n $commit ]] || { echo "$kind: the history does not say when it got its number"; continue; }
  need_sdk "$commit"
  if [[ $(grep "$number" "$work/$commit/$header") != "$(grep "$number" "$source_dir/$header")" ]]; then
    echo "$kind: has a new number"
    continue
  fi
  need_object "$commit" "$work/$commit/runner/sdk"
  need_object now "$source_dir/runner/sdk"
  library "$commit" "$kind"
  library now "$kind"
  if abidiff "$work/$commit-$kind.so" "$work/now-$kind.so"; then
    echo "$kind: as it was at $commit"
  else
    echo "FAILED  $kind: has changed since $commit; raise COMPEER_INTERFACE_$kind in $header" \
      "$([[ $kind != host ]] || echo "(and those of all kinds, unless functions were only added at the end)")"
    failures=$((failures + 1))
  fi
done
exit $((failures > 0))
