# One rank of two is killed at named points and at random ones (the seed is printed, KILLS_SEED=N sets it) of one run,
# which goes on each time on another layout: from the newest checkpoint, never from a .part, to the bits and lines of an
# undisturbed run. A stop that is asked for at such a point is obeyed. No process, shared memory or file stays.
# KILLS_RANDOM=N tries so many random points.
make_store tiles.h5 40 64
words=(--net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --nz 8 --batch 8 --micro-batch 2
       --threads 1 --sample-every 0 --keep 2 --checkpoint-every 2)
run=$WORK/run
RANDOM=${KILLS_SEED:=$(date +%N | sed 's/^0*//')}
echo "seed $KILLS_SEED"
mkdir tmp
shared=$(mktemp -d /dev/shm/civitas-kills.XXXXXX)
trap 'kill -KILL $(pgrep -f -- "--run $run ") 2>/dev/null || true; rm -rf "$WORK" "$shared"' EXIT
export TMPDIR=$WORK/tmp OMPI_MCA_btl_vader_backing_directory=$shared OMPI_MCA_osc_sm_backing_directory=$shared

# train RANKS RUN OPTIONS...: its exit code in `rc`, and what it says in `said`.
train() {
  local n=$1
  rc=0
  timeout -k 1 100 mpirun --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n "$n" \
    env LD_PRELOAD="$TESTS/libfault_point.so" civitas train --tiles tiles.h5 --run "$2" "${words[@]}" "${@:3}" \
    >said 2>&1 || rc=$?
}
fingerprint() { grep -h '^fingerprint' "$1/log/rank-0.txt" | tail -n 1; }
# Whole lines, but for times and what depends on the layout.
lines() {
  grep '}$' "$1/metrics.jsonl" |
    sed -E -e 's/"cuts":\[[^]]*\],?//g' -e 's/"(rank|node)_bytes":\{[^}]*\},?//g' -e 's/"rank":[^}]*//' \
      -e 's/"(time|seconds|seconds_left|flops|peak_flops|[a-z]*_share|bytes|steps)":[^,}]*,?//g'
}
newest() {
  local file last=
  for file in run/checkpoints/step-*.h5; do [ ! -e "$file" ] || last=$file; done
  echo "$last"
}
# went_on_from FILE: or from nothing where that is empty. A start that was struck early may not say it.
went_on_from() {
  local from
  from=$(sed -n 's/.*resumed from .*\/\(step-.*\) after step .*/\1/p' said)
  [ "$from" = "${1##*/}" ] || { [ -z "$from" ] && ! grep -q '^step' said; } ||
    fail "$point: from '$from' instead of '$1': $(cat said)"
}
nothing_stays() {
  for _ in $(seq 100); do
    pgrep -f -- "--run $run " >/dev/null || break
    sleep 0.05
  done
  ! pgrep -f -- "--run $run " || fail "$point: processes stay"
  [ -z "$(find tmp "$shared" -mindepth 1)" ] || fail "$point: left: $(find tmp "$shared")"
}

# strike CODE RANK CALL 'WORDS OF THE CALL' [VARIABLE=...] -- OPTIONS: a start of the run that ends with CODE. The
# launcher names a rank that is killed.
strike() {
  local before code=$1 rank=$2 settings
  point="rank $2, call $3 of $4"
  settings=(FAULT_RANK="$2" FAULT_CALL="$3" FAULT_AT="$4")
  shift 4
  while [ "$1" != -- ]; do
    settings+=("$1")
    shift
  done
  point+=" (${settings[*]:3} $*)"
  before=$(newest)
  export "${settings[@]}"
  train 2 "$run" --steps 200 "${@:2}"
  unset "${settings[@]%%=*}"
  grep -q "^fault point: " said || fail "$point: never met: $(tail said)"
  [ $rc = "$code" ] || fail "$point: exit code $rc instead of $code: $(tail said)"
  [ "$code" != 137 ] || grep -q "process rank $rank .* exited on signal 9" said ||
    fail "$point: the rank is not named: $(tail said)"
  went_on_from "$before"
  nothing_stays
  echo "$point: $(grep -o '^fault point: .*' said), newest $(newest), $(lines run | wc -l) lines"
}
parts() { find run/checkpoints -name '*.part-*' | wc -l; }
has_part() { [ "$(parts)" = 1 ] || fail "$point: $(parts) parts: $(ls run/checkpoints)"; }
# made_step N: the start has made that step before it was struck.
made_step() { grep -q "^step $1/" said || fail "$point: no step $1: $(cat said)"; }
newest_is() { [ "$(newest)" = "${1:+run/checkpoints/step-0000000$1.h5}" ] || fail "$point: newest is $(newest)"; }

