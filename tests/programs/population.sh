# Several models side by side: each is the run that it would be alone, one that fails ends alone, a stop stops all, the
# same command goes on, and the best is linked.
make_store tiles.h5 60 64
small=(--net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --nz 8 --batch 8 --micro-batch 4
       --threads 1 --checkpoint-every 0)
train() {
  local n=$1
  shift
  ranks "$n" civitas train --tiles tiles.h5 "${small[@]}" "$@"
}
fingerprint() { grep -h '^fingerprint' "$1/log/rank-0.txt" | tail -n 1; }
same() {
  [ -n "$(fingerprint "$1")" ] && [ "$(fingerprint "$1")" = "$(fingerprint "$2")" ] ||
    fail "fingerprints of $1 and $2 differ"
}

# What cannot be is refused before anything is written.
command=(civitas train --tiles tiles.h5 "${small[@]}")
two=(mpirun --quiet --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 -n 2 "${command[@]}")
none=("${command[@]}" --run none --steps 3)
refuses 2 'did you mean generator-lr?' "${none[@]}" --population 2 --vary generator-rl=1e-4,2e-4
refuses 2 'mesh is no option that members may differ in. Hint: one of seed, loss,' "${none[@]}" --population 2 \
  --vary mesh=data=1,pipe=1
refuses 2 'has 3 values for 2 members. Hint: a value for each member, or --population 3.' "${none[@]}" --population 2 \
  --vary seed=1,2,3
refuses 2 '--generator-lr lots: expected a number' "${none[@]}" --population 2 --vary generator-lr=1e-4,lots
refuses 2 '--generator-lr 1e+09 is out of range' "${none[@]}" --population 2 --vary generator-lr=1e-4,1e9
refuses 2 'is for populations. Hint: --population' "${none[@]}" --vary seed=1,2
refuses 2 '--trace t.json is one file' "${none[@]}" --population 2 --trace t.json
refuses 2 "unknown when-failed 'jion'" "${none[@]}" --population 2 --when-failed jion
refuses 2 '--when-failed join is for populations' "${none[@]}" --when-failed join
for mistake in '--mesh data=1|--mesh says how many they have' '--update async|those of --update async share memory' \
  '--update server|servers of --update server do not count epochs' \
  '--sync-batch-norm|--sync-batch-norm normalises over those'; do
  read -ra words <<<"${mistake%|*}"
  refuses 2 "more ranks than they began with: ${mistake#*|}" "${none[@]}" --population 2 --when-failed join \
    "${words[@]}"
done
refuses 2 '--population 0 is out of range' "${none[@]}" --population 0
refuses 2 'the job has 1 rank, which is no multiple of it: every member has as many. Hint: mpirun -n 2.' \
  "${none[@]}" --population 2
refuses 2 'mesh data=3' "${two[@]}" --run none --population 2 --mesh data=3
refuses 2 'error: no member could begin: ' "${two[@]}" --run none --population 2 --stages 3,2 --steps 3
refuses 2 '--tiles missing.h5: there is no such file' mpirun --quiet --oversubscribe -n 2 \
  civitas train --tiles missing.h5 --run none --population 2
[ ! -e none ] || fail "something was made: $(find none)"

# Two members of one rank; each is the run made alone, a folder that every command takes.
train 2 --run lr --population 2 --vary generator-lr=1e-4,4e-4 --steps 4 >said 2>&1
train 1 --run alone --generator-lr 4e-4 --steps 4 >/dev/null
same lr/2 alone
# (A launcher may cut lines where it takes turns between ranks.)
for member in 1 2; do
  [ "$(grep -c "^member $member: step [1-4]/4 " said)" -ge 2 ] || fail "members are not told apart: $(cat said)"
