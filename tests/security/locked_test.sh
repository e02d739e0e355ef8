#!/usr/bin/env bash
# Only plugins on the allow list are loaded, and only from the configured folders.
#   usage: locked_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
# shellcheck source=tests/security/claims.sh
source "$(dirname "${BASH_SOURCE[0]}")/claims.sh"

# A reward plugin that writes a file as soon as it is loaded, before any of its functions is called.
mkdir -p evil/rewards
{
  echo '#include <fcntl.h>'
  echo '__attribute__((constructor)) static void loaded(void) { open("LOADED", O_CREAT | O_WRONLY, 0600); }'
  echo '__attribute__((section(".compeer"), used)) static const char descriptor[] ='
  objcopy -O binary --only-section=.compeer "$build_dir/plugins/rewards/length.so" descriptor
  tr -d '\0' <descriptor | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$/\\n"/'
  echo ';'
} >evil.c
gcc -shared -fPIC -o evil/rewards/length.so evil.c

nothing_loaded() { [[ ! -e LOADED ]] || fail "$1: the plugin's code ran"; }

sed 's/plugin = "format"/plugin = "length"\ntarget = 20/; s/^name .*/name = "x"/' "$smoke" >x.toml

exits 0 "$compeer" plugins lock
says "compeer.lock: "
grep -q '^[0-9a-f]\{64\}  rewards/length  ' compeer.lock || fail "the list has no line for rewards/length"
exits 0 "$compeer" plugins lock --for x.toml --output few.lock
[[ $(grep -c '^[0-9a-f]' few.lock) -lt $(grep -c '^[0-9a-f]' compeer.lock) ]] || fail "--for names all plugins"

exits 0 "$compeer" resolve x.toml --locked
exits 0 "$compeer" resolve x.toml --locked=few.lock
exits 5 "$compeer" resolve "$smoke" --locked=few.lock
says "is not in the list of allowed plugins $work/few.lock: its SHA-256 is "

# Every command that would load it, with the list set by option and by environment variable.
hash=$(sha256sum evil/rewards/length.so | cut -c1-64)
for command in "resolve x.toml" "run x.toml" "run x.toml --dry-run" "submit x.toml --dry-run" \
  "plugins check evil/rewards/length.so --set target=20"; do
  # shellcheck disable=SC2086
  exits 5 "$compeer" $command --plugin-dir evil --locked
  says "plugin rewards/length is not in the list of allowed plugins $work/compeer.lock"
  says "its SHA-256 is $hash"
  # shellcheck disable=SC2086
  COMPEER_LOCKED=$work/compeer.lock exits 5 "$compeer" $command --plugin-dir evil
  says "evil/rewards/length.so: "
  nothing_loaded "$command"
done
exits 0 "$compeer" plugins list rewards --plugin-dir evil --locked
says "NOT ALLOWED: it is not in the list of allowed plugins"
exits 0 "$compeer" plugins inspect rewards/length --plugin-dir evil --locked
nothing_loaded "plugins list and inspect"

# A missing or damaged list allows no plugin; an option can't widen the list of the environment.
exits 5 "$compeer" resolve x.toml --locked=none.lock
COMPEER_LOCKED=none.lock exits 5 "$compeer" plugins list
echo "all of them" >bad.lock
exits 5 "$compeer" resolve x.toml --locked=bad.lock
says "$work/bad.lock:1: is not a line of a list of allowed plugins"
COMPEER_LOCKED=$work/few.lock exits 5 "$compeer" resolve "$smoke" --locked
says "$work/few.lock"

# A run folder from an untrusted source: its spec names a malicious library with the correct hash.
mkdir got
"$compeer" resolve x.toml --json | sed -e "s|$build_dir/plugins/rewards/length.so|$work/evil/rewards/length.so|" \
  -e "s|$(sha256sum "$build_dir/plugins/rewards/length.so" | cut -c1-64)|$hash|" >got/spec.json
grep -q "$work/evil" got/spec.json || fail "the spec was not forged"
exits 5 "$compeer" resume got
says "would load $work/evil/rewards/length.so, which is not in a folder of the plugin search path"
exits 5 "$compeer" resume got --plugin-dir evil --locked
COMPEER_LOCKED=$work/compeer.lock exits 5 "$build_dir/bin/compeer-worker" got
says "is not in the list of allowed plugins"
nothing_loaded "resume"

# The current folder is not searched, neither for plugins nor for the libraries that the program is linked with.
mkdir -p rewards plugins/rewards lib
cp evil/rewards/length.so rewards/
cp evil/rewards/length.so plugins/rewards/
exits 0 "$compeer" plugins inspect -v rewards/length
says "$build_dir/plugins/rewards/length.so"
for file in "$build_dir/bin/compeer" "$build_dir/bin/compeer-worker" "$build_dir"/plugins/*/*.so; do
  for library in $(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do : >"$library"; done
  paths=$(readelf -d "$file" | sed -n 's/.*(\(RUNPATH\|RPATH\)).*\[\(.*\)\]/\2/p')
  if grep -qE '(^|:)([^/$]|:|$)' <<<"${paths:-/}"; then fail "$file looks for libraries in the current folder: $paths"; fi
done
exits 0 "$compeer" --version
exits 0 "$build_dir/bin/compeer-worker" --version
nothing_loaded "plugins of the current folder"
