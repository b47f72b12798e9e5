# A run folder holds one history, whatever was killed, given up or damaged on the way.
make_store tiles.h5 40 64
small=(--tiles tiles.h5 --net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8
       --nz 8 --batch 8 --micro-batch 4 --threads 1)
train() { timeout 150 civitas train --run "$@" "${small[@]}" >said 2>&1 || fail "$(cat said)"; }
steps_of() { grep -o '^{"step":[0-9]*' "$1/metrics.jsonl" | grep -o '[0-9]*$' | tr '\n' ' '; }
checkpoints() { (cd "$1/checkpoints" && ls | sed 's/step-0*//' | tr '\n' ' '); }
sheets() { (cd "$1/samples" && ls step-0* | sed 's/step-0*//' | tr '\n' ' '); }

# What a killed run owed is made good: its last sheet, pruning; its leftovers go. Others' files stay.
train run --steps 6 --checkpoint-every 2 --sample-every 3 --keep 9
mv run/samples/step-00000006.png sheet.png
touch run/config.ini.part run/metrics.jsonl.part run/lock.here.1.part notes.part run/notes.part
touch run/checkpoints/step-00000009.h5.part run/samples/step-00000001.png.part
touch run/config.ini.part-0a1b2c3d run/checkpoints/step-00000009.h5.part-0a1b2c3d
touch run/resumed.part-0a1b2c3d run/test.jsonl.part-0a1b2c3d run/log/hang-rank-0.txt.part-0a1b2c3d
touch run/config.ini.part-of-mine run/samples/step-1.png.partial
echo 'half a li' >>run/metrics.jsonl
train run --steps 6 --sample-every 3 --keep 2
cmp sheet.png run/samples/step-00000006.png || fail "the owed sheet was not drawn: $(cat said)"
[ "$(checkpoints run)" = '4.h5 6.h5 ' ] || fail "not pruned: $(checkpoints run)"
grep -q 'metrics.jsonl": 1 lines that cannot be read are left out' said || fail "no word: $(cat said)"
left=$(find run -name '*.part*' | sort | xargs)
[ "$left" = 'run/config.ini.part-of-mine run/notes.part run/samples/step-1.png.partial' ] || fail "left: $left"

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
[ "$(sheets run)" = '3.png 6.png.abandoned ' ] || fail "sheets of a course that was given up: $(sheets run)"
train run --steps 5 --checkpoint-every 0 --sample-every 0
grep -q 'resumed from run/checkpoints/step-00000004.h5 after step 4' said || fail "$(cat said)"
[ "$(steps_of run)" = '1 2 3 4 5 ' ] || fail "metrics of steps $(steps_of run)"

# A file of another run begins a history here: it is this folder's first checkpoint.
train branch --steps 5 --checkpoint-every 0 --sample-every 0 --resume run/checkpoints/step-00000004.h5
[ "$(checkpoints branch)" = '4.h5 5.h5 ' ] || fail "a branch has $(checkpoints branch)"

# Ended before its own files have begun, where config.ini cannot be written, such a start leaves no course that could be
# gone on from without its metrics.
cp -r branch ended
rm ended/config.ini
mkdir -p ended/config.ini/in-the-way
refuses 1 'config.ini": it is a folder' timeout -k 1 60 civitas train --run ended "${small[@]}" --steps 6 \
  --resume run/checkpoints/step-00000004.h5
[ "$(checkpoints ended)" = '4.h5.abandoned 5.h5.abandoned ' ] || fail "not given up: $(checkpoints ended)"
rm -r ended/config.ini
train ended --steps 2 --checkpoint-every 0 --sample-every 0
[ "$(steps_of ended)" = '1 2 ' ] || fail "metrics of steps $(steps_of ended)"

# What was set aside stays: a second course that is given up takes no names of the first. Metrics of a course
# that is not gone on from are kept, too.
cp -r branch twice
for course in first second; do
  train twice --steps 6 --checkpoint-every 0 --sample-every 0 --seed 9 --allow-change seed
  cp twice/checkpoints/step-00000006.h5 $course.h5
  train twice --steps 4 --resume twice/checkpoints/step-00000004.h5 --seed 9 --allow-change seed
done
cmp -s first.h5 twice/checkpoints/step-00000006.h5.abandoned || fail "the first course is lost: $(checkpoints twice)"
tail -n 1 twice/metrics.jsonl.abandoned | grep -q '^{"step":6,' || fail "metrics of the first course are lost"
[ -s twice/metrics.jsonl.abandoned2 ] || fail "metrics of the second course are lost: $(ls twice)"
cmp -s second.h5 twice/checkpoints/step-00000006.h5.abandoned2 || fail "not set aside: $(checkpoints twice)"
cp branch/metrics.jsonl metrics.branch
cp sheet.png branch/samples/step-00000005.png
train branch --steps 5 --checkpoint-every 0 --sample-every 0 --resume twice/checkpoints/step-00000004.h5 --seed 9 \
  --allow-change seed
