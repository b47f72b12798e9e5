#!/usr/bin/env bash
# What scripts that compare how runs learn have in common; sourced.

# learn RUN TILES COMMAND...: makes a run of a store by the command, or goes on with one that was broken off, and
# evaluates its plans, beside the tiles of another store where TEST_TILES says one; nothing where that is done.
learn() {
  local run=$1 tiles=$2 resume=()
  shift 2
  [ ! -e "$run.figures" ] || return 0
  [ ! -e "$run" ] || resume=(--resume auto)
  { "$@" --tiles "$tiles" --run "$run" --sample-every 0 "${resume[@]}" >"$run.log" 2>&1 &&
    civitas evaluate --checkpoint "$run" --tiles "${TEST_TILES:-$tiles}" --count 500 --output "$run.part" \
      >>"$run.log" 2>&1; } || { tail -n 20 "$run.log" >&2; exit 1; }
  mv "$run.part" "$run.figures"
}

# figures SET.NAME FORMAT RUN...: of each run.
figures() {
  local name=$1 format=$2 run
  shift 2
  # shellcheck disable=SC2059
  for run in "$@"; do printf "$format " "$(sed -n "s/^$name = //p" "$run.figures")"; done
}
