# What jobs/train.sbatch does when it is asked to stop, with stand-ins for the program and Slurm.
export SLURM_SUBMIT_DIR=$WORK SLURM_JOB_ID=17 SLURM_NTASKS=2 CIVITAS_BIN="$WORK/the programs"
mkdir -p bin "$CIVITAS_BIN" run
export PATH=$WORK/bin:$PATH

# The program: says what it was given, then ends as $1 of its run's `plan` says; on USR1 it saves.
cat >"$CIVITAS_BIN/civitas" <<'PROGRAM'
#!/usr/bin/env bash
echo "$*" >given
trap '[ "$(cat ends)" = early ] || echo 12 >run/stopped
  [ "$(cat ends)" != saves ] || touch run/checkpoints/step-00000012.h5
  [ "$(cat ends)" != member ] || touch run/2/checkpoints/step-00000012.h5
  exit "$(cat leaves)"' USR1
trap 'exit 143' TERM
code=$(cat ends)
[ "$code" = early ] || [ "$code" = 75 ] || rm -f run/stopped # as a run that has begun
touch ready
if [ "$code" = left ]; then
  mkdir -p run/log
  echo 'warning: no answer from rank 3: the job ends, and all that was learnt is saved' >>run/log/rank-0.txt
  exit 137
fi
case $code in waits | early | saves | member) ;; *) exit "$code" ;; esac
for ((i = 0; i < 300; i++)); do sleep 0.05; done
exit 99
PROGRAM
# The launcher: hands USR1 on, and TERM ends it at once, as srun's does. Signals are blocked until
# the program takes over, which a script could not.
cat >bin/srun <<'SRUN'
#!/usr/bin/env bash
echo "$*" >srun
while [[ $1 == --* ]]; do shift; done
[ "$1 $2" = 'env --block-signal=USR1,TERM' ] || exit 98
shift 2
exec "$@"
SRUN
cat >bin/scontrol <<'SCONTROL'
#!/usr/bin/env bash
echo "$*" >>requeued
SCONTROL
chmod +x bin/* "$CIVITAS_BIN/civitas"

# job CODE HOW SIGNAL [OPTIONS]: the job ends with CODE when its program ends as HOW says, after
# SIGNAL (or none) was sent to the script. A program that waits leaves with CODE.
job() {
  local code=$1 signal=$3 script rc=0
  echo "$2" >ends
  echo "$code" >leaves
  shift 3
  rm -f ready requeued
  bash "$ROOT/jobs/train.sbatch" "$@" --run run >said 2>&1 &
  script=$!
  if [ "$signal" != none ]; then
    until [ -e ready ]; do sleep 0.02; done
    kill "-$signal" "$script"
  fi
  wait "$script" || rc=$?
  [ "$rc" = "$code" ] || fail "the job ended with $rc instead of $code: $(cat said)"
}
requeued() { [ "$(cat requeued 2>/dev/null)" = 'requeue 17' ] || fail 'not queued again'; }
not_requeued() { [ ! -e requeued ] || fail "queued again: $(cat requeued)"; }

job 75 waits USR1
requeued
grep -q 'stopped at step 12, queued again' said || fail "$(cat said)"
job 75 early USR1
requeued
grep -q 'stopped before the first step, queued again' said || fail "$(cat said)"
echo before >run/stopped
job 137 waits USR1 # the launcher killed a rank that was slow to leave
requeued
# `scancel` ends a job for good.
echo before >run/stopped
job 75 waits TERM
not_requeued
grep -q 'stopped at step 12, and ended for good' said || fail "$(cat said)"
job 75 early TERM
not_requeued
grep -q 'stopped before the first step, and ended for good' said || fail "$(cat said)"

for code in 0 1 137; do
  echo before >run/stopped
  job $code $code none
  not_requeued
done
echo before >run/stopped
job 75 75 none # an old `stopped` is there, and no new one
not_requeued

# A run that was done without a worker has been done, though the launcher killed that; an earlier one is none.
for start in first second; do
  job 0 left none
  not_requeued
  grep -qx 'train.sbatch: done, though srun ended with 137: workers that did not answer were killed' said ||
    fail "the $start time: $(cat said)"
  job 137 137 none
done

job 0 0 none --tiles t.h5
grep -qx 'train --tiles t.h5 --run run --mesh data=2' given || fail "$(cat given)"
job 0 0 none --mesh=data=1,pipe=2
grep -qx 'train --mesh=data=1,pipe=2 --run run' given || fail "$(cat given)"
# The mesh of a population is that of a member.
job 0 0 none --population 2
grep -qx 'train --population 2 --run run' given || fail "$(cat given)"

# Starts that get nowhere are not queued again for ever: the first one of a job, and two more, do not count.
echo before >run/stopped
for count in 0 1 2 3; do
  SLURM_RESTART_COUNT=$count job 75 early USR1
  if [ $count -lt 3 ]; then requeued; else not_requeued; fi
done
grep -q '3 restarts in a row ended with no newer checkpoint than none: not queued again. Hint: a longer' said ||
  fail "$(cat said)"
SLURM_JOB_ID=18 SLURM_RESTART_COUNT=4 job 75 early USR1
[ -e requeued ] || fail 'another job was taken for the one before'
mkdir -p run/checkpoints
SLURM_RESTART_COUNT=4 job 75 saves USR1
requeued
SLURM_RESTART_COUNT=5 job 75 early USR1
requeued
# A population gets on where one of its members does.
rm -r run/checkpoints run/requeued
mkdir -p run/{1,2}/checkpoints
for ends in early early member; do
  SLURM_RESTART_COUNT=6 job 75 $ends USR1 --population 2
  requeued
done
SLURM_RESTART_COUNT=6 job 75 early USR1 --population 2
requeued
rm -r run/1 run/2

# A run goes on with the ranks that it is given: those of them that can share its micro-batches.
printf 'batch = 16\nmicro-batch = 2\nmesh = data=8\n' >run/config.ini
printf 'mesh=data=2,pipe=2\n' >mine.ini
# with RANKS 'OPTIONS OF srun' 'OPTIONS OF THE PROGRAM' [OPTIONS]
with() {
  SLURM_NTASKS=$1 job 0 0 none "${@:4}"
  [ "$(cut -d ' ' -f 2- srun | sed 's/ *env .*//')" = "$2" ] || fail "srun was given $(cat srun)"
  grep -qx -- "train $3" given || fail "the program was given $(cat given)"
}
with 8 '' '--run run --mesh data=8'
with 6 --ntasks=4 '--run run --mesh data=4'
grep -q '4 of 6 ranks train: more cannot share the micro-batches of a step evenly' said || fail "$(cat said)"
with 12 --ntasks=8 '--run run --mesh data=8'
with 7 --ntasks=4 '--mesh data=auto,pipe=2 --run run' --mesh data=auto,pipe=2
with 8 '' '--config mine.ini --run run --mesh data=4,pipe=2' --config mine.ini
with 1 '' '--config mine.ini --run run' --config mine.ini
with 6 '' '--mesh data=8 --run run' --mesh data=8
with 7 '' '--update async --run run --mesh data=7' --update async # each rank has a batch of its own
with 5 '' '--update=server --servers 2 --run run --mesh data=5' --update=server --servers 2
# Replicas in each of them share these once more.
printf 'mesh=data=2\nreplicas = 4\n' >replicas.ini
with 8 --ntasks=4 '--replicas 2 --run run --mesh data=4' --replicas 2
with 8 --ntasks=2 '--config replicas.ini --run run --mesh data=2' --config replicas.ini
# What cannot be is left to the program to refuse.
printf 'mesh=data=2,pipe=0\n' >none.ini
with 8 '' '--config none.ini --run run' --config none.ini
[ ! -s said ] || fail "$(cat said)"
with 8 '' '--replicas=3 --run run --mesh data=8' --replicas=3
refuses 2 'needs --run DIR' bash "$ROOT/jobs/train.sbatch" --tiles t.h5
