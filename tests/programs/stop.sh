# SIGUSR1 to mpirun: the step is finished, a checkpoint saved, the exit code is 75, `stopped` tells
# the step; going on leads to the same end as never having stopped.
make_store tiles.h5 40 64
options=(--tiles tiles.h5 --net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8
         --nz 8 --batch 8 --micro-batch 4 --threads 1 --sample-every 0 --checkpoint-every 0
         --lr-schedule constant)
fingerprint() { grep -h '^fingerprint' "$1/log/rank-0.txt" | tail -n 1; }

mpirun --quiet --oversubscribe --bind-to none -n 2 "$(command -v civitas)" train --run run "${options[@]}" \
  --steps 100000 >said 2>&1 &
job=$!
for _ in $(seq 100); do grep -q '^step 5/' said && break; sleep 0.2; done
grep -q '^step 5/' said || fail "no steps within 20 s: $(cat said)"
kill -USR1 $job
rc=0
wait $job || rc=$?
[ $rc = 75 ] || fail "exit code $rc instead of 75: $(cat said)"
step=$(cat run/stopped)
[ -e "run/checkpoints/step-$(printf %08d "$step").h5" ] || fail "no checkpoint of step $step"
[ "$(wc -l <run/metrics.jsonl)" = "$step" ] || fail "metrics do not end at step $step"

ranks 1 civitas train --run run "${options[@]}" --steps $((step + 5))
ranks 2 civitas train --run straight "${options[@]}" --steps $((step + 5))
[ "$(fingerprint run)" = "$(fingerprint straight)" ] || fail "stopping changed the result"
[ ! -e run/lock ] || fail "a stopped run keeps its lock"
[ ! -e run/stopped ] || fail "a finished run still says it was stopped"

# The same by time.
rc=0
timeout 60 civitas train --run timed "${options[@]}" --steps 1000000 --max-minutes 0.03 >said 2>&1 || rc=$?
[ $rc = 75 ] || fail "exit code $rc instead of 75 after --max-minutes"
