# Replicas in one process make the bits that as many ranks make; what cannot have replicas is refused, and what fails
# in one of them ends the run with one message.
make_store tiles.h5 40 64
# The widths are a list for one option.
# shellcheck disable=SC2054
nets=(--net dcgan-64 --generator-widths 64,32,16,16 --discriminator-widths 16,16,32,64 --nz 8 --micro-batch 2)
small=("${nets[@]}" --batch 16 --sample-every 0 --checkpoint-every 0)
fingerprint() { sed -n 's/^fingerprint //p' "$1.txt" | tail -n 1; }
# learn RANKS RUN OPTIONS...
learn() {
  ranks "$1" civitas train --tiles tiles.h5 --run "$2" "${small[@]}" "${@:3}" >"$2.txt" 2>&1
}
newest() { ls "$1/checkpoints" | tail -n 1; }

for kind in "4 fp32 aten" "2 bf16 fast"; do
  read -r replicas precision kernels <<<"$kind"
  same=(--steps 3 --precision "$precision" --kernels "$kernels")
  learn 2 "ranks.$precision" --threads 1 "${same[@]}"
  [ -n "$(fingerprint "ranks.$precision")" ] || fail "no fingerprint: $(cat "ranks.$precision.txt")"
  learn 1 "$precision" --replicas "$replicas" --threads "$replicas" "${same[@]}"
  grep -q "^replicas: $replicas in each rank, of 1 thread each" "$precision.txt" ||
    fail "not told: $(cat "$precision.txt")"
  [ "$(fingerprint "$precision")" = "$(fingerprint "ranks.$precision")" ] || fail "$kind: other bits than two ranks"
done
learn 2 both --replicas 2 --threads 2 --shard optimizer --steps 3 --kernels aten
[ "$(fingerprint both)" = "$(fingerprint ranks.fp32)" ] || fail "two ranks of two replicas: other bits"
learn 4 four --replicas 2 --threads 2 --steps 3 --kernels aten
[ "$(fingerprint four)" = "$(fingerprint ranks.fp32)" ] || fail "four ranks of two replicas: other bits"

# Planned and counted.
read -r planned found < <(sed -n 's/^ *sums of gradients *\([0-9.]*\) MB  *\([0-9.]*\) MB.*/\1 \2/p' fp32.txt)
[ "$planned" = "$found" ] || fail "planned $planned MB of sums, counted $found MB"
read -r planned found < <(sed -n 's/^ *saved activations *\([0-9.]*\) MB  *\([0-9.]*\) MB.*/\1 \2/p' fp32.txt)
[ "$planned" = "$found" ] || fail "planned $planned MB saved, counted $found MB"
civitas plan "${nets[@]}" --batch 16 --replicas 4 --brief >plan.txt
grep -q 'mesh data=1,pipe=1,tensor=1, 4 replicas a rank, schedule' plan.txt || fail "not told: $(cat plan.txt)"
! grep -q '^ *gradients' plan.txt || fail "a shard level that replicas refuse is offered: $(cat plan.txt)"
civitas train --tiles tiles.h5 --run odd "${nets[@]}" --batch 12 --replicas 2 --threads 2 --steps 1 >odd.txt 2>&1
grep -q 'warning: 3 micro-batches a replica are no power of two: .* belong to 2 replicas a rank' odd.txt ||
  fail "not told: $(cat odd.txt)"

# Refused before anything is made.
no=(civitas train --tiles tiles.h5 --run no "${small[@]}" --steps 1)
refuses 2 'replicas 3: a rank has 8 micro-batches of 2, which cannot be shared out equally. Hint: --batch 18' \
  "${no[@]}" --replicas 3
refuses 2 'replicas 2: replicas hold whole nets, mesh data=1,pipe=2,tensor=1 divides them' \
  mpirun --quiet --oversubscribe --bind-to none -n 2 "${no[@]}" --replicas 2 --mesh pipe=2
refuses 2 'update async trains each rank by itself: --replicas add up their gradients. Hint: --replicas 1' \
  "${no[@]}" --replicas 2 --update async
for mistake in '--update server|--replicas add up their gradients. Hint: --replicas 1' \
  '--shard gradients|--shard gradients sums every leaf over ranks in its turn' \
  '--shard parameters|--shard parameters sums every leaf over ranks in its turn' \
  '--sync-batch-norm|--sync-batch-norm makes ranks wait for each other in every layer' \
  '--stage-devices cpu|--stage-devices are for stages on several ranks'; do
  read -ra words <<<"${mistake%|*}"
  refuses 2 "${mistake#*|}" "${no[@]}" --replicas 2 "${words[@]}"
done
[ ! -e no ] || fail "something was made: $(find no)"

# A store that is cut off while the run reads it.
cp tiles.h5 cut.h5
: >said
timeout -k 1 60 civitas train --tiles cut.h5 --run cut "${small[@]}" --replicas 2 --threads 2 --steps 1000000 \
  >said 2>&1 &
job=$!
for _ in $(seq 300); do grep -q '^step 3/' said && break; sleep 0.1; done
truncate -s 4000 cut.h5
rc=0
wait $job || rc=$?
[ $rc = 1 ] || fail "exit code $rc instead of 1: $(tail said)"
[ "$(grep -c '^error: .*cut.h5" ends at byte' said)" = 1 ] || fail "not one cause: $(tail said)"
[ "$(newest cut)" = "step-$(printf %08d "$(wc -l <cut/metrics.jsonl)").h5" ] || fail "saved $(newest cut)"

# Stopped, and gone on with by another number of replicas, to the end of ranks that never stopped.
: >said
civitas train --tiles tiles.h5 --run run "${small[@]}" --replicas 2 --threads 2 --steps 1000000 >said 2>&1 &
job=$!
for _ in $(seq 300); do grep -q '^step 2/' said && break; sleep 0.1; done
kill -USR1 $job
rc=0
wait $job || rc=$?
[ $rc = 75 ] || fail "exit code $rc instead of 75: $(tail said)"
steps=$(($(cat run/stopped) + 2))
learn 1 run --replicas 4 --threads 4 --steps $steps
learn 2 straight --threads 1 --steps $steps
[ "$(fingerprint run)" = "$(fingerprint straight)" ] || fail "stopping or another number of replicas changed the result"
