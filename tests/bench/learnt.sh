#!/usr/bin/env bash
# What scripts that compare how runs learn have in common; sourced.

# learn RUN TILES COMMAND...: makes a run of a store by the command, or goes on with one that was broken off, and
# compares its plans as `compare` does; nothing where that is done.
learn() {
  local run=$1 tiles=$2
  shift 2
  [ ! -e "$run.figures" ] || return 0
  "$@" --tiles "$tiles" --run "$run" --sample-every 0 >"$run.log" 2>&1 || { tail -n 20 "$run.log" >&2; exit 1; }
  compare "$run" "$run" "$tiles"
}

# compare NAME CHECKPOINT TILES: figures of a generator's plans beside those of the tiles of TEST_TILES, those of the
# store by default, as NAME.figures; nothing where these are there.
compare() {
  [ ! -e "$1.figures" ] || return 0
  civitas evaluate --checkpoint "$2" --tiles "${TEST_TILES:-$3}" --count 500 --output "$1.part" --overwrite \
    >"$1.compared" 2>&1 || { tail -n 20 "$1.compared" >&2; exit 1; }
  mv "$1.part" "$1.figures"
}

# figures SET.NAME FORMAT RUN...: of each run; of one that was evaluated before there was such a figure `-`.
figures() {
  local name=$1 format=$2 run value
  shift 2
  for run in "$@"; do
    value=$(sed -n "s/^$name = //p" "$run.figures")
    # shellcheck disable=SC2059
    if [ -n "$value" ]; then printf "$format " "$value"; else printf -- '- '; fi
  done
}
