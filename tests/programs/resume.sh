# Resuming: the newest whole checkpoint, the one before a damaged one, never a silent fresh start.
make_store tiles.h5 40 64
net=(--net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --nz 8
     --micro-batch 4 --threads 1 --sample-every 0)
small=("${net[@]}" --batch 8)
train() { ranks 1 civitas train --tiles tiles.h5 --run run "${small[@]}" "$@"; }
last_fingerprint() { grep -h '^fingerprint' run/log/rank-0.txt | tail -n 1; }

train --steps 6 --checkpoint-every 2 --keep 3
[ "$(ls run/checkpoints)" = "step-00000002.h5
step-00000004.h5
step-00000006.h5" ] || fail "checkpoints kept: $(ls run/checkpoints)"
before=$(last_fingerprint)

# The newest is damaged: a warning names it, the one before is used, the end is the same.
printf 'x' | dd of=run/checkpoints/step-00000006.h5 bs=1 seek=20000 conv=notrunc status=none
train --steps 6 --checkpoint-every 0 >said 2>&1
grep -q 'step-00000006.h5' said || fail "the damaged checkpoint is not named: $(cat said)"
grep -q 'resumed from .*step-00000004.h5' run/log/rank-0.txt || fail "not resumed from the one before"
[ "$(last_fingerprint)" = "$before" ] || fail "another result after the fallback"
[ "$(wc -l <run/metrics.jsonl)" = 6 ] || fail "metrics were not cut back"

# A newest file that is cut short is passed over as well.
truncate -s 5000 run/checkpoints/step-00000006.h5
train --steps 6 --checkpoint-every 0 >said 2>&1
[ "$(last_fingerprint)" = "$before" ] || fail "another result after a truncated file"

# What may not change is refused, unless allowed.
refuses 2 'the checkpoint was made with batch = 8, this run has 16' \
  civitas train --tiles tiles.h5 --run run "${net[@]}" --batch 16 --steps 8
refuses 2 'this run has 2. Hint: --config with the run'\''s config.ini, another --run, or --allow-change seed.' \
  civitas train --tiles tiles.h5 --run run "${small[@]}" --seed 2 --steps 8
refuses 2 'the checkpoint was made with kernels = fast, this run has aten' \
  civitas train --tiles tiles.h5 --run run "${small[@]}" --kernels aten --steps 8
train --seed 2 --steps 8 --allow-change seed
refuses 2 'resume never' civitas train --tiles tiles.h5 --run run "${small[@]}" --resume never

# The resolved configuration reads back.
ranks 2 civitas train --config run/config.ini --steps 10 --allow-change seed
civitas inspect run | grep 'step-00000010.h5: whole' >/dev/null || fail "inspect does not see step 10"

# What cannot be read now is not damaged: it stays, and nothing before it is gone on from.
ln -s step-00000099.h5 run/checkpoints/step-00000099.h5
refuses 1 'step-00000099.h5": Too many levels of symbolic links. Hint: try again' \
  civitas train --config run/config.ini --steps 12
refuses 1 'step-00000099.h5: cannot be read: ' civitas inspect run
rm run/checkpoints/step-00000099.h5
# Nor is an older one, when it is asked which to keep; that ends no training.
ln -s step-00000009.h5 run/checkpoints/step-00000009.h5
run civitas train --config run/config.ini --steps 10 --keep 2 >said 2>&1
grep -q 'warning: .*step-00000009.h5": Too many levels.* is not counted by --keep' said || fail "kept: $(cat said)"
[ -L run/checkpoints/step-00000009.h5 ] || fail "set aside: $(ls run/checkpoints)"
rm run/checkpoints/step-00000009.h5
run civitas train --config run/config.ini --steps 4 >said
grep -q 'nothing left to do: step 10 is made, 4 are asked for' said || fail "fewer steps: $(cat said)"

# All damaged: an error that names them, and nothing is started afresh.
for file in run/checkpoints/*.h5; do truncate -s 3000 "$file"; done
refuses 1 'step-00000010.h5' civitas train --config run/config.ini --steps 12
[ "$(wc -l <run/metrics.jsonl)" = 10 ] || fail "a failed resume touched the metrics"
