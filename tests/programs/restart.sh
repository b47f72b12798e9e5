# jobs/workstation.sh, with a launcher and a rank that are killed: the run goes on to the bits of an undisturbed
# one, nothing of it stays in /dev/shm and /tmp, and a stop that is asked for ends it.
make_store tiles.h5 40 64
words=(--tiles tiles.h5 --net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --nz 8 --batch 8
       --micro-batch 4 --threads 1 --sample-every 0 --checkpoint-every 20 --lr-schedule constant)
fingerprint() { grep -h '^fingerprint' "$1/log/rank-0.txt" | tail -n 1; }
run civitas train --run run "${words[@]}" --steps 40 >said
mkdir tmp
export CIVITAS_BIN=$BIN TMPDIR=$WORK/tmp RESTART_SECONDS=0 OMPI_MCA_mpi_yield_when_idle=1

begin() {
  bash "$ROOT/jobs/workstation.sh" -n 2 --run run "${words[@]}" "$@" >said 2>&1 &
  script=$!
}
trap 'kill -TERM $script 2>/dev/null || true; wait; rm -rf "$WORK"' EXIT
launcher() { pgrep -P "$script" -x mpirun || fail "it ended before something was killed: $(cat said)"; }
# The newest checkpoint, as `last`; after FILE: waits until there is a newer one.
newest() {
  local file
  last=''
  for file in run/checkpoints/step-*.h5; do [ ! -e "$file" ] || last=$file; done
}
after() {
  for _ in $(seq 1500); do
    newest
    if [[ $last > $1 ]]; then return; fi
    kill -0 "$script" 2>/dev/null || break
    sleep 0.02
  done
  fail "no newer checkpoint than $1: $(cat said)"
}
# killed COUNT: waits for the restart; ranks whose launcher is killed may save once more until they notice.
killed() {
  for _ in $(seq 1000); do
    if grep -q "ended with code 137, newest checkpoint .*: restart $1" said; then break; fi
    sleep 0.02
  done
  newest
  after "$last"
}
# What the processes of the job have mapped of /dev/shm and /tmp, whatever it is called.
note_files() {
  local pid
  for pid in $(pgrep -s "$(launcher)"); do awk '{ print $6 }' "/proc/$pid/maps" || true; done |
    grep -E "^(/dev/shm|$WORK/tmp|/tmp/ompi)" | sort -u >>opened
}

# ended CODE: the script has ended so.
ended() {
  local rc=0
  wait $script || rc=$?
  [ $rc = "$1" ] || fail "it ended with $rc instead of $1: $(cat said)"
}

# --resume FILE is obeyed once, however often it is started again.
begin --steps 1000000 --resume run/checkpoints/step-00000020.h5
after run/checkpoints/step-00000040.h5
note_files
grep -q '^/dev/shm/.*vader' opened && grep -q "^$WORK/tmp/.*ompi" opened || fail "nothing is noted: $(cat opened)"
kill -9 "$(launcher)"
killed 1
note_files
kill -9 "$(pgrep -P "$(launcher)" | tail -n 1)"
killed 2
note_files
kill -USR1 $script
ended 75
step=$(cat run/stopped)
grep -q "workstation.sh: stopped at step $step; the same command goes on" said || fail "$(cat said)"
[ -e "run/checkpoints/step-$(printf %08d "$step").h5" ] || fail 'the step is not saved'
[ "$(grep -c 'was obeyed before this job was started again' said)" = 2 ] || fail "$(cat said)"
begin --steps $((step + 1))
ended 0
ranks 2 civitas train --run straight "${words[@]}" --steps $((step + 1)) >/dev/null
[ "$(fingerprint run)" = "$(fingerprint straight)" ] || fail 'restarts changed the result'
while read -r file; do [ ! -e "$file" ] || fail "left: $file"; done < <(sort -u opened)
[ -z "$(ls -A tmp)" ] || fail "left: $(find tmp)"
