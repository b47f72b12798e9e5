#!/usr/bin/env bash
# Trains on this machine, through crashes: when a rank or mpirun is killed, the run is started again
# and goes on from its newest checkpoint, to the same bits as without a crash.
#
#   bash jobs/workstation.sh [-n RANKS] --tiles tiles.h5 --run runs/first --net dcgan-256 --batch 64 [OPTIONS]
#
# RANKS are 2 unless told; the options are those of `civitas train`, and --run must be on the command
# line. Ctrl-C, or `kill` with INT, TERM or USR1: the step is finished, a checkpoint saved, and it
# ends with 75; the same command goes on later, with as many ranks as you say then.
#
# It ends with the program's code when that is 0, 2 or 75, when an error (1) comes back at once or
# another training works in the folder, and when three restarts in a row reached no newer checkpoint.
# The program is taken from CIVITAS_BIN, this repository's build or the PATH. RESTART_SECONDS=N waits
# so long before a restart (5).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=${CIVITAS_BIN:-$root/build/release/bin}
[ -x "$bin/civitas" ] || bin=$(dirname "$(type -P civitas || echo "$bin/civitas")")
most_fruitless=3

say() { echo "workstation.sh: $*" >&2 || true; } # the terminal may be gone
wrong() { say "$@"; exit 2; }

# value_of OPTION WORDS...: what follows --option or --option=, nothing when it is not there.
value_of() {
  local option=$1
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      "$option") echo "${2:-}"; return ;;
      "$option"=*) echo "${1#*=}"; return ;;
    esac
    shift
  done
}