exchanged='MPI_Isend tag=[1-9]* first' # sums over ranks, and weights
# In the first save, of which a half of something is written; then before the second one gets its name, and after.
strike 137 1 3 'pwrite *.h5.part-* first' FAULT_MIDWAY=1 --
newest_is '' && has_part
strike 137 0 2 'rename *.h5.part-* first' -- --mesh pipe=2
newest_is 2 && has_part
strike 137 0 1 'fsync */checkpoints first' --
newest_is 4
# Before an older one goes; while what was written over it is read back.
strike 137 0 1 'rename *step-00000002.h5 first' -- --mesh pipe=2
newest_is 6 && [ -e run/checkpoints/step-00000002.h5 ] || fail "$point: $(ls run/checkpoints)"
strike 137 1 2 'pread *.h5.part-* first' --
newest_is 6 && has_part
# Behind the back of training.
strike 137 1 5 'pwrite *.h5.part-* other' FAULT_MIDWAY=1 -- --checkpoint-mode async
newest_is 6 && has_part
# Between two sums of gradients, in a gathering of weights, between two stages.
strike 137 1 50 "$exchanged" -- --shard gradients --weight-copies rank
made_step 7
strike 137 0 120 "$exchanged" -- --shard parameters --weight-copies rank
made_step 7
strike 137 1 40 'MPI_Isend *' -- --mesh pipe=2 --schedule gan
made_step 7
# Where ranks make steps each by itself, in turn: in a step, at a moment of rest, while steps of the others are told.
in_turn=(--update async --max-staleness 0)
strike 137 1 6 'pread *tiles.h5 other' -- "${in_turn[@]}"
strike 137 0 4 'pread *tiles.h5 other' -- "${in_turn[@]}"
strike 137 0 3 'pwrite *.h5.part-* first' FAULT_MIDWAY=1 -- "${in_turn[@]}"
has_part
strike 137 0 3 'pwrite */metrics.jsonl first' FAULT_MIDWAY=1 -- "${in_turn[@]}"
# While tiles are read, and in the midst of a line.
strike 137 1 12 'pread *tiles.h5 other' --
strike 137 0 3 'pwrite */metrics.jsonl first' FAULT_MIDWAY=1 --
[ -n "$(tail -c 1 run/metrics.jsonl)" ] || fail "$point: no torn line"

# Asked to stop there.
strike 75 1 3 'pwrite *.h5.part-* first' FAULT_SIGNAL=10 --
[ "$(newest)" = "run/checkpoints/step-$(printf %08d "$(cat run/stopped)").h5" ] || fail "$point: $(ls run/checkpoints)"
strike 75 0 60 "$exchanged" FAULT_SIGNAL=10 -- --shard parameters --weight-copies rank

layouts=('--weight-copies rank' '--mesh pipe=2' '--shard parameters' '--checkpoint-mode async' '' "${in_turn[*]}"
         '--weight-copies rank --shard gradients --recompute' '--weight-copies rank --shard parameters')
for _ in $(seq "${KILLS_RANDOM:-4}"); do
  read -ra layout <<<"${layouts[RANDOM % ${#layouts[@]}]}"
  rank=$((RANDOM % 2)) call=$((RANDOM % 150 + 1)) us=$((RANDOM % 40000))
  # Ranks that read each other's memory send nothing, and wait.
  [[ ${layout[*]} =~ rank|pipe ]] && where='MPI_Isend *' || where='MPI_Iprobe *'
  # Ranks that are not in step read tiles, one batch at a time.
  [[ ${layout[*]} =~ async\  ]] && where='pread *tiles.h5 other' call=$((call % 20 + 1))
  strike 137 $rank $call "$where" FAULT_US=$us -- "${layout[@]}"
done

before=$(newest)
steps=$((10#$(basename "${before#*step-}" .h5) + 3))
train 1 "$run" --steps $steps
[ $rc = 0 ] || fail "exit code $rc: $(tail said)"
went_on_from "$before"
train 1 "$WORK/straight" --steps $steps
[ -n "$(fingerprint run)" ] && [ "$(fingerprint run)" = "$(fingerprint straight)" ] ||
  fail "$(fingerprint run) instead of $(fingerprint straight)"
[ "$(lines straight | wc -l)" = $steps ] || fail "$(lines straight | wc -l) lines instead of $steps"
diff <(lines run) <(lines straight) || fail 'other lines of metrics'
ls straight/checkpoints | diff <(ls run/checkpoints) - || fail 'other checkpoints'
[ ! -e run/lock ] && [ "$(wc -l <run/metrics.jsonl)" = $steps ] || fail "left: $(ls run)"
