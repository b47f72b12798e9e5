# Every strategy that fits the ranks of a job, in turn: each as it is when trained alone, those that do not fit with
# the reason, what fails without the others; on paper without training; and the page in a browser, where there is one.
make_store tiles.h5 40 64
small=(--tiles tiles.h5 --net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --nz 8 --batch 16
       --micro-batch 4 --threads 1)
compare() {
  local n=$1
  shift
  ranks "$n" civitas compare "${small[@]}" "$@"
}
# figure FILE EXPRESSION: of `all`, the strategies by name, and `json`.
figure() {
  python3 -c 'import json, sys
json = json.load(open(sys.argv[1]))
all = {s["name"]: s for s in json["strategies"]}
print(eval(sys.argv[2]))' "$1" "$2"
}
nothing_left() {
  [ -z "$(find . -maxdepth 1 -name '*.runs-*' -o -maxdepth 1 -name 'comparison.*')" ] || fail "left: $(ls)"
}

# What cannot be is refused before anything is written.
one=(civitas compare "${small[@]}")
refuses 2 '--mesh is what strategies differ in. Hint: --strategies' "${one[@]}" --mesh data=2
refuses 2 '--run is of a run, and compare keeps none' "${one[@]}" --run here
refuses 2 '--tiles is missing: tile store to learn from. Hint: or --ranks N' civitas compare --net dcgan-64
refuses 2 "there is no 'gpip'. Hint: did you mean gpipe?" "${one[@]}" --strategies gpip
refuses 2 "'x' is no number of blocks" "${one[@]}" --placements 3,x
refuses 2 '--steps 1: the first step does not count' "${one[@]}" --steps 1
refuses 2 '--rounds 0 is out of range' "${one[@]}" --rounds 0
refuses 2 '--ranks 5000 is out of range' "${one[@]}" --ranks 5000
refuses 2 '--kernels auto is decided by times' "${one[@]}" --kernels auto --ranks 4
refuses 2 '--delay is of trainings, and --ranks predicts without any. Hint: leave out --delay or --ranks' \
  "${one[@]}" --ranks 4 --delay 1=0.2
refuses 2 '--rounds is of trainings' "${one[@]}" --ranks 4 --rounds 2
refuses 2 'did you mean --strategies?' "${one[@]}" --stratgies data
refuses 2 '--tiles gone.h5: there is no such file' civitas compare --tiles gone.h5
refuses 2 'did you mean compare?' civitas compar
civitas compare --help | grep -- '--placements' >/dev/null || fail 'no help'
nothing_left

# Where none can be compared all reasons are told, one of them with its hint, and nothing is in the way of another try.
. "$ROOT/tests/support/by_itself.sh"
none='no strategy could be compared, and no file is written:'
refuses 2 "$none naive:3-10: net generator has 5 blocks" \
  mpirun --quiet --oversubscribe --bind-to none -n 2 "${one[@]}" --strategies naive,data+pipe --placements 3,10
grep -q '^naive:3-10 *not compared: net generator has 5 blocks' said || fail "no first reason: $(cat said)"
grep -q '^data+pipe:2-2 *not compared: it needs 4 ranks' said || fail "no second reason: $(cat said)"
refuses 2 'stages with 13 blocks. Hint: as many numbers as stages, each at least 1, adding up to the blocks' \
  "${one[@]}" --ranks 2 --strategies naive --placements 3,10
grep -q "$none naive:3-10: net generator has 5 blocks" said || fail "no reason: $(cat said)"
refuses 2 "$none one-process: --delay names rank 1 of 1. Hint: ranks count from 0." \
  "${one[@]}" --steps 2 --rounds 1 --delay 1=0.001 --strategies naive,one-process
damaged_copy tiles.h5 damaged.h5
refuses 1 'Hint: copy the file again' "${one[@]/tiles.h5/damaged.h5}" --steps 2 --rounds 1 --strategies one-process
grep -q "$none one-process: \"damaged.h5\": tile .* is damaged" said || fail "no reason: $(cat said)"
nothing_left

# All strategies of two ranks.
compare 2 --steps 3 --rounds 1 >said 2>&1
figure comparison.json '"\n".join(all)' >names
for name in one-process replicas data naive naive:4-1 naive:1-4 gpipe 1f1b interleaved:2 zero-bubble gan tensor \
  data+pipe:2-2 shard:optimizer shard:gradients shard:parameters offload:host offload:disk async server population; do
  grep -qx -- "$name" names || fail "nothing of $name: $(cat names)"
  grep -q "^$name " said || fail "no line of $name: $(cat said)"
done
[ "$(figure comparison.json '[n for n, s in all.items() if (s["why_not"] is None) != ("seconds" in s)]')" = '[]' ] ||
  fail "neither figures nor a reason: $(cat comparison.json)"
