# Where workers make each other's parts, a rank that is killed is missed only when the run ends: the launcher asks the
# others to stop, but the run was not stopped on request. Nothing of it stays, and the same command goes on.
source "$ROOT/tests/support/by_itself.sh"
make_store tiles.h5 40 64
small=(--tiles tiles.h5 --net dcgan-64 --generator-widths 16,16,8,8 --discriminator-widths 8,8,8,8
       --nz 8 --batch 8 --micro-batch 2 --threads 1 --sample-every 0 --checkpoint-every 5 --lr-schedule constant)
served=("${small[@]}" --update server)
fingerprint() { grep -h '^fingerprint' "$1/log/rank-0.txt" | tail -n 1; }
newest() { find "$1/checkpoints" -name 'step-*.h5' 2>/dev/null | sort | tail -n 1; }
# await_save LOG: the job has saved a step, within a minute.
await_save() {
  for _ in $(seq 1200); do
    ! grep -qs '^saved ' "$1" || return 0
    kill -0 $job 2>/dev/null || break
    sleep 0.05
  done
  fail "nothing saved: $(cat "$1")"
}
# same_bits RUN STEPS: as one rank that never stopped.
same_bits() {
  ranks 1 civitas train "${small[@]}" --run "straight-$1" --steps "$2" >/dev/null
  [ -n "$(fingerprint "$1")" ] && [ "$(fingerprint "$1")" = "$(fingerprint "straight-$1")" ] ||
    fail "other bits of $1 after $2 steps"
}

job=
shared=$(mktemp -d /dev/shm/civitas-served.XXXXXX)
trap 'kill -9 $job $(pgrep -f -- "--run $WORK/") 2>/dev/null || true; rm -rf "$WORK" "$shared"' EXIT
# start RUN RANKS OPTIONS...: as `job`, with what it says in RUN.log.
start() {
  : >"$1.log"  # what was said before counts no more
  OMPI_MCA_btl_vader_backing_directory=$shared OMPI_MCA_osc_sm_backing_directory=$shared \
    timeout -k 1 100 mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n "$2" \
    civitas train --run "$WORK/$1" "${served[@]}" "${@:3}" >"$1.log" 2>&1 &
  job=$!
}
nothing_stays() {
  for _ in $(seq 100); do pgrep -f -- "--run $WORK/$1 " >/dev/null || break; sleep 0.05; done
  ! pgrep -f -- "--run $WORK/$1 " || fail 'processes stay'
  [ -z "$(find "$shared" -mindepth 1)" ] || fail "left: $(find "$shared")"
}

# Time enough for the others to make the parts of a worker that was killed, before they are killed themselves.
export OMPI_MCA_odls_base_sigkill_timeout=3

# A worker; one of two servers, then the first, which alone would know of the end; a rank that serves and works.
last=
for killed in '3 1 2' '3 2 1' '3 2 0' '2 0 1'; do
  read -r n servers rank <<<"$killed"
  start run "$n" --servers "$servers" --steps 1000000
  await_save run.log
  [ -z "$last" ] || grep -q "resumed from .*/${last##*/} after step" run.log || fail "not from $last: $(cat run.log)"
  kill -9 "$(pid_of "$WORK/run" "$rank")"
  code=0
  wait $job || code=$?
  [ $code = 137 ] || fail "exit code $code instead of 137 without rank $rank of $n: $(cat run.log)"
  grep -q "process rank $rank .* exited on signal 9" run.log || fail "rank $rank is not named: $(cat run.log)"
  [ ! -e run/stopped ] && ! grep -q '^stopped on request' run.log ||
    fail "stopped on request, by nobody, without rank $rank of $n: $(cat run.log)"
  nothing_stays run
  last=$(newest run)
  [ -n "$last" ] || fail "no checkpoint: $(cat run.log)"
  unset OMPI_MCA_odls_base_sigkill_timeout
done
step=${last##*step-} step=$((10#${step%.h5} + 3))
ranks 3 civitas train --run run "${served[@]}" --servers 1 --steps $step >run.log 2>&1
grep -q "resumed from .*/${last##*/} after step" run.log || fail "not from $last: $(cat run.log)"
same_bits run $step

# A worker that is stopped does not keep a request to stop from being obeyed: it is waited for, and named.
start asked 3 --servers 1 --steps 1000000 --hang-seconds 6
await_save asked.log
kill -STOP "$(pid_of "$WORK/asked" 2)"
kill -USR1 "$(pgrep -P $job -x mpirun)"
code=0
wait $job || code=$?
[ $code = 75 ] || fail "exit code $code instead of 75: $(cat asked.log)"
grep -q '^stopped on request: step ' asked.log || fail "$(cat asked.log)"
grep -q 'warning: no answer from rank 2: the job ends, and all that was learnt is saved' asked.log ||
  fail "$(cat asked.log)"
[ "$(newest asked)" = "asked/checkpoints/step-$(printf %08d "$(cat asked/stopped)").h5" ] ||
  fail "stopped at $(cat asked/stopped): $(ls asked/checkpoints)"
nothing_stays asked

# jobs/workstation.sh starts a run again whose worker was killed.
CIVITAS_BIN=$BIN RESTART_SECONDS=0 timeout -k 1 100 bash "$ROOT/jobs/workstation.sh" -n 3 --run "$WORK/again" \
  "${served[@]}" --servers 1 --steps 60 >again.log 2>&1 &
job=$!
await_save again.log
kill -9 "$(pid_of "$WORK/again" 2)"
code=0
wait $job || code=$?
[ $code = 0 ] || fail "exit code $code instead of 0: $(cat again.log)"
grep -q 'workstation.sh: ended with code 137, newest checkpoint .*: restart 1$' again.log ||
  fail "not started again: $(cat again.log)"
[ ! -e again/stopped ] || fail 'it says that it was stopped'
same_bits again 60
