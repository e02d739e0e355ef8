#!/usr/bin/env bash
# The whole wrapper, on a checkout with a few lines of CMake that need no compiler.
# shellcheck source=tests/wrapper/claims.sh disable=SC2154
source "$(dirname "${BASH_SOURCE[0]}")/claims.sh" || exit 1

checkout=$work/checkout
mkdir -p "$checkout/cmake" "$work/torch/lib" "$work/torch/include/ATen"
cp "$root/compeer" "$checkout"
cp -r "$root/cmake/wrapper" "$root/cmake/debian-packages.txt" "$root/cmake/libtorch.lock" "$checkout/cmake"
touch "$work/torch/lib/libtorch_cpu.so" "$work/torch/include/ATen/ATen.h"
export COMPEER_PACKAGES=skip COMPEER_TORCH_ROOT=$work/torch CMAKE_GENERATOR=Ninja
cat >"$checkout/CMakeLists.txt" <<'L'
cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES NONE)
find_file(CompeerTorch_LIBRARY libtorch_cpu.so PATHS "${COMPEER_TORCH_ROOT}/lib" NO_DEFAULT_PATH)
add_custom_command(OUTPUT bin/compeer DEPENDS "${CMAKE_SOURCE_DIR}/program"
  COMMAND bash -n "${CMAKE_SOURCE_DIR}/program" COMMAND ${CMAKE_COMMAND} -E copy "${CMAKE_SOURCE_DIR}/program" bin/compeer)
add_custom_command(OUTPUT tests-built COMMAND ${CMAKE_COMMAND} -E touch tests-built)
add_custom_target(compeer-programs DEPENDS bin/compeer)
add_custom_target(everything ALL DEPENDS bin/compeer tests-built)
enable_testing()
add_test(NAME it COMMAND ${CMAKE_COMMAND} -E compare_files "${CMAKE_SOURCE_DIR}/program" "${CMAKE_SOURCE_DIR}/good")
L
program() {
  printf '#!/usr/bin/env bash\n%s\n' "$1" >"$checkout/program"
  chmod +x "$checkout/program"
}

# run COMMAND...: runs it and sets code, out and err.
run() {
  code=0
  "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
  out=$(<"$work/out") err=$(<"$work/err")
}

program 'printf "<%s>" "$@"; exit 7'
cp -p "$checkout/program" "$checkout/good"
run "$checkout/compeer" run "a b" '' '*'
claim "the first call builds" contains "$err" "compeer: configuring in $checkout/build"
claim "arguments arrive as they were given" equal "$out" '<run><a b><><*>'
claim "the program's exit code is the wrapper's" equal "$code" 7
claim "tests are not built for a command" test ! -e "$checkout/build/tests-built"

run "$checkout/compeer" again
claim "a second call says nothing of its own" equal "$err$out" "<again>"

ln -s "$checkout/compeer" "$work/bin/compeer"
cd / || exit 1
run "$work/bin/compeer" here
claim "it works through a link from any folder" equal "$err$out" "<here>"

program 'echo changed'
run "$checkout/compeer"
claim "a changed source is built again" equal "$out" changed

program 'if then'
run "$checkout/compeer"
claim "a build that fails ends the wrapper" equal "$code" 1
claim "the compiler's words are shown" contains "$err" "syntax error near unexpected token"
claim "and where all of them are" contains "$err" "the build failed (full output: $checkout/build/compeer-build.log)"
claim "the program is not run" equal "$out" ""

cp "$checkout/good" "$checkout/program"
run "$checkout/compeer" test
claim "test builds all" test -e "$checkout/build/tests-built"
claim "test ends well if all tests pass" equal "$code" 0
claim "and ctest has the last word" contains "$(tail -n 1 "$work/out")" "Total Test time"
echo "# another" >>"$checkout/good"
run "$checkout/compeer" test
claim "test ends with ctest's exit code" equal "$code" 8
run "$checkout/compeer" test -N
claim "ctest's options are passed on" contains "$out" "Total Tests: 1"

rm "$checkout/build/build.ninja"
run "$checkout/compeer" x
claim "a configuration that was cut off is made again" equal "$out" '<x>'
cp -r "$work/torch" "$work/torch2"
COMPEER_TORCH_ROOT=$work/torch2 run "$checkout/compeer" x
claim "another libtorch is configured anew" contains "$err" "configuring in"
mv "$checkout" "$work/moved"
run "$work/moved/compeer" x
claim "a checkout that was moved is configured anew" contains "$err" "configuring in $work/moved/build"
claim "and runs" equal "$out" '<x>'
mv "$work/moved" "$checkout"

mkdir -p "$work/other"
mkfifo "$work/words"
exec {first}>"$work/other/.compeer-lock" {heard}<>"$work/words"
flock "$first"
(
  exec {first}>&- {heard}>&-
  COMPEER_BUILD_DIR=$work/other exec "$checkout/compeer" late >"$work/late" 2>"$work/words"
) &
read -r -t 60 line <&"$heard"
claim "the second of two builds says that it waits" \
  equal "$line" "compeer: another compeer is building in $work/other; waiting for it"
exec {first}>&-
wait
claim "and builds when the first has ended" equal "$(<"$work/late")" '<late>'

echo 'message(FATAL_ERROR "no such library")' >>"$checkout/CMakeLists.txt"
rm "$checkout/build/CMakeCache.txt"
run "$checkout/compeer" x
claim "a configuration that fails shows CMake's error" contains "$err" "no such library"
claim "and ends the wrapper" equal "$code" 1
sed -i '$d' "$checkout/CMakeLists.txt"

ask "printf '[1/3] one\\n' | follow_ninja '$work/log' ' the rest of Compeer, once'"
claim "a second, longer build says that it happens once" contains "$err" "compeer: building the rest of Compeer, once: 1 of 3"

# --- a checkout that belongs to another user
other_user=()
if [[ $(id -u) == 0 ]]; then other_user=(setpriv --reuid 65534 --regid 65534 --clear-groups); fi
run "$checkout/compeer" x
chmod 755 "$work"
chmod -R a+rX,u-w "$checkout"
run "${other_user[@]}" "$checkout/compeer" x
claim "a build somebody else keeps is used as it is" equal "$err$out" '<x>'
chmod -R u+w "$checkout"
touch -d '+1 minute' "$checkout/program"
chmod -R u-w "$checkout"
run "${other_user[@]}" "$checkout/compeer" x
claim "unless it is out of date, and then the remedy is named" contains "$err" "help: set COMPEER_BUILD_DIR"
COMPEER_BUILD_DIR=$checkout/new run "${other_user[@]}" "$checkout/compeer" x
claim "a folder that can't be made is named with its remedy" contains "$err" "help: set COMPEER_BUILD_DIR to a writable folder: it names a folder that can't be created"
chmod -R u+w "$checkout"
rm -r "$checkout/build"
chmod u-w "$checkout"
run "${other_user[@]}" "$checkout/compeer" x
claim "the checkout is named if COMPEER_BUILD_DIR is not set" contains "$err" "help: set COMPEER_BUILD_DIR to a writable folder: this checkout is read-only for you"
chmod -R u+w "$checkout"

finish
