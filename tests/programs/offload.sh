# Ranks that keep moments, means and divided weights on a disk end with the bits of ranks that keep them in memory;
# either goes on from what the other saved, and no file is left.
source "$ROOT/tests/support/runs.sh"
small() {
  local n=$1 run=$2
  shift 2
  ranks "$n" civitas train --tiles tiles.h5 --run "$run" --net dcgan-64 --generator-widths 16,16,16,16 \
    --discriminator-widths 16,16,16,16 --nz 8 --batch 8 --micro-batch 2 --threads 1 --checkpoint-every 0 "$@"
}
bytes() { awk -v what="$1" 'index($0, "  " what) == 1 { print $(NF - 1) }' "$2"; }
same_sheets() { cmp "$1/samples/step-00000003.png" "$2/samples/step-00000003.png" || fail "$2 draws another sheet"; }

small 2 memory --steps 3 --shard parameters >said.memory
small 2 disk --steps 3 --shard parameters --offload disk >said
same memory disk
same_sheets memory disk
diff <(ls -A memory) <(ls -A disk) || fail 'something is left in the run folder'
awk -v part="$(bytes 'weights, moments, sums' said)" -v whole="$(bytes 'weights, moments, sums' said.memory)" \
  -v disk="$(bytes 'on a disk' said)" 'BEGIN { exit !(disk > 0 && (part + disk - whole) ^ 2 <= 0.04) }' ||
  fail "what is offloaded does not leave memory: $(cat said said.memory)"

# Another level, in a folder elsewhere, which the run before had not; and back into memory.
elsewhere=$(mktemp -d -p /dev/shm)
trap 'rm -rf "$WORK" "$elsewhere"' EXIT
small 1 mixed --steps 1 --sample-every 0
small 2 mixed --steps 2 --sample-every 0 --shard gradients --offload disk --offload-folder "$elsewhere" >said 2>&1
[ "$(grep -c "warning: $elsewhere is itself in memory (tmpfs). Hint: --offload-folder" said)" = 1 ] ||
  fail "not one word: $(cat said)"
[ -z "$(ls -A "$elsewhere")" ] || fail "left behind: $(ls -A "$elsewhere")"
small 1 mixed --steps 3 --offload host >said
grep -q 'offload host changes nothing' said || fail "nobody says that host is none: $(cat said)"
same memory mixed
same_sheets memory mixed

civitas plan --net dcgan-64 --mesh data=2 --shard parameters --offload disk --brief >said
grep -A 2 '^Offloaded by a rank' said | grep -q '^  0  *[1-9][0-9.]* MB  *[1-9][0-9.]* MB$' ||
  fail "the plan does not say what is offloaded: $(cat said)"

# A disk without room is told by all ranks alike, before the first step.
no_room() {
  mkdir full
  mount -t tmpfs -o size=100k tmpfs full
  mpirun --quiet --oversubscribe --bind-to none -n 2 civitas train --tiles tiles.h5 --run refused --net dcgan-64 \
    --batch 8 --micro-batch 2 --threads 1 --steps 1 --shard optimizer --offload disk --offload-folder full
}
export -f no_room
if unshare -m true 2>unshare.txt; then
  refuses 1 'no room in "full" for ' timeout -k 1 100 unshare -m bash -euc no_room
  grep -q 'it has 0.1 MB. Hint: free some space, --offload-folder on a larger disk' said || fail "no hint: $(cat said)"
  [ ! -s refused/metrics.jsonl ] || fail 'a step was made'
else
  echo "not tried: a small disk ($(cat unshare.txt))"
fi
