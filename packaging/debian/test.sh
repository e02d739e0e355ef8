#!/usr/bin/env bash
# Debian packages in a clean root: installed there with nothing but what they depend on, used by an ordinary user, removed.
#   packaging/debian/test.sh [--whole] [FOLDER]      FOLDER: of the packages, build/packages if none is named
# --whole runs the quickstart in full (ten minutes on two free cores) and not with --quick. Wants to be root, needs mmdebstrap
# and 4 GB in $TMPDIR; packages come from where apt of this machine gets them, for the Debian it has itself.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
sources=$(readlink -f "$here/../..")
whole=()
if [[ ${1:-} == --whole ]]; then whole=(--whole) && shift; fi
packages=$(readlink -f "${1:-$sources/build/packages}")

say() { printf '== %s\n' "$*"; }
fail() { printf 'FAILED  %s\n' "$*" >&2; exit 1; }

# The one package NAME in $packages.
package() {
  local found=("$packages/$1"_*.deb)
  [[ -f ${found[0]} && ${#found[@]} -eq 1 ]] || fail "$packages has not one package $1: ./compeer --version, then cpack in the build's folder"
  echo "${found[0]}"
}
[[ $(id -u) == 0 ]] || fail "only root can do this"
command -v mmdebstrap >/dev/null || fail "apt-get install mmdebstrap"
programs=$(package compeer) sdk=$(package compeer-dev)

# In a namespace of our own, so that what is mounted and started goes when we do.
if [[ -z ${COMPEER_PACKAGE_TEST:-} ]]; then
  work=$(mktemp -d -t compeer-debian.XXXXXX)
  code=0
  COMPEER_PACKAGE_TEST=$work unshare --mount --pid --fork --kill-child "$0" "${whole[@]}" "$packages" || code=$?
  rm -rf "$work"
  exit "$code"
fi
work=$COMPEER_PACKAGE_TEST root=$work/root

# clean_root: Debian's essential packages and apt, as this machine's apt would get them.
clean_root() {
  local codename
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  # shellcheck disable=SC2016
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' |
    sort -u >"$work/sources.list"
  apt-config dump Acquire | grep -v '^Acquire::Changelogs\|^Acquire::IndexTargets' >"$work/acquire"
  mmdebstrap --quiet --variant=minbase --aptopt="$work/acquire" "$codename" "$root" "$work/sources.list"
  mount --bind /dev "$root/dev"
  mount -t tmpfs tmpfs "$root/dev/shm"
  mount -t proc proc "$root/proc"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  in_root apt-get update --quiet=2
  in_root useradd --create-home --shell /bin/bash somebody
}

in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"; }
as_user() {
  chroot --userspec=somebody:somebody "$root" env -i PATH=/usr/bin:/bin HOME=/home/somebody LC_ALL=C.UTF-8 \
    bash -c 'cd "$HOME" && "$@"' bash "$@"
}

# What comes from Debian beside our packages is all that they ask for: nothing that is merely recommended.
install() {
  cp "$1" "$root/tmp/"
  in_root apt-get install --quiet=2 --yes --no-install-recommends "/tmp/$(basename "$1")" >"$work/apt.log" 2>&1 ||
    { cat "$work/apt.log"; fail "$1 can't be installed"; }
}

# Programs find libraries from where they lie themselves, and no file names a folder of the machine that built it.
moves_nothing_along() {
  local file
  while read -r file; do
    ! readelf --dynamic "$file" 2>/dev/null | grep -E 'R(UN)?PATH' | sed 's/.*\[//; s/\]$//' | tr ':' '\n' |
      grep -v '^\$ORIGIN\|^$\|^/$' || fail "$file searches there for libraries"
  done < <(find "$root/usr/bin" -name 'compeer*'; find "$root/usr/lib/compeer" -name '*.so*')
  ! in_root sh -c 'cat /var/lib/dpkg/info/compeer*.list' | grep -v '^/usr/\|^/usr$\|^/\.$' || fail "files lie outside of /usr"
  ! grep -rlF -e "$sources" -e "$HOME/" --exclude-dir=libtorch "$root"/usr/bin/compeer* \
    "$root/usr/lib/compeer" "$root/usr/lib/cmake/compeer" "$root/usr/share/compeer" "$root/usr/share/doc/compeer" ||
    fail "these name a folder of the machine that built them"
}

say "a clean root"
clean_root
say "apt-get install ./$(basename "$programs")"
install "$programs"
in_root dpkg-query --show --showformat '${Package} ${Version}: ${Installed-Size} kB installed\n' compeer
[[ ! -e $root/usr/bin/g++ ]] || fail "users need a compiler"
as_user compeer --version

say "the quickstart, as an ordinary user"
as_user compeer doctor || true
if ((${#whole[@]})); then as_user compeer run scripts/quickstart.lua; else as_user compeer run scripts/quickstart.lua --quick; fi
[[ -n $(find "$root/home/somebody/results" -name report.html -path '*quickstart*') ]] || fail "the quickstart left no report"
cp -r "$sources/tests/install" "$root/tmp/"
as_user bash /tmp/install/moved_test.sh "$sources" /usr

say "apt-get install ./$(basename "$sdk")"
install "$sdk"
moves_nothing_along
in_root apt-get install --quiet=2 --yes --no-install-recommends libgtest-dev >"$work/apt.log" 2>&1 || fail "libgtest-dev can't be installed"
say "a plugin from nothing to a run, and the tutorial"
as_user bash /tmp/install/new_plugin_test.sh /usr /home/somebody/new rewards
as_user bash /tmp/install/tutorial_test.sh /usr/share/doc/compeer/docs/tutorial_plugin.md /usr /home/somebody/tutorial

say "apt-get purge"
in_root apt-get purge --quiet=2 --yes compeer compeer-dev >"$work/apt.log" 2>&1 || { cat "$work/apt.log"; fail "they can't be removed"; }
left=$(find "$root/usr" "$root/etc" "$root/var/lib" -name '*compeer*' -not -path '*/dpkg/*')
[[ -z $left ]] || fail "this is left behind: $left"
say "all of it holds"
