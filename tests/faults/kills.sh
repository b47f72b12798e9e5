# Ranks and launchers that are killed, and runs that are asked to stop, at random moments.

# Waits in a training for a random moment: since its start, after a step, while a checkpoint is made.
random_moment() {
  pick 4
  case $picked in
    0)
      pick 1500
      moment="after $picked ms"
      pause "$picked"
      ;;
    1)
      pick $((steps - 4))
      local step=$((picked + 1))
      pick 60
      moment="$picked ms after step $step"
      until_true has_steps "$run" "$step" && pause "$picked"
      ;;
    *)
      pick 20
      moment="$picked ms after a .part appeared"
      until_true has_part "$run" && pause "$picked"
      ;;
  esac || true
}

# Kills what `victim` says.
strike() {
  local ranks
  mapfile -t ranks < <(pgrep -P "$job" || true)
  [ ${#ranks[@]} -gt 0 ] || victim=mpirun
  case $victim in
    rank)
      pick ${#ranks[@]}
      ranks=("${ranks[picked]}")
      ;;
    mpirun) ranks=("$job") ;;
  esac
  kill -9 "${ranks[@]}" 2>/dev/null || true
}

class_kills() {
  local victims=(rank ranks mpirun) k
  for k in $(seq 20); do
    begin "$k"
    pick 3
    victim=${victims[picked]}
    pick_layout
    train "${layout[0]}" "$run" "${layout[@]:1}"
    random_moment
    strike
    rename "$k, $victim of ${layout[*]}, $moment"
    await
    none_left || continue
    local lines=0
    [ ! -e "$run/metrics.jsonl" ] || lines=$(wc -l <"$run/metrics.jsonl")
    goes_on "$run" && passed "survived, killed after step $lines, went on with ${layout[*]}"
    rm -rf "$run"
  done
}

# What a stop leaves: a checkpoint of the step it tells, and metrics until there; or nothing, before the
# first step. (The word about that may be missing: mpirun ends the root when another rank has left.)
stopped_well() {
  local step
  if [ ! -e "$run/stopped" ]; then
    [ ! -s "$run/metrics.jsonl" ] || failed 'steps were made, and not saved' || return
    return 0
  fi
  step=$(cat "$run/stopped")
  [ -e "$run/checkpoints/step-$(printf %08d "$step").h5" ] || failed "no checkpoint of step $step" || return
  [ "$(wc -l <"$run/metrics.jsonl")" = "$step" ] || failed "metrics do not end at step $step"
}

class_stops() {
  local k ended
  for k in $(seq 12); do
    begin "$k"
    pick_layout
    launch "${layout[0]}" env --block-signal=USR1,TERM civitas train --run "$run" --tiles "$WORK/tiles.h5" \
      "${net[@]}" "${course[@]}" --steps "$steps" --sample-every 0 "${layout[@]:1}"
    # Until there are ranks a stop is mpirun's own business.
    until_true pgrep -P "$job" >/dev/null || true
    if [ $((k % 2)) = 0 ]; then
      pick 1000
      moment="$picked ms after its first rank began"
      pause "$picked"
    else
      random_moment
    fi
    kill -USR1 "$job" 2>/dev/null || true
    rename "$k, ${layout[*]}, $moment"
    await
    none_left || continue
    ended=$rc
    if [ "$rc" = 75 ]; then
      stopped_well || continue
    elif [ "$rc" != 0 ]; then
      failed "exit code $rc" || continue
    fi
    ended="code $ended, $(grep -o 'stopped .*' said | head -n 1 || true)"
    goes_on "$run" && passed "survived, $ended, went on with ${layout[*]}"
    rm -rf "$run"
  done
}
