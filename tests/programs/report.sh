# Pages of runs: charts, sheets with a slider, plan and measurement, evaluation; several runs beside each other.
# Browsers show them, ask nobody, and complain of nothing.
. "$ROOT/tests/support/browser.sh"
make_store tiles.h5 60 64
train() { # RUN OPTIONS...
  ranks 2 civitas train --tiles tiles.h5 --run "$1" --net dcgan-64 --generator-widths 8,8,8,8 --nz 8 \
    --discriminator-widths 8,8,8,8 --batch 8 --micro-batch 4 --threads 1 --sample-every 3 "${@:2}" >train.log 2>&1 ||
    fail "$(cat train.log)"
}
train first --steps 6
train second --steps 9 --seed 2 --mesh pipe=2

civitas report first --output first.html --tiles tiles.h5 --count 6 >said || fail "$(cat said)"
whole_page first.html lines 4
for words in 'Run first' '6 of 6 steps' '2 ranks, mesh data=2' 'Losses' 'What D thinks' 'Speed' 'Memory' \
  'Planned and measured' 'A step on paper' 'step-00000006.h5' 'data:image/png;base64,' 'Sliced Wasserstein' \
  'config.ini' 'type="range"'; do
  grep -qF "$words" first.html || fail "the page does not say '$words'"
done
[ "$(grep -o '<figure' first.html | wc -l)" = 2 ] || fail 'not every sheet is shown'
if [ -s dom ]; then # its script has run
  grep -q 'class="album live"' dom || fail 'the slider does nothing'
  [ "$(grep -o '<figure class="shown"' dom | wc -l)" = 1 ] || fail 'the slider shows not one sheet'
fi

civitas report first second --output both.html >said || fail "$(cat said)"
whole_page both.html lines 4
for words in '2 runs' 'first, second' 'Options that differ' 'pipe=2' 'Losses: D' 'Last plans of second'; do
  grep -qF "$words" both.html || fail "the page of two runs does not say '$words'"
done

# Event files, as their own reader has them where it can be imported.
civitas report first second --tensorboard events >said || fail "$(cat said)"
for run in first second; do
  [ -s events/$run/events.out.tfevents.0.civitas ] || fail "no event file of $run: $(find events)"
done
if python3 -c 'import tensorboard' 2>/dev/null; then
  python3 - <<'PYTHON' || fail 'TensorBoard reads other figures'
import json
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
told = [json.loads(line) for line in open("first/metrics.jsonl")]
events = EventAccumulator("events/first", size_guidance={"scalars": 0, "images": 0})
events.Reload()
assert len(told) == 6
for key in ("d_loss", "g_loss", "seconds"):
    read = events.Scalars(key)
    assert [e.step for e in read] == [line["step"] for line in told], key
    assert all(abs(e.value - line[key]) <= 1e-6 * abs(line[key]) for e, line in zip(read, told)), key
    assert all(e.wall_time == line["time"] for e, line in zip(read, told)), key
assert [image.step for image in events.Images("plans")] == [3, 6]
PYTHON
else
  echo 'no tensorboard here: event files were not read by it'
fi

# A run from before there were plans, one that has told nothing yet, and one that was cut off in its line.
cp -r first old
rm old/plan.json old/schedule.svg
printf '{"step":7,"lo' >>old/metrics.jsonl
civitas report old --output old.html >said || fail "$(cat said)"
grep -q 'could not be read: 1' old.html || fail 'a torn line is not told'
grep -q 'Planned and measured' old.html && fail 'a plan from nowhere'
rm -r old/samples old/checkpoints old/metrics.jsonl
civitas report old --output empty.html >said || fail "$(cat said)"
grep -q 'Configuration' empty.html || fail 'a run without steps has no page'

refused() { # CODE WORDS -- OPTIONS...
  local code=$1 words=$2 rc=0
  shift 3
  civitas report "$@" >said 2>&1 || rc=$?
  [ $rc = "$code" ] || fail "$* ended with $rc: $(cat said)"
  grep -qF -- "$words" said || fail "no '$words': $(cat said)"
}
refused 2 'expected 1 to 6 run folders, got 0' -- --output x.html
refused 2 'expected 1 to 6 run folders, got 7' -- a b c d e f g --output x.html
refused 2 'neither --output nor --tensorboard' -- first
refused 2 '--tiles counts with --output alone' -- first --tensorboard x --tiles tiles.h5
refused 2 "two runs are called 'first'" -- first ./first/ --tensorboard x
refused 2 'first/plan.json' -- first --output first/plan.json --overwrite
refused 2 'is no run folder: there is nothing of this name' -- nowhere --output x.html
refused 2 '--tiles goes with one run' -- first second --tiles tiles.h5 --output x.html
refused 2 '--count 1: expected at least 2' -- first --tiles tiles.h5 --count 1 --output x.html
refused 2 'exists already' -- first --output first.html
refused 2 'first.html is no folder. Hint: --tensorboard first-2.html' -- first --tensorboard first.html
refused 2 'would be written into RUN first/checkpoints' -- first --tensorboard first/checkpoints
[ ! -e first/checkpoints/first ] || fail 'a refused report made a folder'
[ ! -e x.html ] || fail 'a refused report wrote a page'
civitas report first --output first.html --overwrite >said || fail "$(cat said)"
echo '{}' >first/plan.json
civitas report first --output left_out.html >said || fail "$(cat said)"
grep -q 'Left out: .*is no plan of a run' left_out.html || fail 'a plan that is none is not told'
grep -q 'Checkpoints' left_out.html || fail 'a plan that is none took the rest of the page along'