# reason FILE STRATEGY 'part of why it was not compared'
reason() {
  local why
  why=$(figure "$1" "all['$2']['why_not']")
  case $why in *"$3"*) ;; *) fail "$2: $why" ;; esac
}
reason comparison.json replicas '--threads 1 of a rank cannot be shared by 2 replicas'
reason comparison.json data+pipe:2-2 'it needs 4 ranks, the job has 2'
reason comparison.json offload:host 'in host memory anyway'
for name in one-process data gpipe tensor shard:parameters offload:disk async server population; do
  reason comparison.json "$name" None
done
[ -z "$(find . -name '*.runs-*')" ] || fail "runs are left: $(ls)"
refuses 2 'comparison.json' "${one[@]}"
refuses 2 '--overwrite' "${one[@]}"

# Each is the training that its command makes: losses, bytes that ranks hold, and what goes through cuts.
alone() {
  local command
  command=$(figure comparison.json "all['$1']['command']")
  rm -rf run
  run bash -c "${command/mpirun/mpirun --quiet --oversubscribe --mca mpi_yield_when_idle 1}" >alone.log 2>&1
  python3 - "$1" "$([ -e run/metrics.jsonl ] && echo run || echo run/1)" <<'PYTHON'
import json, re, sys
name, run = sys.argv[1:]
told = {s["name"]: s for s in json.load(open("comparison.json"))["strategies"]}[name]
lines = [json.loads(line) for line in open(run + "/metrics.jsonl")]
losses = {key: value for key, value in lines[-1].items() if "loss" in key}
assert losses == told["losses"] and len(losses) == 2, (name, losses, told["losses"])
assert lines[0]["rank_bytes"] == told["bytes_of_rank"], (name, lines[0]["rank_bytes"], told["bytes_of_rank"])
ways = lambda cuts: [(c["from"], c["to"], c["bytes"]) for c in cuts]
assert ways(lines[-1].get("cuts", [])) == ways(told["cuts"]), (name, lines[-1], told["cuts"])
told_at_end = re.findall(r"pipe (\d+) -> (\d+): ([0-9.]+) MB", open(run + "/log/rank-0.txt").read())
assert [(int(a), int(b), float(mb)) for a, b, mb in told_at_end] == [
    (a, b, float("%.3g" % (n / 1e6))) for a, b, n in ways(told["cuts"])], (name, told_at_end, told["cuts"])
PYTHON
}
for name in naive:4-1 server population; do alone "$name" || fail "$name is not as alone"; done
[ "$(figure comparison.json 'len(all["naive:4-1"]["cuts"]), len(all["data"]["cuts"])')" = '(2, 0)' ] ||
  fail "cuts: $(figure comparison.json 'all["naive:4-1"]')"

# One that fails on its way stops nobody.
compare 2 --steps 2 --rounds 2 --delay 1=0.001 --strategies one-process,data --output failed >said 2>&1
reason failed.json one-process '--delay names rank 1 of 1'
[ "$(figure failed.json 'len(all["data"]["seconds"]["rounds"]), "seconds" in all["one-process"]')" = '(2, False)' ] ||
  fail "rounds: $(cat failed.json)"
grep -q '^round 1 of 2: one-process *failed: --delay names' said || fail "not told: $(cat said)"

# Four ranks, by every strategy, placements of one's own, a machine to predict for, another name.
printf 'nodes = 4\nmemory = 64e9\n' >machine.ini
compare 4 --steps 2 --rounds 1 --placements 2,1,2/3,2 --machine machine.ini --output studies >said 2>&1
figure studies.json '"\n".join(n for n, s in all.items() if s["why_not"] is None)' >names
for name in one-process data naive:2-1-2 naive:3-2 gpipe 1f1b zero-bubble gan tensor data+pipe:2-2 shard:optimizer \
  shard:gradients shard:parameters offload:disk async server population; do
  grep -qx -- "$name" names || fail "four ranks, not compared: $name: $(cat said)"
done
[ "$(figure studies.json '[n for n, s in all.items() if (s["why_not"] is None) != ("seconds" in s)]')" = '[]' ] ||
  fail "neither figures nor a reason: $(cat said)"
reason studies.json replicas '--threads 1 of a rank cannot be shared by 4 replicas'
[ "$(figure studies.json 'all["naive:2-1-2"]["ranks"], len(all["naive:2-1-2"]["cuts"])')" = '(3, 4)' ] ||
  fail "three ranks: $(cat studies.json)"
[ "$(figure studies.json 'json["subject"]["predicted_by"]')" = 'estimates for machine.ini' ] || fail "$(cat said)"
[ "$(figure studies.json 'all["naive:3-2"]["predicted"]["seconds"] > 0')" = True ] || fail "$(cat studies.json)"

