# When jobs/workstation.sh starts a run again and when it ends, with a stand-in for mpirun and the program.
export CIVITAS_BIN="$WORK/the programs" TMPDIR=$WORK/tmp RESTART_SECONDS=0
mkdir -p bin "$CIVITAS_BIN" tmp
export PATH=$WORK/bin:$PATH
printf '#!/bin/sh\n' >"$CIVITAS_BIN/civitas"

# The launcher and its ranks: start number N does what word N of `plan` says, the last one for ever.
# CODE ends so, CODE+ after a checkpoint; `waits` saves on USR1, `early` has nothing to save, `deaf`
# hears the second USR1 only, `slow` is killed once it has saved, `taken` finds another training there,
# `half` makes a checkpoint of member 2 of a population, `lent` finds another training in its folder.
cat >bin/mpirun <<'MPIRUN'
#!/usr/bin/env bash
echo "$CIVITAS_JOB_ID $CIVITAS_RESTART_COUNT $*" >>given
[ -z "$(find "$OMPI_MCA_btl_vader_backing_directory" "$OMPI_MCA_orte_tmpdir_base" -mindepth 1 ! -name owner)" ] ||
  echo 'something is left of the start before' >>wrong
touch "$OMPI_MCA_btl_vader_backing_directory/segment"
mkdir "$OMPI_MCA_orte_tmpdir_base/session"
read -ra plan <plan
act=${plan[CIVITAS_RESTART_COUNT]:-${plan[-1]}}
save() { mkdir -p run/checkpoints && touch "run/checkpoints/step-$(printf %08d $((12 + CIVITAS_RESTART_COUNT))).h5"; }
case $act in
  waits) trap 'save; echo 12 >run/stopped; exit 75' USR1 ;;
  early) trap 'exit 75' USR1 ;;
  deaf) trap 'trap "exit 75" USR1' USR1 ;;
  slow) trap 'save; echo 12 >run/stopped; trap - USR1; kill -9 $$' USR1 ;;
  taken) save; echo 'job = of-others' >run/lock; exit 1 ;;
  half) mkdir -p run/2/checkpoints && touch "run/2/checkpoints/step-0000000$CIVITAS_RESTART_COUNT.h5"; exit 1 ;;
  lent) mkdir -p run/2/checkpoints && echo 'job = of-others' >run/2/lock; exit 137 ;;
  *+) save; echo "job = $CIVITAS_JOB_ID" >run/lock; exit "${act%+}" ;;
  *) exit "$act" ;;
esac
trap 'echo TERM >>wrong' TERM INT
(trap '' USR1; exec sleep 30) & # a rank, which may outlive its launcher
rank=$!
trap 'kill $rank' EXIT
touch ready
for ((i = 0; i < 300; i++)); do sleep 0.05; done
MPIRUN
chmod +x bin/mpirun "$CIVITAS_BIN/civitas"

# job CODE STARTS PLAN SIGNAL [OPTIONS]: the script ends with CODE after so many starts; SIGNAL, or none, is
# sent to it once a start waits.
job() {
  local code=$1 starts=$2 signal=$4 script rc=0
  echo "$3" >plan
  shift 4
  rm -rf ready given run
  # A shell lets what it starts in the background ignore INT.
  env --default-signal=INT bash "$ROOT/jobs/workstation.sh" "$@" --run run >said 2>&1 &
  script=$!
  if [ "$signal" != none ]; then
    until [ -e ready ]; do sleep 0.02; done
    kill "-$signal" "$script"
  fi
  wait "$script" || rc=$?
  [ "$rc" = "$code" ] || fail "it ended with $rc instead of $code: $(cat said)"
  [ "$(wc -l <given)" = "$starts" ] || fail "$(wc -l <given) starts instead of $starts: $(cat said)"
  [ ! -e wrong ] || fail "$(cat wrong)"
  [ -z "$(ls -A tmp)" ] || fail "left: $(ls -A tmp)"
}
says() { grep -qF -- "$1" said || fail "no '$1' in: $(cat said)"; }

