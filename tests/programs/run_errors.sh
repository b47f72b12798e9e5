# What goes wrong during a run ends it with its cause, on all ranks, and with what it has learnt.
make_store tiles.h5 40 64
small=(--net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --nz 8 --batch 8
       --micro-batch 4 --threads 1 --checkpoint-every 0)
last_step() { tail -n 1 "$1/metrics.jsonl" | grep -o '"step":[0-9]*' | grep -o '[0-9]*'; }
newest() { ls "$1/checkpoints" | tail -n 1; }
two_ranks=(mpirun --quiet --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n 2)

# A tile that cannot be read, on two replicas and on two stages: the step before it is saved.
for mesh in data=2 pipe=2; do
  cp tiles.h5 "$mesh.h5"
  : >said # what the run before has said is not taken for this one's
  timeout -k 1 120 "${two_ranks[@]}" civitas train --tiles "$mesh.h5" --run "$mesh" --mesh "$mesh" "${small[@]}" \
    --steps 1000000 --sample-every 0 >said 2>&1 &
  job=$!
  for _ in $(seq 300); do grep -q '^step 3/' said && break; sleep 0.2; done
  truncate -s 4000 "$mesh.h5"
  rc=0
  wait $job || rc=$?
  [ $rc = 1 ] || fail "$mesh: exit code $rc instead of 1: $(tail said)"
  grep -q "error: .*$mesh.h5\" ends at byte 4000," said || fail "$mesh: no cause: $(tail said)"
  [ "$(newest "$mesh")" = "step-$(printf %08d "$(last_step "$mesh")").h5" ] ||
    fail "$mesh: saved $(newest "$mesh"), last step $(last_step "$mesh")"
  for rank in 0 1; do
    grep -q "^error: .*ends at byte" "$mesh/log/rank-$rank.txt" || fail "$mesh: rank $rank's log has no error"
  done
  [ ! -e "$mesh/lock" ] || fail "$mesh: the lock is left"
done

# A sheet that cannot be written.
mkdir -p sheet/samples/step-00000002.png
refuses 1 'step-00000002.png": it is a folder' "${two_ranks[@]}" civitas train --tiles tiles.h5 --run sheet \
  "${small[@]}" --steps 9 --sample-every 2
[ "$(newest sheet)" = step-00000002.h5 ] || fail "without its sheet step 2 was not saved"

# A trace that cannot be written, here for want of its folder: the last step it shows is saved, and has its line.
mkdir gone
: >said
timeout -k 1 100 civitas train --tiles tiles.h5 --run traced "${small[@]:0:8}" --batch 16 --micro-batch 2 --threads 1 \
  --steps 24 --checkpoint-every 0 --sample-every 0 --trace gone/trace.json >said 2>&1 &
job=$!
for _ in $(seq 600); do grep -q '^step 1/' said && break; sleep 0.05; done
rmdir gone
rc=0
wait $job || rc=$?
[ $rc = 1 ] || fail "exit code $rc instead of 1: $(tail said)"
grep -q 'error: .*gone/trace.json' said || fail "no cause: $(tail said)"
[ "$(newest traced)" = step-00000020.h5 ] || fail "without its trace step 20 was not saved: $(newest traced)"
[ "$(last_step traced)" = 20 ] || fail "the line of step 20 is missing: $(last_step traced)"

# Too little memory on one rank while a sheet is drawn, of a size that is asked for there alone, where plans are drawn
# eight at a time (and layers were timed in an earlier start): on two replicas, on two stages, on two parts of a stage
# between their exchanges. Everyone stops, and the step is saved.
no_memory() {
  local train=(civitas train --tiles tiles.h5 --mesh "$1" "${small[@]:0:8}" --batch 32 --micro-batch 16 --threads 1
               --checkpoint-every 0)
  "${two_ranks[@]}" "${train[@]}" --run timed --steps 1 >said 2>&1 || fail "$1: no first start: $(cat said)"
  mkdir "$1" && mv timed/profile.json "$1" && rm -r timed
  refuses 1 "rank 1: at $2: " timeout -k 1 100 "${two_ranks[@]}" env LD_PRELOAD="$TESTS/libno_memory.so" \
    NO_MEMORY_RANK=1 NO_MEMORY_BYTES="$3" "${train[@]}" --run "$1" --steps 9 --sample-every 2
  grep -q "memory for $3 bytes; the plan of this run counts on " said || fail "$1: no cause: $(cat said)"
}
for place in data=2:data=1,pipe=0,tensor=0:1572864 pipe=2:data=0,pipe=1,tensor=0:393216 \
             tensor=2:data=0,pipe=0,tensor=1:196608; do
  IFS=: read -r mesh rank bytes <<<"$place"
  mkdir -p memory && cd memory && ln -sf ../tiles.h5 .
  no_memory "$mesh" "$rank" "$bytes"
  [ "$(newest "$mesh")" = step-00000002.h5 ] || fail "$mesh: step 2 was not saved"
  [ "$(last_step "$mesh")" = 2 ] || fail "$mesh: the line of step 2 is missing"
  [ -z "$(ls "$mesh/samples")" ] || fail "$mesh: a sheet was drawn"
  cd ..
done

# Too little memory is told in numbers before the first step.
refuses 2 'Hint: more nodes or memory, fewer ranks a node, or a smaller --micro-batch' \
  bash -c 'ulimit -v 850000; exec "$@"' - civitas train --tiles tiles.h5 --run small --net dcgan-64 --batch 64 \
  --micro-batch 64 --threads 1 --steps 2
grep -q 'error: a rank needs .*: weights, moments and sums .*; it has .* MB' said || fail "no numbers: $(cat said)"
refuses 2 'Hint: more nodes or memory, fewer ranks a node, or a smaller --micro-batch.' \
  bash -c 'ulimit -v 850000; exec "$@"' - civitas train --tiles tiles.h5 --run small --net dcgan-64 --batch 64 \
  --micro-batch 64 --threads 1 --steps 2 --checkpoint-mode async
grep -q 'error: a rank needs .*, copy for checkpoints [0-9.]* MB' said || fail "no numbers: $(cat said)"
[ ! -e small ] || fail "something was made: $(find small)"

# No room for a line of metrics: a limit of file sizes that only that file meets.
run civitas train --tiles tiles.h5 --run full "${small[@]}" --steps 1 --sample-every 0 >/dev/null
limit=20000
printf '{"step":1,"pad":"%*s"}\n' $((limit * 1024 - 100)) '' >full/metrics.jsonl
refuses 1 'metrics.jsonl" at byte ' bash -c "ulimit -f $limit; exec timeout -k 1 60 \"\$@\"" - \
  civitas train --tiles tiles.h5 --run full "${small[@]}" --steps 9 --sample-every 0
grep -q 'File too large. Hint: free some space' said || fail "no reason: $(cat said)"
# The ranks meet at the end of the next step.
[ "$(newest full)" = step-00000003.h5 ] || fail "without the line of step 2 step 3 was not saved: $(newest full)"
grep -q '^error: .*File too large' full/log/rank-0.txt || fail "the log has no error"

# No room for the log ends nothing, and is told.
rm full/metrics.jsonl
truncate -s $((limit * 1024)) full/log/rank-0.txt
run bash -c "ulimit -f $limit; exec \"\$@\"" - \
  civitas train --tiles tiles.h5 --run full "${small[@]}" --steps 4 --sample-every 0 >said 2>&1
grep -q 'rank 0: warning: .* lines could not be written to "full/log/rank-0.txt": File too large' said ||
  fail "lost lines are not told: $(cat said)"
