# Weights on servers: workers make parts of steps, and nobody waits for one that has been stopped.
source "$ROOT/tests/support/by_itself.sh"
make_store tiles.h5 40 64
small=(--tiles tiles.h5 --net dcgan-64 --generator-widths 16,16,8,8 --discriminator-widths 8,8,8,8
       --nz 8 --batch 8 --micro-batch 2 --threads 1 --sample-every 0)
fingerprint() { sed -n 's/^fingerprint //p' "$1"; }
# same_bits LOG OTHER: as the run of OTHER.
same_bits() {
  [ -n "$(fingerprint "$1")" ] && [ "$(fingerprint "$1")" = "$(fingerprint "$2")" ] ||
    fail "other bits: $(cat "$1")"
}
# figures RUN: what the metrics say of learning.
figures() { grep -o '"step":[0-9]*\|"[dg]_[a-z]*":[^,]*' "$1/metrics.jsonl"; }

# as_planned LOG: what the first rank holds of nets, and stands ready to receive, in tenths of a megabyte.
as_planned() {
  local row planned found
  for row in parameters 'sums of gradients' moments 'mean of weights' 'message buffers'; do
    read -r planned found < <(sed -n "s/^ *$row *\([0-9.]*\) MB  *\([0-9.]*\) MB.*/\1 \2/p" "$1")
    [ -n "$planned" ] && [ "$planned" = "$found" ] ||
      fail "planned $planned MB of $row, counted $found MB: $(cat "$1")"
  done
}

# In step, any number of workers and servers have the bits of one rank; with three of four parts of a step somebody
# makes two at once. A run goes on with others.
ranks 1 civitas train "${small[@]}" --run sync --steps 12 >sync.log 2>&1
ranks 1 civitas train "${small[@]}" --run bf16 --steps 6 --precision bf16 --kernels fast >bf16.log 2>&1
ranks 2 civitas train "${small[@]}" --run bf16-served --steps 6 --precision bf16 --kernels fast --update server \
  >bf16-served.log 2>&1
same_bits bf16-served.log bf16.log
ranks 2 civitas train --tiles tiles.h5 --net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 \
  --nz 8 --batch 2 --micro-batch 2 --threads 1 --sample-every 0 --run idle --steps 1 --update server >said 2>&1
grep -q 'warning: 1 worker is always idle: a step has 1 part for 2, with --batch 4 it has one for each$' said ||
  fail "no word of a worker that has nothing to do: $(cat said)"
for layout in '1 0' '2 0' '3 0' '4 2'; do
  read -r n servers <<<"$layout"
  ranks "$n" civitas train "${small[@]}" --run "served-$n-$servers" --steps 12 --update server --servers "$servers" \
    --checkpoint-every 5 >served.log 2>&1
  same_bits served.log sync.log
  as_planned served.log
  case "$n $servers" in
    '1 0') said=', 1 rank, mesh data=1,' ;;
    '4 2') said=', 4 ranks, 2 serve, 1 threads a rank' ;;
    *) said=", $n ranks that serve and work, 1 threads a rank" ;;
  esac
  grep -q "^civitas .*$said" served.log || fail "not '$said': $(cat served.log)"
  # On a busy machine a part may be made twice, and then its losses of D are those of the second time.
  grep -q 'makes it, too' served.log ||
    [ "$(figures "served-$n-$servers")" = "$(figures sync)" ] || fail "other figures of $n ranks"
  grep -q 'staleness: mean 0.00, largest 0; ' served.log || fail "$(cat served.log)"
  # The whole step is planned, also where a worker makes two parts of it.
  python3 - "served-$n-$servers/plan.json" served.log <<'END' || fail "a part is told as a step: $(cat served.log)"
import json, re, sys
planned = json.load(open(sys.argv[1]))["step_seconds"]
told = float(re.search("a step should take ([0-9.e-]+) s", open(sys.argv[2]).read())[1])
assert abs(told - planned) < 0.01 * planned, (told, planned)
END
done
# What a rank that only serves has sent is let go: its memory stays within a tenth of what is planned.
ranks 3 civitas train --tiles tiles.h5 --net dcgan-64 --batch 4 --micro-batch 4 --threads 1 --sample-every 0 \
  --checkpoint-every 0 --run steady --steps 24 --update server --servers 1 >steady.log 2>&1
sed -n 's/^ *resident memory *\([0-9.]*\) MB *\([0-9.]*\) MB.*/\1 \2/p' steady.log |
  awk '$2 > 1.1 * $1 { wrong = 1 } END { exit wrong || NR != 1 }' || fail "memory of a server grows: $(cat steady.log)"