cores=$(nproc)
ranks=$((cores < 2 ? cores : 2))
if [ "${1:-}" = -n ]; then
  ranks=${2:-}
  shift $(($# < 2 ? $# : 2))
fi
[[ $ranks =~ ^[1-9][0-9]*$ ]] || wrong "-n ${ranks:-nothing}: expected a number of ranks. Hint: -n 2"
run=$(value_of --run "$@")
[ -n "$run" ] || wrong 'needs --run DIR on the command line'
[ -x "$bin/civitas" ] || wrong "no program $bin/civitas. Hint: CIVITAS_BIN=DIR"
type -P mpirun >/dev/null || wrong 'no mpirun on the PATH. Hint: bash jobs/setup.sh'
# A launcher of another MPI library would start as many runs as there are ranks, all in one folder.
# With the number of ranks said, each of them refuses; so it does with --population, whose mesh is that
# of a member.
options=("$@")
[ -n "$(value_of --mesh "$@")$(value_of --config "$@")$(value_of --population "$@")" ] ||
  options+=(--mesh "data=$ranks")

# What Open MPI keeps in /dev/shm and /tmp it keeps in two folders of this job: a launcher that was
# killed leaves it there. They are locked as long as this script or its launcher lives, so that a
# later start can tell those that a killed script has left (and leaves one in the making alone).
temporary=${TMPDIR:-/tmp}
clear_killed() {
  local folder
  while read -r folder; do
    ! flock -n "$folder/owner" true || rm -rf "$folder"
  done < <(find /dev/shm "$temporary" -maxdepth 1 -type d -name 'civitas-job.*' -user "$(id -u)" \
    -mmin +1 2>/dev/null || true)
}
clear_killed
folders=("$(mktemp -d /dev/shm/civitas-job.XXXXXX)")
trap 'rm -rf "${folders[@]}"' EXIT
folders+=("$(mktemp -d "$temporary/civitas-job.XXXXXX")")
exec 8>"${folders[0]}/owner" 9>"${folders[1]}/owner"
flock -n 8 && flock -n 9
export OMPI_MCA_btl_vader_backing_directory=${folders[0]} OMPI_MCA_osc_sm_backing_directory=${folders[0]}
export OMPI_MCA_osc_rdma_backing_directory=${folders[0]} OMPI_MCA_orte_tmpdir_base=${folders[1]}
# As root (in containers) Open MPI wants to be asked twice.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

launch=(mpirun --quiet -n "$ranks" --bind-to none)
[ "$ranks" -le "$cores" ] || launch+=(--oversubscribe)

# A session of its own: Ctrl-C reaches this script alone, and what a killed launcher leaves is known
# by it. `env` blocks both signals for a rank before its program is loaded. To the program these are
# starts of one job: a --resume FILE of the first start is not obeyed again.
CIVITAS_JOB_ID=workstation-$$-$(date +%s)
export CIVITAS_JOB_ID
launcher='' rc=0
start() {
  CIVITAS_RESTART_COUNT=$1 setsid "${launch[@]}" env --block-signal=USR1,TERM \
    "$bin/civitas" train "${options[@]}" &
  launcher=$!
}

# Only ever USR1 to the launcher, which hands it to the ranks: TERM would end it, and them, at once.
# One that comes while the launcher starts is lost, so it is sent again.
asked=no heard=no
trap 'asked=yes' USR1 TERM INT HUP
lives() { kill -0 "$launcher" 2>/dev/null; }
await() {
  local polls=0
  while [ $asked = no ] && lives; do
    wait "$launcher" || true # comes back early when a signal was trapped
  done
  for (( ; ; polls++)); do
    lives || break
    [ $((polls % 10)) != 0 ] || kill -USR1 "$launcher" 2>/dev/null || true
    sleep 0.2 || true
  done
  rc=0
  wait "$launcher" || rc=$?
  heard=$asked
}

# Processes of the launcher's session. The name in /proc/PID/stat, in brackets, may hold anything, even lines.
members() {
  local stat line
  for stat in /proc/[0-9]*/stat; do
    read -r line 2>/dev/null <"$stat" || continue
    read -ra line <<<"${line##*) }" # state, parent, group, session
    [ "${line[3]:-}" != "$launcher" ] || [ "${line[0]}" = Z ] || basename "$(dirname "$stat")"
  done
}

# Ranks whose launcher was killed notice it and end; those that do not are ended.
clear_job() {
  local polls=0 left
  while mapfile -t left < <(members) && [ ${#left[@]} -gt 0 ]; do
    [ $((++polls)) -le 15 ] || kill -9 "${left[@]}" 2>/dev/null || true
    sleep 0.2 || true
  done
  find "${folders[@]}" -mindepth 1 ! -name owner -delete
}

stopped() { stat -c %.Y "$run/stopped" 2>/dev/null || true; }
# The newest checkpoint of the run, or of each member of a population that has one.
newest() {
  local folder file last all=''
  for folder in "$run"/checkpoints "$run"/[0-9]*/checkpoints; do
    last=''
    for file in "$folder"/step-*.h5; do [ ! -e "$file" ] || last=${file##*/step-}; done
    [ -z "$last" ] || all+=,${last%.h5}
  done
  all=${all#,}
  echo "${all:-none}"
}

# Whether the run, or a member, is in other hands, whose progress is not ours: our own locks name this job.
taken() {
  local lock
  for lock in "$run"/lock "$run"/[0-9]*/lock; do
    [ ! -e "$lock" ] || grep -qxF "job = $CIVITAS_JOB_ID" "$lock" || return 0
  done
  return 1
}

# `stopped` is written once all ranks have saved; of ranks that then leave one after the other the
# launcher may kill the last and report that.
end_if_stopped() {
  local now
  now=$(stopped)
  if [ -n "$now" ] && [ "$now" != "$1" ]; then
    say "stopped at step $(cat "$run/stopped"); the same command goes on"
    exit 75
  fi
  [ $heard = yes ] || return 0
  case $rc in
    75 | 138) say 'stopped before the first step'; exit 75 ;; # 138: USR1 found no ranks yet
    *) say "asked to stop, ended with $rc"; exit "$rc" ;;
  esac
}

rest() {
  [ $asked = no ] || return 0
  sleep "${RESTART_SECONDS:-5}" &
  local sleeper=$!
  wait $sleeper || true
  kill $sleeper 2>/dev/null || true
}

fruitless=0 failed_at=never
for ((restarts = 0; ; restarts++)); do
  before=$(newest)
  marked=$(stopped)
  start $restarts
  await 2>/dev/null # without the shell's words on what was killed
  clear_job
  end_if_stopped "$marked"
  case $rc in 0 | 2 | 75) exit $rc ;; esac
  if taken; then
    say "another training works in $run: ended for good"
    exit $rc
  fi

  step=$(newest)
  if [ $rc = 1 ]; then
    [ "$failed_at" != "$step" ] || { say "the error came back; ended for good at checkpoint $step"; exit 1; }
    failed_at=$step
  else
    failed_at=never
  fi
  if [ "$step" != "$before" ]; then fruitless=0; elif [ $restarts -gt 0 ]; then fruitless=$((fruitless + 1)); fi
  if [ $fruitless -ge $most_fruitless ]; then
    say "$most_fruitless restarts in a row ended with no newer checkpoint than $step, the last with code $rc." \
      "Hint: $run/log and the lines above say why; --checkpoint-every may be too long"
    exit $rc
  fi
  say "ended with code $rc, newest checkpoint $step: restart $((restarts + 1))"
  rest
  if [ $asked = yes ]; then
    say 'stopped between two starts; the same command goes on'
    exit 75
  fi
done
