# A run folder holds one history, whatever was killed, given up or damaged on the way.
make_store tiles.h5 40 64
small=(--tiles tiles.h5 --net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8
       --nz 8 --batch 8 --micro-batch 4 --threads 1)
train() { timeout 150 civitas train --run "$@" "${small[@]}" >said 2>&1 || fail "$(cat said)"; }
steps_of() { grep -o '^{"step":[0-9]*' "$1/metrics.jsonl" | grep -o '[0-9]*$' | tr '\n' ' '; }
checkpoints() { (cd "$1/checkpoints" && ls | sed 's/step-0*//' | tr '\n' ' '); }

# What a killed run owed is made good: its last sheet, pruning; its leftovers go. Others' files stay.
train run --steps 6 --checkpoint-every 2 --sample-every 3 --keep 9
mv run/samples/step-00000006.png sheet.png
touch run/config.ini.part run/metrics.jsonl.part run/lock.here.1.part notes.part run/notes.part
touch run/checkpoints/step-00000009.h5.part run/samples/step-00000001.png.part
echo 'half a li' >>run/metrics.jsonl
train run --steps 6 --sample-every 3 --keep 2
cmp sheet.png run/samples/step-00000006.png || fail "the owed sheet was not drawn: $(cat said)"
[ "$(checkpoints run)" = '4.h5 6.h5 ' ] || fail "not pruned: $(checkpoints run)"
grep -q 'metrics.jsonl": 1 lines that cannot be read are left out' said || fail "no word: $(cat said)"
[ "$(find run -name '*.part')" = run/notes.part ] || fail "left: $(find run -name '*.part')"

# --resume FILE sets the later ones aside at once: killed before its first save, the run goes on from
# FILE, not from the course that was given up.
timeout -k 1 100 civitas train --run run "${small[@]}" --steps 1000000 --checkpoint-every 0 \
  --sample-every 0 --resume run/checkpoints/step-00000004.h5 >killed 2>&1 &
waiter=$! job=
trap 'kill -9 $waiter "$job" 2>/dev/null || true; rm -rf "$WORK"' EXIT
for _ in $(seq 300); do grep -q '^step 5/' killed && break; sleep 0.2; done
grep -q '^step 5/' killed || fail "no steps within 60 s: $(cat killed)"
job=$(sed -n 's/^pid = //p' run/lock)
kill -9 "$job"
wait $waiter 2>/dev/null || true
[ "$(checkpoints run)" = '4.h5 6.h5.abandoned ' ] || fail "not set aside: $(checkpoints run)"
train run --steps 5 --checkpoint-every 0 --sample-every 0
grep -q 'resumed from run/checkpoints/step-00000004.h5 after step 4' said || fail "$(cat said)"
[ "$(steps_of run)" = '1 2 3 4 5 ' ] || fail "metrics of steps $(steps_of run)"

# A file of another run begins a history here: it is this folder's first checkpoint.
train branch --steps 5 --checkpoint-every 0 --sample-every 0 --resume run/checkpoints/step-00000004.h5
[ "$(checkpoints branch)" = '4.h5 5.h5 ' ] || fail "a branch has $(checkpoints branch)"

# --keep counts whole files: what was passed over as damaged is set aside.
printf x | dd of=run/checkpoints/step-00000005.h5 bs=1 seek=20000 conv=notrunc status=none
train run --steps 7 --checkpoint-every 0 --sample-every 0 --keep 2
[ "$(checkpoints run)" = '4.h5 5.h5.damaged 6.h5.abandoned 7.h5 ' ] || fail "kept: $(checkpoints run)"
[ "$(steps_of run)" = '1 2 3 4 5 6 7 ' ] || fail "metrics of steps $(steps_of run)"

# Metrics that are no file are refused, and not waited for.
rm run/metrics.jsonl
mkfifo run/metrics.jsonl
refuses 1 'metrics.jsonl": it is no regular file. Hint: move it away' \
  timeout -k 1 60 civitas train --run run "${small[@]}" --steps 8
