#!/usr/bin/env bash
# jobs/train.sbatch on a real Slurm of two hosts, which are network namespaces of this machine. Two ranks and
# four on both hosts train by sums of gradients, by weights on servers and with replicas, and end with the bits
# of one rank. A job is pre-empted by another one, saves, is queued again and goes on on one host; a host is
# killed outright, that of the root rank, the job is queued again and goes on on the other: both end with the
# bits of a run that was left alone, and leave no process and no file on the hosts. So does a job of servers, one
# of whose workers is stopped and does not go on: it is COMPLETED with the code 0, though srun ends with 137. Not
# part of run.sh: it takes four minutes, root, and a machine without a Slurm of its own that has its packages
# (apt-get install --no-install-recommends slurm-wlm munge).
#
#   SLURM_CLUSTER=FILE bash tests/slurm.sh [updates|preempted|stopped|killed...]
#
# FILE is the script that makes such a cluster: FILE up HOSTS CPUS, FILE kill HOST, FILE down.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cluster=${SLURM_CLUSTER:-$root/../shared/tools/slurm-cluster}
export CIVITAS_BIN=${CIVITAS_BIN:-$root/build/release/bin}
export PATH=$CIVITAS_BIN:$root/build/release/tests:/usr/sbin:$PATH
conf=/etc/slurm/slurm.conf

refuse() { echo "slurm.sh: not run: $*" >&2; exit 1; }
[ -x "$cluster" ] || refuse "no $cluster. Hint: SLURM_CLUSTER=FILE"
for program in slurmctld slurmd munged sbatch ip; do
  command -v $program >/dev/null || refuse "no $program. Hint: apt-get install --no-install-recommends slurm-wlm munge"
done
for program in civitas make_store; do
  command -v $program >/dev/null || refuse "no $program. Hint: ninja -C build/release civitas make_store"
done
[ "$(id -u)" = 0 ] || refuse 'network namespaces need root'
[ ! -e $conf ] || refuse "$conf is there: this machine belongs to a cluster, or one of an earlier test is up"

munges() { pgrep -x --runstates R,S,D munged || true; } # its processes, but those that have ended
work=$(mktemp -d)
export SLURM_TEST_DIR=$work/cluster
munge=$(munges)
end_everything() {
  trap - EXIT
  timeout 60 "$cluster" down || true
  [ -n "$munge" ] || kill "$(munges)" 2>/dev/null || true
  rm -rf "$work"
}
trap end_everything EXIT
trap 'exit 1' INT TERM
cd "$work"
make_store tiles.h5 40 64
fail() {
  echo "FAILED: $name: $*" >&2
  [ ! -e log ] || grep -v '^step' log | tail -n 20 >&2
  exit 1
}

# Jobs of the partition `urgent` take hosts from others, which have a minute to save.
begin_cluster() {
  local controller
  timeout 60 "$cluster" up 2 2 >up.said 2>&1 || fail "no cluster: $(cat up.said)"
  sed -i '/^PartitionName/d' $conf
  cat >>$conf <<'CONF'
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=debug Nodes=ALL Default=YES State=UP PriorityTier=1 GraceTime=60
PartitionName=urgent Nodes=ALL State=UP PriorityTier=9
CONF
  controller=$(cat "$SLURM_TEST_DIR/slurmctld.pid")
  kill "$controller"
  timeout 20 tail --pid="$controller" -f /dev/null
  slurmctld
  within 30 are_idle 2 || fail "the hosts are $(sinfo)"
}

# within SECONDS COMMAND...: is true in time.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.3
  done
}
are_idle() { [ "$(sinfo -h -p debug -t idle -o %D)" = "$1" ]; }
state() { squeue -h -j "${1:-$job}" -o '%T %N' 2>/dev/null || true; }
is() { [ "$(state "${2:-}")" = "$1" ]; }
newest() { find "$run/checkpoints" -name 'step-*.h5' 2>/dev/null | sort | tail -n 1; }
is_newer() { [[ $(newest) > $1 ]]; }
figures() { grep -o '"step":[0-9]*\|"\(d_loss\|g_loss\|d_real\|d_fake\)":[^,}]*' "$1/metrics.jsonl"; }
fingerprint() { grep -h '^fingerprint' "$1/log/rank-0.txt" | tail -n 1; }
words=(--tiles "$work/tiles.h5" --net dcgan-64 --generator-widths '8,8,8,8' --discriminator-widths '8,8,8,8' --nz 8
       --batch 16 --micro-batch 2 --sample-every 0 --lr-schedule constant)

