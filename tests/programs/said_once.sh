# What was said once does not come back: a run goes on from its newest checkpoint by its own
# config.ini, guards its settings again, and a job that starts again leaves the first trace alone.
make_store tiles.h5 12 64
small=(--tiles tiles.h5 --run run --net dcgan-64 --generator-widths 8,8,8,8
       --discriminator-widths 8,8,8,8 --nz 8 --batch 4 --micro-batch 4 --threads 1 --sample-every 0
       --checkpoint-every 0)
first=(civitas train "${small[@]}" --trace trace.json)
run "${first[@]}" --steps 1 >/dev/null
cp trace.json kept.json
run "${first[@]}" --steps 2 >said 2>&1
grep -q 'trace.json exists already: this start is not traced' said || fail "no word of the trace: $(cat said)"
cmp trace.json kept.json || fail "the trace of the first start was replaced"

run civitas train "${small[@]}" --steps 3 --max-minutes 60 --allow-change seed --seed 7 --overwrite \
  --trace trace.json --resume run/checkpoints/step-00000001.h5 >/dev/null
cmp -s trace.json kept.json && fail "--overwrite did not replace the trace"
for word in resume allow-change trace max-minutes overwrite; do
  ! grep -q "^$word" run/config.ini || fail "config.ini keeps $word"
done
run civitas train --config run/config.ini --steps 4 >said 2>&1
grep -q 'step-00000003.h5 after step 3' said || fail "not from the newest: $(cat said)"
refuses 2 'seed' civitas train --config run/config.ini --seed 9 --steps 5
# A run that has had its steps goes on by epochs, and the other way round.
run civitas train --config run/config.ini --epochs 2 >said 2>&1
grep -q '^epochs = 2$' run/config.ini && grep -q '^steps = 0$' run/config.ini || fail "not by epochs: $(cat said)"
run civitas train --config run/config.ini --steps 7 >said 2>&1
grep -q '^done: step 7 of 7' run/log/rank-0.txt || fail "not by steps: $(cat said)"
{ cat run/config.ini; echo 'resume = never'; } >own.ini
refuses 2 'resume never' civitas train --config own.ini --steps 5

# A text that somebody wrote into the folder of a new run is kept; the run's own is replaced.
mkdir hand
sed -e 's/^run = .*/run = hand/; s/^steps = .*/steps = 1  # to begin with/' run/config.ini >hand/config.ini
cp hand/config.ini by-hand.ini
run civitas train --config hand/config.ini >said 2>&1
cmp by-hand.ini hand/config.ini.old || fail "the text is lost: $(ls hand)"
grep -q '"hand/config.ini" is kept as "hand/config.ini.old"' said || fail "no word: $(cat said)"
grep -q '^steps = 1$' hand/config.ini || fail "config.ini is not the run's own: $(cat hand/config.ini)"
run civitas train --config hand/config.ini --steps 2 >said 2>&1
grep -q '^steps = 2$' hand/config.ini || fail "config.ini is not the run's own: $(cat hand/config.ini)"
[ ! -e hand/config.ini.old2 ] || fail "the run's own is kept"
