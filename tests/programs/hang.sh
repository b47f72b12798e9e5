# A rank that is stopped in the midst of a run: the others say which, where, and what all of them did
# last; the job ends, and nobody stays. A run that is slow, or suspended as a whole, goes on.
make_store tiles.h5 40 64
seconds=2
begin_run() {
  local n=$1 run=$2
  shift 2
  : >said  # what the run before has said counts no more
  mpirun --quiet --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n "$n" "$(command -v civitas)" train \
    --tiles tiles.h5 --run "$run" --net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --nz 8 \
    --batch 8 --micro-batch 4 --threads 1 --sample-every 0 --checkpoint-every 0 --hang-seconds $seconds "$@" \
    >said 2>&1 &
  job=$!
  trap 'kill -KILL $job "${pids[@]}" 2>/dev/null || true; rm -rf "$WORK"' EXIT
  for _ in $(seq 300); do grep -q '^step 3/' said && break; sleep 0.1; done
  grep -q '^step 3/' said || fail "no steps within 30 s: $(cat said)"
  mapfile -t pids < <(pgrep -P $job)
  [ ${#pids[@]} = "$n" ] || fail "${#pids[@]} processes instead of $n"
}
# of_rank RANK: its process.
of_rank() {
  local pid
  for pid in "${pids[@]}"; do
    # Not -q: it ends at the first match, and what writes to it would fail.
    if tr '\0' '\n' <"/proc/$pid/environ" | grep -x "OMPI_COMM_WORLD_RANK=$1" >/dev/null; then echo "$pid"; fi
  done
}
# ends_with CODE [SECONDS]: the job does, within so many, and none of its processes stays.
ends_with() {
  local rc=0 pid
  timeout "${2:-30}" tail --pid=$job -f /dev/null ||
    fail "the job has not ended: $(grep -v '^step' said) $(tail -n 1 said)"
  wait $job || rc=$?
  [ $rc = "$1" ] || fail "exit code $rc instead of $1: $(grep -v '^step' said)"
  for pid in "${pids[@]}"; do
    for _ in $(seq 20); do [ -d "/proc/$pid" ] && sleep 0.1; done
    [ ! -d "/proc/$pid" ] || fail "process $pid stays"
  done
}
says() { grep -qE -- "$2" "$1" || fail "no '$2' in $(grep -v '^step' "$1")"; }

# one_tells RUN: a report for each time that ranks stood. On a machine that is busy they may seem to before they do.
one_tells() {
  [ "$(find "$1/log" -name 'hang-rank-*' | wc -l)" = $(($(grep -cE 'moves? again' said) + 1)) ] ||
    fail "several ranks tell: $(ls "$1/log") $(grep -v '^step' said)"
}
# stopped RANKS MESH RANK COORDINATE
stopped() {
  begin_run "$1" "$2" --mesh "$2" --steps 1000000
  local victim report
  victim=$(of_rank "$3")
  kill -STOP "$victim"
  ends_with 1
  one_tells "$2"
  report=$(grep '^their last actions: ' said | tail -n 1 | sed 's/^their last actions: \([^ ]*\)\. .*/\1/')
  says said "^rank [0-9]: error: no rank of this node has moved for $seconds s: rank $3 \($4\) is stopped: "
  says said "process $victim has not been seen to run"
  says said "^their last actions: $report\. .*Hint: "
  says "$report" "^rank $3 \($4\), process $victim: step [0-9]+, .*, does not run since "
  for rank in $(seq 0 $(($1 - 1))); do
    says "$report" "^last actions of rank $rank \("
    [ "$rank" = "$3" ] || says "$report" "^rank $rank \(.*\), process [0-9]+: step [0-9]+, .*, waits for ranks? "
  done
  says "$report" '^ +[0-9.]+  step [0-9]+, [DG][01]\.[a-z]+\.[FBW]+[0-9]+, layer [a-z]+[0-9]'
  says "$2/log/rank-$(grep -oE '^rank [0-9]: error' said | tail -n 1 | grep -o '[0-9]').txt" '^error: hang: rank '
}
stopped 2 data=2 1 data=1,pipe=0,tensor=0
[ ! -e data=2/lock ] || fail 'the lock is left, though its owner could act'
stopped 4 data=2,pipe=2 0 data=0,pipe=0,tensor=0

# Where ranks make steps each by itself, one that stops is missed although the others go on.
begin_run 2 alone --update async --steps 1000000
victim=$(of_rank 1)
kill -STOP "$victim"
ends_with 1
says said "^rank [01]: error: a rank of this node has not moved for $seconds s: rank 1 \(data=1,.*\) is stopped: "
one_tells alone
[ ! -e alone/lock ] || fail 'the lock is left, though its owner could act'

seconds=3
# Moments of rest are no standstill, nor are those of the whole job, however long.
begin_run 2 slow --mesh pipe=2 --steps 300
for pid in "${pids[@]}"; do
  kill -STOP "$pid"
  sleep 0.5
  kill -CONT "$pid"
  sleep 0.1
done
kill -STOP "${pids[@]}"
sleep $((seconds + 1))
kill -CONT "${pids[@]}"
ends_with 0 120  # its steps may be slow where others compute, too
[ ! -e slow/log/hang-rank-0.txt ] && [ ! -e slow/log/hang-rank-1.txt ] || fail 'a slow run was taken for a hang'

# Where the node has too little shared memory each rank is watched by itself. (MPI has other ways there.)
small_memory() {
  mount -t tmpfs -o size=4k tmpfs /dev/shm
  export OMPI_MCA_btl=self,tcp
  ranks 2 civitas train --tiles tiles.h5 --run narrow --net dcgan-64 --generator-widths 8,8,8,8 \
    --discriminator-widths 8,8,8,8 --nz 8 --batch 8 --micro-batch 4 --threads 1 --sample-every 0 --steps 2 \
    --hang-seconds 1
}
export -f small_memory ranks run fail
if unshare -m true 2>unshare.txt; then
  unshare -m bash -euc small_memory >said 2>&1 || fail "$(cat said)"
  says said '^rank 0: warning: the watchdog of each rank of this node sees that rank alone: shared memory of .* Hint: '
else
  echo "not tried: a node with little shared memory ($(cat unshare.txt))"
fi
