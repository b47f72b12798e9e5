# Ranks of a node have the weights once and update them together; where the node has too little shared
# memory each rank has its own, which is told and changes no bit.
make_store tiles.h5 20 64
# The widths are a list for one option.
# shellcheck disable=SC2054
small=(--tiles tiles.h5 --net dcgan-64 --generator-widths 64,32,16,16 --discriminator-widths 16,16,32,64 --nz 8
  --batch 8 --micro-batch 2 --threads 1 --sample-every 0 --steps 3 --ema 0.9)
fingerprint() { sed -n 's/^fingerprint //p' "$1"; }
# Of a rank, planned and counted.
counted() { sed -n 's/^ *parameters  *\([0-9.]*\) MB  *\([0-9.]*\) MB.*/\1 \2/p' "$1"; }

ranks 2 civitas train --run apart "${small[@]}" --weight-copies rank >apart.txt 2>&1
ranks 2 civitas train --run together "${small[@]}" >together.txt 2>&1
grep -q 'replicas: 2 of a node have the weights once, and update a part each' together.txt ||
  fail "not told: $(cat together.txt)"
! grep -q 'have the weights once' apart.txt || fail "told without being so: $(cat apart.txt)"
read -r planned found < <(counted together.txt)
[ "$planned" = "$found" ] || fail "planned $planned MB, counted $found MB"
read -r whole _ < <(counted apart.txt)
awk -v a="$found" -v b="$whole" 'BEGIN { exit !(2 * a > 0.95 * b && 2 * a < 1.05 * b) }' ||
  fail "$found MB of $whole MB are no half"
ranks 4 civitas train --run pairs "${small[@]}" --node-size 2 --precision fp32 >pairs.txt 2>&1
# Weights that ranks keep in parts are gathered once for the node.
ranks 2 civitas train --run gathered "${small[@]}" --shard parameters >gathered.txt 2>&1
grep -q 'replicas: 2 of a node gather weights once' gathered.txt || fail "not told: $(cat gathered.txt)"
ranks 2 civitas train --run gathered.apart "${small[@]}" --shard parameters --weight-copies rank \
  >gathered.apart.txt 2>&1
ranks 4 civitas train --run gathered.pairs "${small[@]}" --shard parameters --node-size 2 >gathered.pairs.txt 2>&1
read -r planned found < <(counted gathered.txt)
read -r _ more < <(counted gathered.apart.txt)
[ "$planned" = "$found" ] || fail "gathered: planned $planned MB, counted $found MB"
awk -v a="$found" -v b="$more" 'BEGIN { exit !(a < b) }' || fail "$found MB of $more MB are no less"
for run in together pairs gathered gathered.apart gathered.pairs; do
  [ "$(fingerprint $run.txt)" = "$(fingerprint apart.txt)" ] || fail "$run: other bits than apart"
done

# little_memory SIZE RANKS RUN OPTIONS...
little_memory() {
  mount -t tmpfs -o size="$1" tmpfs /dev/shm
  export OMPI_MCA_btl=self,tcp
  ranks "$2" civitas train --run "$3" "${small[@]}" "${@:4}"
}
export -f little_memory ranks run fail
if unshare -m true 2>unshare.txt; then
  small_options=$(printf '%q ' "${small[@]}")
  with_little() {
    unshare -m bash -euc "small=($small_options); little_memory $*" >"$3.txt" 2>&1 || fail "$* $(cat "$3.txt")"
  }
  with_little 400k 2 little
  told='the ranks of this machine would share .* MB, /dev/shm has room for 0.3 MB: takes --weight-copies rank'
  grep -q "^rank 0: warning: $told. Hint: more room there" little.txt || fail "not told: $(cat little.txt)"
  with_little 2600k 4 four --node-size 2
  grep -q 'takes --weight-copies rank' four.txt || fail "not told: $(cat four.txt)"
  for run in little four; do
    [ "$(fingerprint $run.txt)" = "$(fingerprint apart.txt)" ] || fail "$run: other bits than apart"
  done
  with_little 4k 2 fast --reduction fast
else
  echo "not tried: a node with little shared memory ($(cat unshare.txt))"
fi
refuses 2 "unknown weight copies 'both'. Hint: node or rank" civitas train --run no "${small[@]}" --weight-copies both
