#!/usr/bin/env bash
# shellcheck source=tests/wrapper/claims.sh disable=SC2154,SC2016,SC2034
source "$(dirname "${BASH_SOURCE[0]}")/claims.sh" || exit 1
PATH=$work/bin:$PATH
export calls=$work/calls list=$work/list.txt broken=$work/broken
cat >"$list" <<'L'
# comment

alpha
beta     # why
  gamma  # indented
L

fake dpkg-query 'cd "$(dirname "$0")/.."; if [[ $* == *Eflag* ]]; then cat flags; else cat installed; exit 1; fi 2>/dev/null'
fake dpkg 'echo "dpkg $*" >>"$calls"'
fake apt-get 'echo "$DEBIAN_FRONTEND apt-get $*" >>"$calls"; [[ ! -e $broken ]] || { echo "E: no route"; exit 100; }'
fake sudo 'exit 1'
fake id '[[ $1 == -un ]] && exit 1; echo 1000'

ask 'listed_packages "$list"'
claim "a list is read without its comments" equal "$out" $'alpha\nbeta\ngamma'

ask 'listed_packages "$root/cmake/debian-packages.txt"'
claim "the project's list has no doubles" equal "$(sort -u <<<"$out" | wc -l)" "$(wc -l <<<"$out")"
claim "the project's list has names that Debian allows" equal "$(grep -cvE '^[a-z0-9][a-z0-9+.-]+$' <<<"$out")" 0

printf 'ok alpha\nok beta\n' >"$work/flags"
printf 'alpha installed\nbeta half-configured\n' >"$work/installed"
ask 'missing_packages "$list"'
claim "a package half installed is missing, as is one unheard of" equal "$out" $'beta\ngamma'

ask 'need_packages "$list"'
claim "an ordinary user is stopped" equal "$code" 1
claim "what is missing is named" contains "$err" "compeer: missing Debian packages: beta gamma"
claim "the one command is named" contains "$err" "help: run as root: apt-get install -y --no-install-recommends beta gamma"
claim "nothing was tried" test ! -e "$calls"

COMPEER_PACKAGES=skip ask 'need_packages "$list"'
claim "packages may come from elsewhere" silent

fake id 'echo 0'
ask 'need_packages "$list"'
claim "root gets them installed" equal "$code" 0
claim "an interrupted installation is ended first, then lists are read, then packages installed" equal "$(<"$calls")" \
  "dpkg --configure -a
noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 update
noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 --fix-broken --no-install-recommends install beta gamma"

rm "$calls"
printf 'ok alpha\nreinstreq delta\nreinstreq epsilon\n' >"$work/flags"
ask 'need_packages "$list"'
claim "what a kill left half unpacked is unpacked again" contains "$(<"$calls")" \
  "--reinstall install delta epsilon"
claim "before the rest" equal "$(tail -n 1 "$calls")" \
  "noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 --fix-broken --no-install-recommends install beta gamma"

touch "$broken"
ask 'need_packages "$list"'
claim "an apt-get that fails ends the wrapper" equal "$code" 1
claim "apt-get's own words are shown" contains "$err" "E: no route"
claim "with a remedy" contains "$err" "help: check the network and /etc/apt/sources.list"

rm "$calls"
printf '%s installed\n' alpha beta gamma >"$work/installed"
ask 'need_packages "$list"'
claim "a complete machine is left alone" silent
claim "not even apt-get's lists are read" test ! -e "$calls"

rm "$work/bin/dpkg-query"
mkdir "$work/elsewhere"
for tool in bash cat dirname; do ln -s "$(command -v $tool)" "$work/elsewhere/"; done
PATH=$work/elsewhere ask 'need_packages "$list"'
claim "without dpkg the list is named and the wrapper goes on" contains "$err" "not a Debian system"
claim "and ends well" equal "$code" 0

finish