done
grep -q '^generator-lr = 4e-04$' lr/2/config.ini || fail "config.ini: $(cat lr/2/config.ini)"
! grep -q '^\(population\|vary\)' lr/2/config.ini || fail "config.ini of a member holds the population"
diff <(sed 's/^run = .*//' lr/2/config.ini) <(sed 's/^run = .*//' alone/config.ini) || fail "config.ini differs"
[ -L lr/best ] || fail "no link to the best: $(ls lr)"
grep -q "^best: member $(readlink lr/best)$" lr/population.txt || fail "$(cat lr/population.txt)"
grep -q '^ *1  *1e-4  *4 .* done$' lr/population.txt || fail "no line of member 1: $(cat lr/population.txt)"
! grep -q '^member 1: generator-lr' said || fail "every member tells its configuration: $(cat said)"
grep -qF "$(head -n 1 lr/population.txt)" said || fail "the table is not told: $(cat said)"
# Members read the same 32 tiles, and a few ahead, which are inflated once.
read -r reads found <<<"$(sed -n 's/^tiles were read \([0-9]*\) times for 2 members, and \([0-9]*\) .*/\1 \2/p' said)"
[ "${reads:-0}" -ge 32 ] && [ "$reads" -le 60 ] && [ "$found" -ge 32 ] || fail "tiles are read anew: $(cat said)"
# Who names the whole is told of its members.
members='Hint: runs lie in it: lr/1, lr/2, lr/best'
refuses 1 "$members" civitas inspect lr
refuses 1 "$members" civitas report lr --output page.html
refuses 2 "$members" civitas generate --checkpoint lr --output plans.h5
civitas evaluate --checkpoint lr/2 --tiles tiles.h5 --output figures.txt >/dev/null
distance=$(printf %.1f "$(sed -n 's/^plans.distance = //p' figures.txt)")
[ "$(awk '$1 == 2 { print $6 }' lr/population.txt)" = "$distance" ] ||
  fail "evaluate says $distance: $(cat lr/population.txt)"
civitas inspect lr/best | grep 'step-00000004.h5: whole' >/dev/null || fail "inspect does not take the link"
refuses 2 'holds a population, and no run of its own. Hint: --population' "${command[@]}" --run lr --steps 5
cp -r lr kept
refuses 2 ', and is to go on with 2. Hint: the --vary of its first start' "${command[@]}" --run lr --population 2
refuses 2 'lr = 4e-04, and is to go on with 0.6' "${command[@]}" --run lr --population 2 --vary generator-lr=1e-4,0.6
diff -r lr kept || fail 'a refused start changed the population'
rm -r kept
refuses 2 'holds a run of its own, and no population' "${command[@]}" --run alone --population 2

# Two members of two ranks, which differ in their seeds; the same command goes on, and so does a member alone.
train 4 --run seeds --population 2 --mesh data=2 --steps 3 >said 2>&1
touch seeds/population.txt.part-0a1b2c3d seeds/stopped.part-0a1b2c3d seeds/stopped.part-of-mine
train 4 --run seeds --population 2 --mesh data=2 --steps 6 >said 2>&1
[ "$(find seeds -maxdepth 1 -name '*.part*')" = seeds/stopped.part-of-mine ] || fail "left: $(ls seeds)"
rm seeds/stopped.part-of-mine
grep -q '^resumed from .*seeds/2/checkpoints/step-00000003.h5' seeds/2/log/rank-0.txt || fail "not resumed: $(cat said)"
train 1 --run alone2 --seed 2 --steps 6 >/dev/null
same seeds/2 alone2
train 1 --config seeds/2/config.ini --mesh data=1 --steps 7 >/dev/null
[ -e seeds/2/checkpoints/step-00000007.h5 ] || fail "a member does not go on alone"

# Ranks of a member may share weights without waiting, or have them on servers.
for update in async server; do
  train 4 --run "$update" --population 2 --mesh data=2 --update "$update" --steps 4 --sample-every 0 >said 2>&1
  for member in 1 2; do
    [ -e "$update/$member/checkpoints/step-00000004.h5" ] && [ ! -e "$update/$member/lock" ] ||
      fail "member $member by $update: $(ls "$update/$member" "$update/$member/checkpoints")"
    [ "$(grep -o '"step":[0-9]*' "$update/$member/metrics.jsonl" | sort -u | wc -l)" = 4 ] ||
      fail "steps of member $member by $update: $(cat "$update/$member/metrics.jsonl")"
    grep -q "^ *$member  *$member  *4  *0.* done\$" "$update/population.txt" || fail "$(cat "$update/population.txt")"
  done
done
train 1 --run alone3 --seed 2 --steps 4 --sample-every 0 >/dev/null
same server/2 alone3

# One whose numbers are none any more fails with the step and the place where that was found; the other ends well.
refuses 1 'member 2: error: in step ' "${two[@]}" --run nan --population 2 --vary discriminator-lr=1e-4,1 --loss lsgan \
  --optimizer sgd --steps 8 --sample-every 0
grep -q '^member 2: error: in step [1-8] the gradient of .*, pass .*, is not finite. Hint: a lower ' said ||
  fail "$(cat said)"