job 0 1 0 none
job 2 1 2 none
job 0 2 '137 0' none
job 0 5 '137+ 1+ 139+ 137+ 0' none
says 'ended with code 139, newest checkpoint 00000014: restart 3'
[ "$(cut -d ' ' -f 1 given | sort -u | wc -l)" = 1 ] || fail "other jobs: $(cat given)"
[ "$(cut -d ' ' -f 2 given | xargs)" = '0 1 2 3 4' ] || fail "restarts: $(cat given)"
# No progress: three restarts, wherever they begin; an error that comes back at once.
job 137 4 137 none
says '3 restarts in a row ended with no newer checkpoint than none, the last with code 137. Hint: run/log'
job 139 6 '137+ 137 137+ 139' none
job 1 2 1 none
says 'the error came back; ended for good at checkpoint none'
job 1 5 '1+ 1+ 137 1 1' none
job 1 1 taken none
says 'another training works in run: ended for good'
# A population gets on where one of its members does.
job 1 4 'half half half 1' none --population 2
says 'ended with code 1, newest checkpoint 00000002: restart 3'
job 137 1 lent none --population 2
says 'another training works in run: ended for good'

for signal in USR1 TERM INT HUP; do
  job 75 1 waits $signal
  says 'stopped at step 12; the same command goes on'
done
job 75 1 early USR1
says 'stopped before the first step'
job 75 1 deaf TERM
# The launcher may be killed at its end by an USR1 too many, or by a rank's end; its ranks do not stay.
job 75 1 slow TERM
says 'stopped at step 12'

# A stop between two starts.
echo 137 >plan
RESTART_SECONDS=30 bash "$ROOT/jobs/workstation.sh" --run run >said 2>&1 &
script=$! rc=0
until grep -q 'restart 1' said; do sleep 0.02; done
kill -TERM $script
wait $script || rc=$?
[ $rc = 75 ] || fail "a stop between two starts ended with $rc"
says 'stopped between two starts'

# What the program is given; ranks that share cores.
job 0 1 0 none -n 4096 --mesh data=4,pipe=1024
grep -q -- "0 --quiet -n 4096 --bind-to none --oversubscribe env --block-signal=USR1,TERM $CIVITAS_BIN/civitas train \
--mesh data=4,pipe=1024 --run run\$" given || fail "$(cat given)"
job 0 1 0 none -n 1 --tiles t.h5
grep -q 'train --tiles t.h5 --run run --mesh data=1$' given || fail "$(cat given)"
job 0 1 0 none --population=2 # whose mesh is that of a member
grep -q 'train --population=2 --run run$' given || fail "$(cat given)"
refuses 2 'needs --run DIR on the command line' bash "$ROOT/jobs/workstation.sh" --tiles t.h5
refuses 2 '-n two: expected a number of ranks. Hint: -n 2' bash "$ROOT/jobs/workstation.sh" -n two --run run
refuses 2 '-n nothing: expected a number' bash "$ROOT/jobs/workstation.sh" -n
CIVITAS_BIN=$WORK/gone refuses 2 "no program $WORK/gone/civitas. Hint: CIVITAS_BIN=DIR" \
  env PATH=/usr/bin:/bin bash "$ROOT/jobs/workstation.sh" --run run

# Folders that a killed script has left are cleared; those of one that lives, or is not ours, are not.
mkdir tmp/civitas-job.{killed,lives,new} tmp/other
touch tmp/civitas-job.lives/owner
exec 7>tmp/civitas-job.lives/owner
flock -n 7
touch -d '2 minutes ago' tmp/civitas-job.{killed,lives} tmp/other
echo 0 >plan
run bash "$ROOT/jobs/workstation.sh" --run run
there=$(find tmp -mindepth 1 -maxdepth 1 -printf '%P\n' | sort | xargs)
[ "$there" = 'civitas-job.lives civitas-job.new other' ] || fail "there are: $there"
