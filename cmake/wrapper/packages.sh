# shellcheck shell=bash
# Debian packages: which are missing, and installing them.

# The names in a list file: one on a line, '#' starts a comment.
listed_packages() {
  local name
  while read -r name _; do
    [[ -z $name || $name == \#* ]] || echo "$name"
  done <"$1"
}

missing_packages() {
  local -A installed=()
  local name state
  local -a wanted
  mapfile -t wanted < <(listed_packages "$1")
  while read -r name state; do
    [[ $state != installed ]] || installed[$name]=1
  done < <(dpkg-query --show --showformat '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null || true)
  for name in "${wanted[@]}"; do
    [[ -n ${installed[$name]:-} ]] || echo "$name"
  done
}

# need_packages LIST: returns once all are installed.
need_packages() {
  [[ ${COMPEER_PACKAGES:-} != skip ]] || return 0
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: install the equivalents of the packages in $1 (COMPEER_PACKAGES=skip silences this note)"
    return 0
  fi
  local -a missing
  mapfile -t missing < <(missing_packages "$1")
  ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
}

# The words that turn a command into root's, in the array as_root; fails if there is no way.
find_root() {
  as_root=()
  [[ $(id -u) != 0 ]] || return 0
  command -v sudo >/dev/null || return 1
  if sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  elif [[ -t 0 && -t 2 ]]; then
    say "sudo asks for your password to install them"
    sudo -v && as_root=(sudo)
  else
    return 1
  fi
}

install_packages() {
  local -a as_root
  local log
  say "missing Debian packages: $*"
  find_root || stop "$(id -un 2>/dev/null || id -u) can't install packages" "run as root: apt-get install -y --no-install-recommends $*"
  log=$(mktemp -t compeer-apt.XXXXXX)
  say "installing $# packages"
  quietly "$log" packages_progress apt_install "$@" || apt_failed "$log"
  rm -f "$log"
}

# Packages that a kill left half unpacked: they want to be unpacked again, and apt does that only if asked.
half_unpacked() {
  dpkg-query --show --showformat '${db:Status-Eflag} ${Package}\n' | sed -n 's/^reinstreq //p'
}

# What an interrupted installation left half done is ended first.
apt_install() {
  local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300) again
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive dpkg --configure -a || true
  "${apt[@]}" update || true   # an old list may still do
  mapfile -t again < <(half_unpacked)
  ((${#again[@]} == 0)) || "${apt[@]}" --fix-broken --no-install-recommends --reinstall install "${again[@]}" || true
  "${apt[@]}" --fix-broken --no-install-recommends install "$@"
}

packages_progress() { echo "installing packages: $(tail -n 1 "$1" | tr -d '\r')"; }

apt_failed() {
  tail -n 15 "$1" >&2
  stop "apt-get failed (full output: $1)" "check the network and /etc/apt/sources.list, then try again: finished steps are not repeated"
}
