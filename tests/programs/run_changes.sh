# What --allow-change allows works: a mean of the weights that begins on the way, another batch.
make_store tiles.h5 40 64
small=(--tiles tiles.h5 --net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8
       --nz 8 --micro-batch 4 --threads 1 --sample-every 0 --checkpoint-every 0)
train() { timeout 150 civitas train --run run "${small[@]}" "$@" >said 2>&1 || fail "$(cat said)"; }

train --batch 8 --ema 0 --steps 3
civitas inspect run/checkpoints/step-00000003.h5 >said
grep -q '/generator/ema/' said && fail "a mean is stored: $(cat said)"
refuses 2 'ema = not kept, this run has kept' civitas train --run run "${small[@]}" --batch 8 --steps 4
train --batch 8 --ema 0.9 --steps 4 --allow-change ema
civitas inspect run/checkpoints/step-00000004.h5 >said
grep -q '/generator/ema/deconv0.weight' said || fail "no mean is stored: $(cat said)"
ranks 2 civitas train --run run "${small[@]}" --batch 8 --ema 0.9 --mesh pipe=2 --steps 5 >said 2>&1
train --batch 8 --ema 0 --steps 6 --allow-change ema

# 6 batches of 8, then 2 of 16: no tile is skipped or seen twice, and epochs are counted by tiles.
train --batch 16 --ema 0 --steps 8 --allow-change batch
civitas inspect run/checkpoints/step-00000008.h5 >said
grep -q 'samples-seen *80$' said || fail "not 80 samples: $(grep samples said)"
tiles=$(sed -n 's/.*: \([0-9]*\) training tiles of.*/\1/p' run/log/rank-0.txt | tail -n 1)
train --batch 16 --ema 0 --epochs 4
last=$((8 + (4 * tiles - 80 + 15) / 16))
grep -q "done: step $last of $last" said || fail "not $last steps for 4 epochs of $tiles tiles: $(cat said)"

# Where a cosine would end is not known then: neither by name nor where a run is long enough for one.
for words in '--epochs 6 --lr-schedule cosine' '--epochs 4000'; do
  read -ra words <<<"$words"
  refuses 2 "a cosine (--lr-schedule) ends at a step, which --epochs ${words[1]} does not tell: the " \
    timeout 60 civitas train --run run "${small[@]}" --batch 16 --ema 0 "${words[@]}"
done
