#!/usr/bin/env bash
# A new plugin of one kind, from `plugins new` to a run, with nothing but an installed tree. Use the same WORK each time,
# so that a compiler cache recognizes the files.
#   usage: new_plugin_test.sh TREE WORK KIND [OPTION]
# shellcheck source=tests/install/claims.sh
source "$(dirname "${BASH_SOURCE[0]}")/claims.sh"
tree=$1 folder=$2 kind=$3
compeer=$tree/bin/compeer
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

"$compeer" plugins new "$kind" curious "${@:4}" >said
grep -q -- "-DCMAKE_PREFIX_PATH=$tree\$" said || fail "the prefix is not named"
cd curious
quietly configure cmake -B build -DCMAKE_PREFIX_PATH="$tree"
quietly build cmake --build build
! grep -i warning "$work/build.log" || fail "it is compiled with warnings"
quietly test ctest --test-dir build --output-on-failure --no-tests=error
quietly run "$compeer" run curious.lua --plugin-dir build/plugins
tail -n 20 "$work/run.log"

# lies FOLDER: checks that compeer finds the plugin in FOLDER.
lies() {
  "$compeer" plugins inspect "$kind/curious" >inspected || fail "it is not found in $1"
  grep -q "file    $1/$kind/curious.so" inspected || fail "it is not found in $1, but: $(<inspected)"
}
COMPEER_PLUGIN_PATH=$PWD/build/plugins lies "$PWD/build/plugins"
quietly install cmake --install build
lies "$HOME/.local/share/compeer/plugins"