# Planned before, they are planned alike.
civitas plan --update server --ranks 4 --servers 2 "${small[@]:2:12}" >plan.said
sed -n 's/^  rank 0 *\([0-9.]*\) *\([0-9.]*\) *\([0-9.]*\) *\([0-9.]*\) .*/\1 \2 \3 \4/p' plan.said | head -n 1 >before
for row in parameters 'sums of gradients' moments 'mean of weights'; do
  sed -n "s/^ *$row *\([0-9.]*\) MB .*/\1/p" served.log
done | paste -sd ' ' >planned
cmp before planned || fail "planned otherwise: $(cat plan.said served.log)"
ranks 2 civitas train "${small[@]}" --run goes-on --steps 5 --update server >first.log 2>&1
ranks 3 civitas train --config goes-on/config.ini --steps 9 --servers 1 >second.log 2>&1
grep -q 'resumed from goes-on/checkpoints/step-00000005.h5 after step 5' second.log || fail "$(cat second.log)"
ranks 1 civitas train --config goes-on/config.ini --steps 12 --update sync >last.log 2>&1
same_bits last.log sync.log
figures goes-on | grep -c '"step"' | grep -qx 12 || fail "steps: $(cat goes-on/metrics.jsonl)"

# With a bound, a slow worker makes less, and no gradient is staler.
ranks 3 civitas train "${small[@]}" --run stale --steps 30 --update server --servers 1 --max-staleness 2 \
  --delay 2=0.05 >stale.log 2>&1
grep -q 'staleness: mean .*, largest [12]; ' stale.log || fail "$(cat stale.log)"
read -r fast slow < <(sed -n 's/^parts of steps by rank: rank 1: \([0-9]*\), rank 2: \([0-9]*\)$/\1 \2/p' stale.log)
tells_of_first_rank stale.log stale
grep -c '"seconds":[0-9.e-]*,.*"steps_per_second":[1-9]' stale/metrics.jsonl | grep -qx 30 ||
  fail "no pace: $(cat stale/metrics.jsonl)"
[ "$fast" -gt "$slow" ] || fail "the slow worker made as many: $(cat stale.log)"

# ends_without RUN WORKER: the steps are made while this process is stopped; it goes on then, and all end well.
ends_without() {
  local code=0
  for _ in $(seq 600); do grep -qs '^fingerprint' "$1.log" && break; sleep 0.1; done
  grep -q '^fingerprint' "$1.log" || fail "no end within 60 s without $2: $(tail "$1.log")"
  kill -CONT "$2"
  wait $job || code=$?
  [ $code = 0 ] || fail "exit code $code: $(cat "$1.log")"
}

# A worker that has been stopped is named, its parts are made by another, and the bits stay.
mpirun --quiet --oversubscribe --bind-to none -n 3 civitas train --run halted "${small[@]}" --steps 60 \
  --update server --servers 1 >halted.log 2>&1 &
job=$!
trap 'kill -9 $job 2>/dev/null || true; rm -rf "$WORK"' EXIT
for _ in $(seq 600); do grep -qs '^step 3/' halted.log && break; sleep 0.05; done
worker=$(pid_of halted 2)
kill -STOP "$worker"
ends_without halted "$worker"
grep -q 'warning: rank 2 has not ended part [01] of step [0-9]*: rank 1 makes it, too' halted.log ||
  fail "$(cat halted.log)"
ranks 1 civitas train "${small[@]}" --run undisturbed --steps 60 >undisturbed.log 2>&1
same_bits halted.log undisturbed.log

# So it is with a bound, where steps end as soon as others may make its parts: after four times as long as parts take,
# and a second, or ten where none has been made. The bits depend on who was ready when.
mpirun --quiet --oversubscribe --bind-to none -n 3 civitas train --run stale-halted "${small[@]}" --steps 60 \
  --update server --servers 1 --max-staleness 2 >stale-halted.log 2>&1 &
job=$!
for _ in $(seq 600); do grep -qs '^step 3/' stale-halted.log && break; sleep 0.05; done
worker=$(pid_of stale-halted 2)
kill -STOP "$worker"
ends_without stale-halted "$worker"
grep -q 'warning: rank 2 has not ended part [01] of step [0-9]*: rank 1 makes it, too' stale-halted.log ||
  fail "$(cat stale-halted.log)"
python3 - <<'PYTHON' || fail "the steps waited for it: $(cat stale-halted/metrics.jsonl)"
import json
lines = [json.loads(line) for line in open("stale-halted/metrics.jsonl")]
times = sorted(line["time"] for line in lines)
longest = max(after - before for before, after in zip(times, times[1:]))
assert sorted(line["step"] for line in lines) == list(range(1, 61)), lines
assert longest < 20, longest
PYTHON