# A training of four ranks on both hosts, with a checkpoint.
begin_job() {
  run=$work/$name
  rm -f log
  job=$(timeout 20 sbatch --parsable --nodes=1-2 --ntasks-per-node=2 --cpus-per-task=1 --time=30 --output="$work/log" \
    "$root/jobs/train.sbatch" "${words[@]}" --threads 1 --run "$run" --checkpoint-every 20 --steps 1000000)
  within 60 is 'RUNNING n[1-2]' || fail "not on two hosts: $(state)"
  within 60 is_newer '' || fail 'no checkpoint'
  grep -q ', 4 ranks, mesh data=4' log || fail 'not four ranks'
}

# goes_on HOST: the job does, with two ranks on this one, from the newest checkpoint; it is ended and looked at.
goes_on() {
  local from steps
  within 120 is 'PENDING ' || fail "not queued again: $(state)"
  from=$(newest)
  # Slurm 22.05 keeps the number of tasks that the job had, which one host has no room for.
  within 60 timeout 20 scontrol update JobId="$job" NumTasks=2 || fail "not to be changed: $(state)"
  within 120 is "RUNNING $1" || fail "not on $1: $(scontrol show job "$job")"
  within 60 grep -q "resumed from $from after" log || fail "not from $from"
  within 30 grep -q ', 2 ranks, mesh data=2' log || fail 'not two ranks'
  within 60 is_newer "$from" || fail "nothing newer than $from"
  echo "$name: on $1 from $(basename "$from")"
  scancel "$job"
  within 60 is '' || fail "not ended: $(state)"
  steps=$(cat "$run/stopped") || fail 'not saved'
  civitas train "${words[@]}" --threads 1 --run "$run.straight" --checkpoint-every 0 --steps "$steps" >straight.said ||
    fail "$(tail straight.said)"
  [ "$(fingerprint "$run")" = "$(fingerprint "$run.straight")" ] || fail "other bits at step $steps"
  [ "$(figures "$run")" = "$(figures "$run.straight")" ] || fail 'other metrics'
  [ -z "$(find "$run" -name '*.part-*' -o -name lock)" ] || fail "left: $(find "$run")"
  nothing_stays "$1"
  echo "$name: at step $steps $(fingerprint "$run"), as a run that was left alone"
}
nothing_stays() {
  local host
  ! pgrep -f -- "--run $run " || fail 'processes stay'
  host=$(pgrep -f "^slurmd -N $1\$" | head -n 1)
  # shellcheck disable=SC2016
  nsenter --mount --target "$host" sh -c '[ -z "$(ls -A /dev/shm /var/tmp | grep -v ":$")" ]' ||
    fail "files stay on $1: $(nsenter --mount --target "$host" ls -A /dev/shm /var/tmp)"
}

