# One training at a time works in a run folder; a killed one is followed by the next at once.
make_store tiles.h5 40 64
small=(--tiles tiles.h5 --net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8
       --nz 8 --batch 8 --micro-batch 4 --threads 1 --sample-every 0 --checkpoint-every 0)

timeout -k 1 100 civitas train --run run "${small[@]}" --steps 1000000 >first 2>&1 &
waiter=$! job=
trap 'kill -9 $waiter "$job" 2>/dev/null || true; rm -rf "$WORK"' EXIT
for _ in $(seq 300); do grep -q '^step 3/' first && break; sleep 0.2; done
grep -q '^step 3/' first || fail "no steps within 60 s: $(cat first)"
job=$(sed -n 's/^pid = //p' run/lock)
cp run/config.ini before.ini

# A second one is refused, with the first one's name, and nothing of the first is touched.
refuses 1 "\"run\" is in use by process $job on host $(uname -n) since " \
  civitas train --run run "${small[@]}" --generator-lr 1e-3 --steps 10
grep -q 'Hint: wait until that ends' said || fail "no hint: $(cat said)"
cmp before.ini run/config.ini || fail "the second training replaced config.ini"
kill -0 "$job" || fail "the first training ended: $(cat first)"

# Killed, it leaves its lock; the next takes it over with a word, and gives it back at its end. What
# was not yet saved is begun anew, and its metrics are kept.
kill -9 "$job"
wait $waiter 2>/dev/null || true
[ -e run/lock ] || fail "no lock is left by a killed training"
run civitas train --run run "${small[@]}" --steps 2 >said 2>&1
grep -q "took over \"run\" from process $job on host .*, which has ended" said || fail "no word: $(cat said)"
grep -q 'holds no checkpoint to go on from.*kept as "run/metrics.jsonl.old"' said || fail "no warning: $(cat said)"
[ "$(wc -l <run/metrics.jsonl.old)" -ge 3 ] || fail "the metrics of the killed training are lost"
cmp before.ini run/config.ini.old || fail "the configuration of the killed training is lost"
[ "$(wc -l <run/metrics.jsonl)" = 2 ] || fail "not two lines of metrics"
[ ! -e run/lock ] || fail "the lock was not given back"

# A lock of another host stays until somebody removes it; errors give the folder back.
printf '%s\n' 'host = elsewhere' 'pid = 1' 'boot = x' 'start = 1' 'since = then' 'job = ' 'restart = 0' >run/lock
refuses 1 'Hint: if that process has ended, rm run/lock' civitas train --run run "${small[@]}" --steps 3
mv run 'my run'
refuses 1 "rm 'my run/lock'" civitas train --run 'my run' "${small[@]}" --steps 3
mv 'my run' run
rm run/lock
refuses 2 'the checkpoint was made with seed = 1, this run has 2' civitas train --run run "${small[@]}" --seed 2
[ ! -e run/lock ] || fail "an error left the lock"