# One that is stopped when the run ends is named as well, and the job ends without it, since all is done.
mpirun --quiet --oversubscribe --bind-to none -n 3 civitas train --run left "${small[@]}" --steps 60 --update server \
  --servers 1 --hang-seconds 6 >left.log 2>&1 &
job=$!
for _ in $(seq 600); do grep -qs '^step 3/' left.log && break; sleep 0.05; done
worker=$(pid_of left 2)
kill -STOP "$worker"
timeout 60 tail --pid=$job -f /dev/null || fail "the job has not ended: $(tail left.log)"
code=0
wait $job || code=$?
[ $code = 0 ] || fail "exit code $code: $(cat left.log)"
grep -q 'warning: no answer from rank 2: the job ends, and all that was learnt is saved' left.log ||
  fail "$(cat left.log)"
same_bits left.log undisturbed.log
[ -e left/checkpoints/step-00000060.h5 ] && [ ! -e left/lock ] || fail "left: $(ls left left/checkpoints)"
grep -q 'warning: no answer from rank 2' left/log/rank-0.txt || fail "its log: $(tail left/log/rank-0.txt)"
for _ in $(seq 40); do [ ! -d "/proc/$worker" ] || sleep 0.1; done
[ ! -d "/proc/$worker" ] || fail "rank 2 stays: $(cat "/proc/$worker/status")"

# A request to stop is obeyed between two steps.
mpirun --quiet --oversubscribe --bind-to none -n 2 civitas train "${small[@]}" --run stopped --steps 1000000 \
  --update server --checkpoint-every 0 >stopped.log 2>&1 &
job=$!
for _ in $(seq 300); do grep -qs '^step 3/' stopped.log && break; sleep 0.1; done
kill -USR1 $job
code=0
wait $job || code=$?
[ $code = 75 ] || fail "exit code $code instead of 75: $(cat stopped.log)"
grep -q '^stopped on request: step ' stopped.log || fail "$(cat stopped.log)"
[ "$(ls stopped/checkpoints | wc -l)" = 1 ] || fail "no checkpoint: $(ls stopped/checkpoints)"

keeps_files_by_the_clock server

# An error of one worker is that of all, and nobody waits for it.
damaged_copy tiles.h5 damaged.h5
for servers in 0 1; do
  code=0
  timeout 60 mpirun --quiet --oversubscribe --bind-to none -n 3 civitas train --tiles damaged.h5 "${small[@]:2}" \
    --run damaged --steps 1000 --update server --servers $servers >damaged.log 2>&1 || code=$?
  [ $code = 1 ] || fail "exit code $code instead of 1: $(cat damaged.log)"
  [ "$(grep -c 'error: .*: tile [0-9]* is damaged' damaged.log)" = 1 ] || fail "$(cat damaged.log)"
  # Whose error it was; that rank's log has it, too.
  rank=$(sed -n 's/^error: rank \([0-2]\): "damaged.h5": tile .* is damaged.*/\1/p' damaged.log)
  [ -n "$rank" ] || fail "no rank, or more: $(cat damaged.log)"
  grep -q '^error: .* is damaged' "damaged/log/rank-$rank.txt" ||
    fail "its own log: $(tail -n 2 "damaged/log/rank-$rank.txt")"
  [ ! -e damaged/lock ] || fail 'the lock is left'
done

# What does not go together is refused, before anything is written.
make_store odd.h5 4 96
refuses 2 '96' mpirun --quiet --oversubscribe -n 2 civitas train "${small[@]:2}" --tiles odd.h5 --run refused \
  --steps 2 --update server
[ ! -e refused ] || fail 'files after an error'
for mistake in '--mesh pipe=2|divides nets among ranks' '--shard optimizer|divides what ranks hold' \
  '--offload disk|stay in memory' '--sync-batch-norm|nobody to normalise with' '--kernels auto|may differ' \
  '--trace t.json|what ranks do together' '--delay 2=1|names rank 2 of 2' \
  '--servers 2|--servers 2 leaves no worker of 2 ranks' '--max-staleness any|gradients of steps that are not complete' \
  '--device cuda|are in memory of the host' '--stage-devices cuda|are in memory of the host'; do
  read -ra words <<<"${mistake%|*}"
  refuses 2 "${mistake#*|}" mpirun --quiet --oversubscribe -n 2 civitas train "${small[@]}" --run refused --steps 2 \
    --update server "${words[@]}"
  [ ! -e refused ] || fail "files after an error"
done
