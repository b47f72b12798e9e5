# Ranks that update shared weights without waiting for each other.
source "$ROOT/tests/support/by_itself.sh"
make_store tiles.h5 40 64
small=(--tiles tiles.h5 --net dcgan-64 --generator-widths 16,16,8,8 --discriminator-widths 8,8,8,8
       --nz 8 --batch 8 --micro-batch 4 --threads 1 --sample-every 0)
train() { ranks "$1" civitas train "${@:2}"; }
fingerprint() { sed -n 's/^fingerprint //p' "$1"; }
# every_step_once RUN STEPS: the metrics have each step once, with its rank and staleness.
every_step_once() {
  [ "$(grep -o '"step":[0-9]*' "$1/metrics.jsonl" | cut -d : -f 2 | sort -nu | wc -l)" = "$2" ] &&
    [ "$(grep -c '"rank":.*"staleness":' "$1/metrics.jsonl")" = "$2" ] &&
    [ "$(wc -l <"$1/metrics.jsonl")" = "$2" ] || fail "metrics of $1: $(cat "$1/metrics.jsonl")"
}

# Alone, or with nobody ahead of anybody, ranks do what one rank does.
train 1 "${small[@]}" --run sync --steps 12 >sync.log 2>&1
train 1 "${small[@]}" --run alone --steps 12 --update async >alone.log 2>&1
train 1 "${small[@]}" --run bound --steps 12 --update async --max-staleness 0 >bound.log 2>&1
train 3 "${small[@]}" --run in-turn --steps 12 --update async --max-staleness 0 >in-turn.log 2>&1
for log in alone bound in-turn; do
  [ "$(fingerprint $log.log)" = "$(fingerprint sync.log)" ] || fail "other bits: $(cat $log.log)"
  every_step_once $log 12
done
grep -q 'staleness: mean 0.00, largest 0; ' in-turn.log || fail "$(cat in-turn.log)"
tells_of_first_rank in-turn.log in-turn
grep -q '^civitas .*, 3 ranks, each by itself, ' in-turn.log || fail "other ranks: $(cat in-turn.log)"

# Ranks take what they can, within the bound; a run goes on with any number of them, and without.
train 2 "${small[@]}" --run both --steps 30 --update async --async-moments own --delay 1=0.03 \
  --checkpoint-every 10 >both.log 2>&1
every_step_once both 30
grep -Eq '^steps by rank: rank 0: (1[6-9]|2[0-9]), rank 1: ' both.log ||
  fail "the slow rank made as many: $(cat both.log)"
# A rank's own pace is no more than that of all, and less in some line, behind steps of both.
python3 - <<'PYTHON' || fail "a rank's own pace: $(cat both/metrics.jsonl)"
import json
lines = [json.loads(line) for line in open("both/metrics.jsonl")]
paces = [(line["rank_steps_per_second"], line["steps_per_second"]) for line in lines if line["steps_per_second"] > 0]
assert all(own <= every * 1.0001 for own, every in paces), paces
assert any(0 < own < every for own, every in paces), paces
# Shares are of steps with what was waited before, which nobody does without a bound.
assert all(0 <= line["communication_share"] < 1 and line["bubble_share"] == 0 for line in lines), lines
PYTHON
[ "$(cd both/checkpoints && echo *)" = 'step-00000010.h5 step-00000020.h5 step-00000030.h5' ] ||
  fail "checkpoints: $(ls both/checkpoints)"
train 3 --config both/config.ini --steps 40 --max-staleness 1 >more.log 2>&1
grep -q 'resumed from both/checkpoints/step-00000030.h5 after step 30' more.log || fail "$(cat more.log)"
grep -q 'staleness: mean .*, largest [01]; ' more.log || fail "$(cat more.log)"
every_step_once both 40
grep -q '"bubble_share":0\.[0-9]*[1-9]' both/metrics.jsonl ||
  fail "nobody waited for the bound: $(cat both/metrics.jsonl)"
train 1 --config both/config.ini --steps 42 --update sync >last.log 2>&1
grep -q '^done: step 42 of 42' last.log || fail "$(cat last.log)"
grep -q -- '--async-moments own does nothing by --update sync: it is of async' last.log || fail "$(cat last.log)"
run civitas inspect both >said 2>&1
# How far it is, is told by the last step, whose line may not be the last.
cp -r both swapped
sed -i '41{h;d};42G' swapped/metrics.jsonl
tail -n 1 swapped/metrics.jsonl | grep -q '"step":41,' || fail "not swapped: $(cat swapped/metrics.jsonl)"
run civitas inspect swapped >said 2>&1
grep -q '^step 42 of 42' said || fail "$(cat said)"

# Lines come while nobody rests; a request to stop is obeyed by all between two steps.
mpirun --quiet --oversubscribe --bind-to none -n 2 civitas train "${small[@]}" --run stopped --steps 1000000 \
  --update async --checkpoint-every 0 >stopped.log 2>&1 &
job=$!
trap 'kill -9 $job 2>/dev/null || true; rm -rf "$WORK"' EXIT
for _ in $(seq 300); do grep -qs '^step 3/' stopped.log && break; sleep 0.1; done
grep -q '^step 3/' stopped.log || fail "no lines within 30 s: $(cat stopped.log)"
kill -USR1 $job
code=0
wait $job || code=$?
[ $code = 75 ] || fail "exit code $code instead of 75: $(cat stopped.log)"
grep -q '^stopped on request: step ' stopped.log || fail "$(cat stopped.log)"
last=$(sed -n 's/^stopped on request: step \([0-9]*\) of.*/\1/p' stopped.log)
[ "$(ls stopped/checkpoints)" = "step-$(printf %08d "$last").h5" ] || fail "checkpoints: $(ls stopped/checkpoints)"
every_step_once stopped "$last"

