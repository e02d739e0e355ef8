# shellcheck shell=bash
# Configuring and building. Ninja decides what is to be done; a build with nothing to do says nothing.

# need_build FOLDER TARGET
need_build() {
  local build=$1
  local why='this checkout is read-only for you'
  [[ -z ${COMPEER_BUILD_DIR:-} ]] || why="it names a folder that can't be created"
  mkdir -p "$build" 2>/dev/null || stop "can't create $build" "set COMPEER_BUILD_DIR to a writable folder: $why"
  if [[ ! -w $build ]]; then
    already_built "$build" "$2" && return
    stop "$build is not up to date and can't be written" "set COMPEER_BUILD_DIR to a writable folder"
  fi
  local what=''
  [[ $2 != compeer-programs || ! -x $build/bin/compeer || -e $build/bin/compeer-tools ]] || what=' the rest of Compeer, once'
  lock "$build/.compeer-lock" "building in $build"
  configured "$build" || configure "$build"
  run_ninja "$build" "$2" "$what"
  unlock
}

# A build that somebody else keeps is used as it is, if nothing changed since.
already_built() {
  [[ -f $1/build.ninja && $(ninja -C "$1" -n "$2" 2>&1 | tail -n 1) == "ninja: no work to do." ]]
}

# Whether the folder was configured to the end, for this checkout and this libtorch.
configured() {
  [[ -f $1/build.ninja && -f $1/CMakeCache.txt ]] || return 1
  local line home='' library=''
  while IFS= read -r line; do
    case $line in
      CMAKE_HOME_DIRECTORY:*) home=${line#*=} ;;
      CompeerTorch_LIBRARY:*) library=${line#*=} ;;
    esac
  done < <(grep -E '^(CMAKE_HOME_DIRECTORY|CompeerTorch_LIBRARY):' "$1/CMakeCache.txt")
  [[ $home == "$root" && $library == "${torch_library:?}" ]]
}

# Options for CMake beside what it is told anyway.
configure_options=(-DCOMPEER_UNITY=ON)

configure() {
  local log=$1/compeer-configure.log
  local -a fresh=()
  [[ ! -f $1/CMakeCache.txt ]] || fresh=(--fresh)
  say "configuring in $1"
  rm -f "$1/build.ninja"   # CMake writes it last, so its being there means that all went well
  cmake -S "$root" -B "$1" "${fresh[@]}" "${configure_options[@]}" -G Ninja -DCOMPEER_TORCH_ROOT="${torch_root:?}" >"$log" 2>&1 </dev/null && return
  grep -A 12 'CMake Error' "$log" >&2 || tail -n 20 "$log" >&2
  stop "configuring failed (full output: $log)"
}

# Processors this process may use: those it is bound to, less where a container grants a smaller share of time.
processors() {
  local count quota period
  count=$(nproc)
  if read -r quota period 2>/dev/null </sys/fs/cgroup/cpu.max && [[ $quota != max ]]; then
    quota=$(((quota + period - 1) / period))
    ((quota >= count)) || count=$quota
  fi
  echo "$count"
}

run_ninja() {
  local log=$1/compeer-build.log
  local -a command=(ninja -C "$1" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$(processors)}" "$2")
  NINJA_STATUS='[%f/%t] ' "${command[@]}" 2>&1 </dev/null | follow_ninja "$log" "$3" && return
  end_progress
  build_errors "$log" >&2
  stop "the build failed (full output: $log)"
}

# Keeps ninja's lines in the log and tells how far it is. Steps "[0/1]", with older ones "[0/2]", are CMake's own, not
# worth a word.
follow_ninja() {
  local line every failed='' begun=$SECONDS last=-1000
  every=$(progress_interval)
  while IFS= read -r line; do
    printf '%s\n' "$line" >&3
    [[ $line != FAILED:* ]] || failed=1
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] && $line != *'Re-checking globbed directories'* ]] || continue
    ((BASH_REMATCH[2] > 1 && SECONDS - last >= every)) || continue
    show_progress "building${2-}: ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
    last=$SECONDS
  done 3>"$1"
  ((last >= 0)) || return 0
  end_progress
  [[ -n $failed ]] || say "built in $((SECONDS - begun)) s"
}

# What failed, without the commands and without what went well.
build_errors() {
  awk '/^FAILED: /  { print; command = 1; show = 1; next }
       command      { command = 0; next }
       /^\[[0-9]+\/[0-9]+\]/ || /^ninja: / { show = 0 }
       /^ninja: (error|fatal)/ { print }
       show' "$1" | head -n 120
}