grep -q 'goes on from a checkpoint of another folder: what it held is kept as "branch/metrics.jsonl.old"' said ||
  fail "no word: $(cat said)"
cmp -s metrics.branch branch/metrics.jsonl.old || fail 'the metrics of the branch are lost'
! cmp -s sheet.png branch/samples/step-00000005.png || fail 'a sheet of another course stays'
cmp sheet.png branch/samples.old/step-00000005.png || fail 'the sheets of the branch are lost'
[ "$(steps_of branch)" = '5 ' ] || fail "metrics of steps $(steps_of branch)"

# A job that Slurm queued again has the words of its first start: FILE is gone on from once, and a run that is
# never to go on goes on with what the job itself has saved.
job() { SLURM_JOB_ID=17 SLURM_RESTART_COUNT=$1 train queued "${@:2}" --checkpoint-every 0 --sample-every 0 --keep 1; }
train queued --steps 3 --checkpoint-every 1 --sample-every 0
again=(--resume queued/checkpoints/step-00000002.h5)
job 0 --steps 4 "${again[@]}"
grep -q 'resumed from queued/checkpoints/step-00000002.h5' said || fail "$(cat said)"
job 1 --steps 5 "${again[@]}"
grep -q 'was obeyed before this job was started again' said || fail "$(cat said)"
grep -q 'resumed from queued/checkpoints/step-00000004.h5' said || fail "$(cat said)"
[ "$(checkpoints queued)" = '3.h5.abandoned 5.h5 ' ] || fail "$(checkpoints queued)"
rm -r queued
job 0 --steps 2 --resume never
job 1 --steps 3 --resume never
grep -q -- '--resume never was obeyed before' said || fail "$(cat said)"

# --keep counts whole files: what was passed over as damaged is set aside.
printf x | dd of=run/checkpoints/step-00000005.h5 bs=1 seek=20000 conv=notrunc status=none
train run --steps 7 --checkpoint-every 0 --sample-every 0 --keep 2
[ "$(checkpoints run)" = '4.h5 5.h5.damaged 6.h5.abandoned 7.h5 ' ] || fail "kept: $(checkpoints run)"
[ "$(steps_of run)" = '1 2 3 4 5 6 7 ' ] || fail "metrics of steps $(steps_of run)"
# So is a damaged one that is older, before a whole one is removed in its place.
printf x | dd of=run/checkpoints/step-00000004.h5 bs=1 seek=20000 conv=notrunc status=none
train run --steps 8 --checkpoint-every 0 --sample-every 0 --keep 2
train run --steps 9 --checkpoint-every 0 --sample-every 0 --keep 3
[ "$(checkpoints run)" = '5.h5.damaged 6.h5.abandoned 7.h5 8.h5 9.h5 ' ] || fail "kept: $(checkpoints run)"
printf x | dd of=run/checkpoints/step-00000008.h5 bs=1 seek=20000 conv=notrunc status=none
train run --steps 10 --checkpoint-every 0 --sample-every 0 --keep 3
[ "$(checkpoints run)" = '5.h5.damaged 6.h5.abandoned 7.h5 8.h5.damaged 9.h5 10.h5 ' ] ||
  fail "kept: $(checkpoints run)"

# Metrics that are no file are refused, and not waited for.
rm run/metrics.jsonl
mkfifo run/metrics.jsonl
refuses 1 'metrics.jsonl": it is no regular file. Hint: move it away' \
  timeout -k 1 60 civitas train --run run "${small[@]}" --steps 8

# A copy of a run does not train the one that it was made of.
cp -r branch copied
refuses 2 'lies in a run folder, but names the run "branch" (copied/config.ini:' \
  civitas train --config copied/config.ini
cmp branch/config.ini copied/config.ini || fail 'a refused start changed the run'

# An allowed change that no step follows is saved with the step that was made.
train changed --steps 2
run civitas train --config changed/config.ini --steps 2 --micro-batch 8 --allow-change micro-batch
[ "$(checkpoints changed)" = '2.h5 2.h5.old ' ] || fail "not kept: $(checkpoints changed)"
run civitas train --config changed/config.ini --steps 3
refuses 2 'this run has 4,8,8,8. Hint: --generator-widths 8,8,8,8, or another --run' \
  civitas train --config changed/config.ini --generator-widths 4,8,8,8
