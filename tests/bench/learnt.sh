#!/usr/bin/env bash
# What scripts that compare how runs learn have in common; sourced.

# learn RUN TILES COMMAND...: makes a run of a store by the command, or goes on with one that was broken off, and
# evaluates its plans beside the tiles of TEST_TILES, those of the store by default; nothing where that is done.
learn() {
  local run=$1 tiles=$2
  shift 2
  [ ! -e "$run.figures" ] || return 0
  { "$@" --tiles "$tiles" --run "$run" --sample-every 0 >"$run.log" 2>&1 &&
    civitas evaluate --checkpoint "$run" --tiles "${TEST_TILES:-$tiles}" --count 500 --output "$run.part" \
      >>"$run.log" 2>&1; } || { tail -n 20 "$run.log" >&2; exit 1; }
  mv "$run.part" "$run.figures"
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
