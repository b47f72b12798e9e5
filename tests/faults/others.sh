# A second training in the folder of another, and ranks that see other files than the root does.

class_second() {
  local first owner k second kind
  for k in 1 2 3; do
    begin "beside a running one, $k"
    pick_layout
    output=first.said train "${layout[0]}" "$run" "${layout[@]:1}"
    first=$job
    until_true has_steps "$run" $((2 * k)) || failed 'no steps' || continue
    signal_ranks STOP
    owner=$(sed -n "s/^pid = //p" "$run/lock" 2>/dev/null || true)
    train 1 "$run" --generator-lr 1e-3
    await
    second=$rc
    signal_ranks CONT
    refusal "in use by process $owner on host $(uname -n)" || second=failed
    job=$first
    await
    [ "$second" != failed ] || continue
    [ "$rc" = 0 ] || failed "the first one ended with $rc" || continue
    right "$run" first.said && passed 'named: the second was refused, the first went on'
    rm -rf "$run"
  done
  for k in 1 2 3; do
    begin "two at once, $k"
    output=first.said train 1 "$run"
    first=$job
    train 2 "$run" --mesh data=2
    await
    kind=$rc
    [ "$rc" = 0 ] || refusal 'in use by process' || kind=failed
    job=$first
    await
    [ "$kind" != failed ] || continue
    [ "$rc" = 0 ] || { cp first.said said; refusal 'in use by process'; } || continue
    goes_on "$run" && passed "survived: codes $rc and $kind"
    rm -rf "$run"
  done
  begin 'after a killed one'
  train 2 "$run" --mesh pipe=2
  until_true has_steps "$run" 4 || true
  signal_ranks KILL
  await
  none_left || return 0
  goes_on "$run" || return 0
  grep -q 'took over .* which has ended' said || failed 'no word about the taken lock' || return 0
  passed 'survived'
  rm -rf "$run"
}

# unlike NAME 'COMMAND of rank 1' WORDS [OPTIONS...]
unlike() {
  local prepare=$2 words=$3
  begin "$1"
  cp -r begun "$run"
  cp -r begun other
  prepare=${prepare//RUN/$run}
  launch 2 env PREPARE="$prepare" bash apart civitas train --run "$run" --tiles "$WORK/tiles.h5" \
    "${net[@]}" "${course[@]}" --steps "$steps" --sample-every 0 "${@:4}"
  await
  judge "$words"
  rm -rf "$run" other
}

class_ranks() {
  # Rank 0 runs what follows as it is; the others after $PREPARE, which mounts what they see.
  cat >apart <<'APART'
[ "$OMPI_COMM_WORLD_RANK" != 0 ] || exec "$@"
exec unshare -m bash -c "$PREPARE; exec \"\$@\"" - "$@"
APART
  make_store other.h5 44 64
  cp tiles.h5 touched.h5
  mkdir -p words other_words empty
  echo 'generator-lr = 2e-4' >words/run.ini
  printf 'generator-lr = 1e-3\nno such option = 1\n' >other_words/run.ini
  civitas plan "${net[@]}" --mesh pipe=2 --schedule gan --brief --print words/table.txt >/dev/null
  civitas plan "${net[@]}" --mesh pipe=2 --schedule gpipe --brief --print other_words/table.txt >/dev/null
  local bind="mount --bind $WORK" files='same file'
  unlike 'a copy of the checkpoints' "$bind/other/checkpoints RUN/checkpoints" "$files" --mesh data=2
  unlike 'a copy of the checkpoints, by stages' "$bind/other/checkpoints RUN/checkpoints" "$files" --mesh pipe=2
  unlike 'no checkpoints' "$bind/empty RUN/checkpoints" "$files" --mesh data=2
  unlike 'another run folder' "$bind/other RUN" "$files" --mesh pipe=2
  unlike 'an empty run folder' "$bind/empty RUN" "$files|log/rank-1.txt" --mesh data=2
  unlike 'a read-only run folder' "mount --bind RUN RUN; mount -o remount,bind,ro RUN" \
    'rank-1.txt|Read-only' --mesh data=2
  unlike 'another tile store' "$bind/other.h5 $WORK/tiles.h5" 'tiles\.h5' --mesh data=2
  unlike 'another tile store, by stages' "$bind/other.h5 $WORK/tiles.h5" 'tiles\.h5' --mesh pipe=2
  unlike 'a copy of the tile store' "$bind/touched.h5 $WORK/tiles.h5" 'tiles\.h5' --mesh data=2
  unlike 'another configuration' "$bind/other_words $WORK/words" 'run\.ini' --config "$WORK/words/run.ini" --mesh data=2
  unlike 'another schedule' "$bind/other_words $WORK/words" 'table\.txt' --mesh pipe=2 \
    --schedule "$WORK/words/table.txt"
  unlike 'no schedule' "$bind/empty $WORK/words" 'table\.txt' --schedule "$WORK/words/table.txt" --mesh pipe=2
  unlike 'another profile' "echo no >$WORK/other/profile.json; $bind/other/profile.json RUN/profile.json" \
    'profile\.json' --mesh pipe=2
}
