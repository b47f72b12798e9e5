# For tests of ranks that make steps, or parts of them, by themselves; `small` has the options of a small training.

# keeps_files_by_the_clock KIND: such a training makes a checkpoint between two steps, which gets its name on the way.
keeps_files_by_the_clock() {
  local code=0
  mpirun --quiet --oversubscribe --bind-to none -n 2 civitas train "${small[@]}" --run clock --steps 1000000 \
    --update "$1" --checkpoint-every 0 --checkpoint-minutes 0.01 --checkpoint-mode async >clock.log 2>&1 &
  job=$!
  for _ in $(seq 600); do goes_on_after_save && break; sleep 0.1; done
  kill -USR1 $job
  wait $job || code=$?
  [ $code = 75 ] || fail "exit code $code instead of 75: $(cat clock.log)"
  goes_on_after_save || fail "no steps after saves: $(cat clock.log)"
}
goes_on_after_save() { grep -A 1 '^saved ' clock.log | grep -q '^step '; }

# tells_of_first_rank LOG RUN: what memory is told at the end and in the metrics is of one rank, and said to be.
tells_of_first_rank() {
  grep -q '^  memory of the first rank:$' "$1" && ! grep -q 'a node:' "$1" || fail "of whom: $(cat "$1")"
  grep -q '"rank_bytes"' "$2/metrics.jsonl" && ! grep -q '"node_bytes"' "$2/metrics.jsonl" ||
    fail "of whom: $(head -n 1 "$2/metrics.jsonl")"
}

# damaged_copy STORE COPY: a tile store of which some tiles cannot be read.
damaged_copy() {
  local part size
  cp "$1" "$2"
  size=$(stat -c %s "$2")
  for part in 4 5 6 7 8; do
    printf 'xxxxxxxx' | dd of="$2" bs=1 seek=$((size * part / 10)) conv=notrunc status=none
  done
}

# pid_of RUN RANK: of a rank of a job.
pid_of() {
  local pid
  for pid in $(pgrep -fx -- "[^ ]*civitas train .*--run $1 .*"); do
    ! tr '\0' '\n' 2>/dev/null <"/proc/$pid/environ" | grep -x "OMPI_COMM_WORLD_RANK=$2" >/dev/null || echo "$pid"
  done
}