# learn RANKS OPTIONS...: six steps by so many ranks, half of them on each host, with one thread for each replica.
learn() {
  run=$work/$name.$*
  run=${run// /}
  rm -f log
  job=$(timeout 20 sbatch --parsable --nodes=2 --ntasks-per-node=$(($1 / 2)) --cpus-per-task=1 --time=9 \
    --output="$work/log" "$root/jobs/train.sbatch" "${six[@]}" --run "$run" "${@:2}")
  within 120 is '' || fail "$*: not ended: $(state)"
  timeout 20 scontrol show job "$job" | grep -q '^ *NodeList=n\[1-2\]$' || fail "$*: not on two hosts"
  [ "$(find "$run/log" -name 'rank-*.txt' | wc -l)" = "$1" ] || fail "$*: not by $1 ranks"
  [[ $* != *server* ]] || grep -q "\"ranks\":\[[0-9,]*[$(($1 / 2))-$(($1 - 1))]" "$run/metrics.jsonl" ||
    fail "$*: nothing was made on n2"
  [ "$(fingerprint "$run")" = "$alone" ] || fail "$*: other bits: $(fingerprint "$run")"
  echo "$name: $* with the $alone of one rank"
}

# Replicas go with sums of gradients alone.
updates() {
  local alone ranks six=("${words[@]}" --checkpoint-every 0 --steps 6)
  civitas train "${six[@]}" --threads 1 --run "$work/$name" >one.said || fail "$(tail one.said)"
  alone=$(fingerprint "$work/$name") || fail 'no bits of one rank'
  for ranks in 2 4; do
    learn $ranks --threads 1 --update sync
    learn $ranks --threads 1 --update server --max-staleness 0
    learn $ranks --threads 1 --update server --max-staleness 0 --servers 1
    learn $ranks --threads 2 --replicas 2
  done
}

preempted() {
  local other
  begin_job
  other=$(timeout 20 sbatch --parsable --partition=urgent --nodelist=n2 --exclusive --output=/dev/null \
    --wrap 'sleep 600')
  within 60 grep -q 'train.sbatch: stopped at step .*, queued again' log || fail 'not stopped'
  [ -e "$run/checkpoints/step-$(printf %08d "$(cat "$run/stopped")").h5" ] || fail 'not saved'
  within 60 is 'RUNNING n2' "$other" || fail "the other job: $(squeue)"
  goes_on n1
  scancel "$other"
}

# A worker on n2 is stopped in the midst of a run, and does not go on.
stopped() {
  local pid worker='' steps=(--threads 1 --checkpoint-every 0 --steps 200)
  run=$work/$name
  civitas train "${words[@]}" "${steps[@]}" --run "$run.straight" >straight.said || fail "$(tail straight.said)"
  rm -f log
  job=$(timeout 20 sbatch --parsable --nodes=2 --ntasks-per-node=2 --cpus-per-task=1 --time=9 --output="$work/log" \
    "$root/jobs/train.sbatch" "${words[@]}" "${steps[@]}" --run "$run" --update server --servers 1 --max-staleness 0 \
    --hang-seconds 6)
  within 60 grep -qs '^step 3/' log || fail "no step: $(state)"
  for pid in $(pgrep -f -- "--run $run "); do
    [ "$(tr '\0' '\n' <"/proc/$pid/environ" | grep -cx 'SLURM_PROCID=3\|SLURMD_NODENAME=n2')" != 2 ] || worker=$pid
  done
  [ -n "$worker" ] || fail 'no rank 3 on n2'
  kill -STOP "$worker"
  within 120 is '' || fail "not ended: $(state)"
  grep -qx 'rank 0: warning: no answer from rank 3: the job ends, and all that was learnt is saved' log ||
    fail 'the stopped worker is not named'
  [ "$(fingerprint "$run")" = "$(fingerprint "$run.straight")" ] || fail "other bits: $(fingerprint "$run")"
  [ -e "$run/checkpoints/step-00000200.h5" ] || fail "not saved: $(find "$run")"
  [ ! -e "$run/lock" ] || fail 'the lock is left'
  [ "$(outcome)" = 'COMPLETED 0:0, 0 restarts' ] || fail "the job is $(outcome)"
  grep -qx 'train.sbatch: done, though srun .*' log || fail 'no word about srun'
  nothing_stays n1
  nothing_stays n2
  echo "$name: $(outcome), $(fingerprint "$run"), as a run without a stopped worker"
}
outcome() {
  timeout 20 scontrol show job "$job" | tr ' ' '\n' |
    awk -F = '{ is[$1] = $2 } END { print is["JobState"] " " is["ExitCode"] ", " is["Restarts"] " restarts" }'
}

killed() {
  begin_job
  timeout 20 "$cluster" kill n1
  goes_on n2
  grep -q "warning: took over .* on host n1 .* which has ended" log || fail 'no word about the taken lock'
}

[ $# -gt 0 ] || set -- updates preempted stopped killed # the last leaves one host
for name in "$@"; do
  case $name in updates | preempted | stopped | killed) ;; *) refuse "no $name" ;; esac
done
name=cluster
begin_cluster
for name in "$@"; do "$name"; done
echo 'slurm.sh: the same bits everywhere'