# A classifier, in two rounds: what goes through its cut is told to the byte, 512 channels of one value for each of the
# eight tiles, waits are of both rounds.
for style in industry suburb; do
  run "$BIN/civitas-preprocess" --sample 1 --sample-style $style --output $style.h5 --pixels 32 >/dev/null
done
run "$BIN/civitas-preprocess" industry.gpkg suburb.gpkg --output towns.h5 --pixels 32 >/dev/null
classifier=(civitas compare --tiles towns.h5 --task classify --labels source --net resnet-18 --batch 8 --micro-batch 4
            --threads 1 --steps 2 --output towns)
refuses 2 "one-process: tiles of 32 pixels cannot be averaged to the net's 64. Hint: civitas-preprocess --pixels 64" \
  "${classifier[@]}" --pixels 64 --rounds 1 --strategies one-process
ranks 2 "${classifier[@]}" --pixels 8 --rounds 2 --strategies data,naive,server --placements 9,1 >said 2>&1
[ "$(figure towns.json '[(c["from"], c["to"], c["bytes"], len(c["waited_seconds"]["rounds"]))
  for c in all["naive:9-1"]["cuts"]]')" = '[(0, 1, 16384, 2), (1, 0, 16384, 2)]' ] || fail "cuts: $(cat towns.json)"
[ "$(figure towns.json 'len({str(s["losses"]) for s in all.values()}), list(all["server"]["losses"])')" = \
  "(1, ['loss'])" ] || fail "losses: $(cat towns.json)"
# Ranks that add up gradients communicate, those of a pipe wait, and so do workers of servers, for weights.
[ "$(figure towns.json '[(all[n][s + "_share"]["median"] > 0) for n, s in (
  ("data", "communication"), ("naive:9-1", "waiting"), ("server", "communication"))]')" = '[True, True, True]' ] ||
  fail "shares: $(cat towns.json)"

# On paper: for ranks that nobody has.
# (What a file says of updates is of its own run: strategies share the whole batch.)
printf '%s\n' 'update = server' 'servers = 1' >server.ini
echo 'output =' >nameless.ini
refuses 2 '--output is empty: it names the files NAME.json and NAME.html (nameless.ini:1: output = ). Hint: ' \
  civitas compare --net dcgan-64 --batch 24 --micro-batch 2 --ranks 2 --config nameless.ini
refuses 2 '--output ./ is a folder. Hint: --output "./NAME" writes NAME.json' \
  civitas compare --net dcgan-64 --batch 24 --micro-batch 2 --ranks 2 --output ./
civitas compare --net dcgan-64 --batch 24 --micro-batch 2 --ranks 2 --config server.ini --output served \
  --tiles none.h5 --steps 7 --threads 2 >said 2>&1
grep -q '^warning: --threads is of the commands that are told alone' said || fail "no word of threads: $(cat said)"
figure served.json 'all["data"]["command"]' | grep -q -- ' --tiles none.h5 --threads 2 --steps 7 --update sync' ||
  fail "the command is another: $(figure served.json 'all["data"]["command"]')"
grep -q 'batches of 24 tiles' said || fail "other batches by a file: $(head -n 5 said)"
civitas compare --net dcgan-64 --batch 512 --micro-batch 8 --ranks 64 --machine machine.ini --output paper.html >said
reason paper.json async 'it needs ranks that share memory; these are on 4 nodes'
[ "$(figure paper.json 'all["server"]["predicted"]["seconds"] > all["data"]["predicted"]["seconds"]')" = True ] ||
  fail "servers of four nodes: $(cat said)"
[ "$(figure paper.json '[n for n, s in all.items() if (s["why_not"] is None) != ("predicted" in s)]')" = '[]' ] ||
  fail "neither predicted nor a reason: $(cat paper.json)"
[ "$(figure paper.json 'len(all) > 20 and all["data"]["predicted"]["tiles_per_second"] > 0')" = True ] ||
  fail "$(cat said)"
[ "$(figure paper.json 'all["gpipe"]["why_not"] is not None and "seconds" not in all["data"]')" = True ] ||
  fail "$(cat said)"

# A request to stop ends it with the code of one that may be started again, and leaves nothing.
rm -f comparison.*
mpirun --quiet --oversubscribe --bind-to none -n 2 civitas compare "${small[@]}" --steps 100000 >stop.log 2>&1 &
job=$!
for _ in $(seq 300); do compgen -G 'comparison.runs-*/run/metrics.jsonl' >/dev/null && break; sleep 0.1; done
code=0
kill -USR1 $job
wait $job || code=$?
[ $code = 75 ] || fail "exit code $code instead of 75: $(cat stop.log)"
nothing_left

# The pages are XML as well, and browsers show as many bars as there are figures, ask nobody, and complain of nothing.
. "$ROOT/tests/support/browser.sh"
for page in studies paper; do
  whole_page $page.html bar 6
done