# A rank that is killed while the others go on is named, and the job ends with it: no process stays, nor anything in
# shared memory. The run goes on from the newest checkpoint with any number of ranks.
shared=$(mktemp -d /dev/shm/civitas-async.XXXXXX)
trap 'kill -9 $job 2>/dev/null || true; rm -rf "$WORK" "$shared"' EXIT
for rank in 1 0 2; do
  code=0
  FAULT_RANK=$rank FAULT_CALL=60 FAULT_AT='pread *tiles.h5 other' OMPI_MCA_btl_vader_backing_directory=$shared \
    OMPI_MCA_osc_sm_backing_directory=$shared timeout -k 1 60 mpirun --oversubscribe --bind-to none -n 3 \
    env LD_PRELOAD="$TESTS/libfault_point.so" civitas train "${small[@]}" --run "$WORK/killed" --steps 1000000 \
    --update async --checkpoint-every 4 >killed.log 2>&1 || code=$?
  [ $code = 137 ] || fail "exit code $code instead of 137: $(tail killed.log)"
  grep -q "process rank $rank .* exited on signal 9" killed.log || fail "rank $rank is not named: $(tail killed.log)"
  for _ in $(seq 100); do pgrep -f -- "--run $WORK/killed " >/dev/null || break; sleep 0.05; done
  ! pgrep -f -- "--run $WORK/killed " || fail 'processes stay'
  [ -z "$(find "$shared" -mindepth 1)" ] || fail "left: $(find "$shared")"
  last=$(find killed/checkpoints -name 'step-*.h5' | sort | tail -n 1)
  [ -n "$last" ] || fail "no checkpoint: $(tail killed.log)"
done
last=${last#*step-} last=$((10#${last%.h5}))
train 2 --config killed/config.ini --steps $((last + 6)) >killed.log 2>&1
grep -q "resumed from .* after step $last$" killed.log || fail "not from step $last: $(cat killed.log)"
every_step_once killed $((last + 6))

# For a checkpoint by the clock all rest.
keeps_files_by_the_clock async

# An error of one rank is that of all, and nobody waits for it.
damaged_copy tiles.h5 damaged.h5
for slow in 0 1; do
  code=0
  timeout 60 mpirun --quiet --oversubscribe --bind-to none -n 2 civitas train --tiles damaged.h5 "${small[@]:2}" \
    --run damaged --steps 1000 --update async --delay $slow=0.2 >damaged.log 2>&1 || code=$?
  [ $code = 1 ] || fail "exit code $code instead of 1: $(cat damaged.log)"
  grep -q 'error: .*: tile [0-9]* is damaged' damaged.log || fail "$(cat damaged.log)"
  [ ! -e damaged/lock ] || fail 'the lock is left'
done

# So are numbers that are none any more, of one rank or of both.
refuses 1 'in step ' mpirun --quiet --oversubscribe --bind-to none -n 2 civitas train "${small[@]}" --run nan \
  --steps 1000 --update async --loss lsgan --optimizer sgd --discriminator-lr 1
grep -Eq '^error: (rank [01]: )?in step [0-9]+ the gradient of .*, pass .*, is not finite. Hint: a lower ' said ||
  fail "$(cat said)"

# What needs other ranks is refused, before anything is written.
make_store odd.h5 4 96
refuses 2 '96' mpirun --quiet --oversubscribe -n 2 civitas train "${small[@]:2}" --tiles odd.h5 --run refused \
  --steps 2 --update async
[ ! -e refused ] || fail 'files after an error'
# refused UPDATE 'OPTIONS|part of the message' LAUNCHER...
refused() {
  local update=$1 mistake=$2 words
  shift 2
  read -ra words <<<"${mistake%|*}"
  refuses 2 "${mistake#*|}" "$@" civitas train "${small[@]}" --run refused --steps 2 --update "$update" "${words[@]}"
  [ ! -e refused ] || fail "files after an error"
}
for mistake in '--shard optimizer|divides what ranks hold' '--offload disk|stay in memory' \
  '--sync-batch-norm|nobody to normalise with' '--kernels auto|may differ' \
  '--trace t.json|what ranks do together' '--delay 1|is no RANK=SECONDS' \
  '--max-staleness few|is no number of steps' '--async-moments mine|unknown moments of async updates'; do
  refused async "$mistake"
done
two=(mpirun --quiet --oversubscribe -n 2)
refused async '--mesh pipe=2|divides nets among ranks' "${two[@]}"
refused async '--mesh tensor=2|a mesh of data=1,pipe=1,tensor=2 divides nets among ranks' "${two[@]}"
refused async '--node-size 1|these are on 2 nodes' "${two[@]}"
refused async '--stage-devices cpu,cuda --kernels aten|--stage-devices cpu,cuda has 2 devices' "${two[@]}"
refused async '--stage-devices cpu,cuda|is for devices of one kind' "${two[@]}"
[ -n "${CIVITAS_NEEDS_GPU:-}" ] || nvidia-smi --list-gpus >/dev/null 2>&1 ||
  refused async '--device cuda|no GPU can be used here' "${two[@]}"
refused maybe "|unknown update 'maybe'"

# A delay is of a rank of the run: in a population, of each member.
refused async '--delay 1=1|--delay names rank 1 of 1'
refused sync '--delay 1=1|--delay names rank 1 of 1'
refused sync '--population 2 --delay 1=1|--delay names rank 1 of 1' "${two[@]}"