grep -q '^ *2  *1  *[0-7]  *- .*failed: in step [1-8] the gradient of ' nan/population.txt ||
  fail "$(cat nan/population.txt)"
grep -q '^ *1  *1e-4  *8  *0.* done$' nan/population.txt && [ "$(readlink nan/best)" = 1 ] ||
  fail "$(cat nan/population.txt)"

# One member fails in the sheet of step 10: it is named at once, the other is taken to its end, and the code is that
# of the error.
refuses 1 'member 2: error: ' env LD_PRELOAD="$TESTS/libno_memory.so" NO_MEMORY_RANK=1 NO_MEMORY_BYTES=3145728 \
  "${two[@]}" --run failing --population 2 --steps 60 --sample-every 10
told=$(grep -n '^member 2: error: .*memory' said | cut -d: -f1 | head -n 1)
sed "1,${told}d" said | grep 'member 1: step ' >/dev/null || fail "told late: $(cat said)"
grep -q '^ *2  *2  *10  *- .*failed: .*memory' failing/population.txt || fail "$(cat failing/population.txt)"
grep -q '^ *1  *1  *60  *0.* done$' failing/population.txt || fail "$(cat failing/population.txt)"
[ "$(readlink failing/best)" = 1 ] || fail "the best is $(readlink failing/best)"
# The same command goes on with both: member 2 from what it has saved.
train 2 --run failing --population 2 --steps 60 >said 2>&1
grep -q '^resumed from .*step-00000010.h5' failing/2/log/rank-0.txt || fail "not resumed: $(cat said)"
grep -q '^ *2  *2  *60  *0.* done$' failing/population.txt || fail "$(cat failing/population.txt)"

# Its ranks can join the others, at the end of the epoch in which it failed (one is 54 tiles, 8 a step), which changes
# no bits; the one that failed is in the table with its cause.
refuses 1 'the ranks of who has failed join the others: member 1 goes on with 2 ranks' env \
  LD_PRELOAD="$TESTS/libno_memory.so" NO_MEMORY_RANK=1 NO_MEMORY_BYTES=3145728 "${two[@]}" --run joined --population 2 \
  --when-failed join --steps 60 --sample-every 10
joined_at=$(sed -n 's/^resumed from .* after step \([0-9]*\)$/\1/p' joined/1/log/rank-0.txt)
[ -n "$joined_at" ] && [ $((joined_at * 8 / 54)) -gt $(((joined_at - 1) * 8 / 54)) ] ||
  fail "step $joined_at ends no epoch of 54 tiles: $(cat said)"
[ -e joined/1/log/rank-1.txt ] || fail "nobody has joined: $(ls joined/1/log)"
grep -q '^ *2  *2  *10  *- .*failed: .*memory' joined/population.txt || fail "$(cat joined/population.txt)"
grep -q '^ *1  *1  *60  *0.* done$' joined/population.txt || fail "$(cat joined/population.txt)"
same joined/1 failing/1

# SIGTERM to one rank stops and saves all; the same command goes on to the same end.
: >said
timeout -k 1 100 "${two[@]}" --run stopped --population 2 --steps 1000000 >said 2>&1 &
job=$!
for _ in $(seq 300); do grep -q '^member 1: step 5/' said && grep -q '^member 2: step 5/' said && break; sleep 0.1; done
pid=$(sed -n 's/^pid = //p' stopped/2/lock)
kill -TERM "$pid"
rc=0
wait $job || rc=$?
[ $rc = 75 ] || fail "exit code $rc instead of 75: $(tail said)"
for member in 1 2; do
  step=$(cat stopped/$member/stopped)
  [ -e "stopped/$member/checkpoints/step-$(printf %08d "$step").h5" ] || fail "member $member was not saved"
done
[ -s stopped/stopped ] || fail "nothing says that the population was stopped"
[ ! -e stopped/population.txt ] || fail "a stopped population has a table"
more=$(($(cat stopped/1/stopped) > $(cat stopped/2/stopped) ? $(cat stopped/1/stopped) : $(cat stopped/2/stopped)))
train 2 --run stopped --population 2 --steps $((more + 2)) >/dev/null
[ ! -e stopped/stopped ] || fail "a finished population still says it was stopped"
[ "$(grep -c ' done$' stopped/population.txt)" = 2 ] || fail "$(cat stopped/population.txt)"

left=$(find . -path ./.tmp -prune -o \( -name lock -o -name '*.part*' \) -print)
[ -z "$left" ] || fail "left behind: $left"
