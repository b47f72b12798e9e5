# Replicas of one process on a GPU make what one rank on it makes, beside other ranks and after a resume, too.
source "$ROOT/tests/support/gpu_runs.sh"
# learn RANKS RUN OPTIONS...
learn() {
  (ranks "$1" civitas train --tiles tiles.h5 --run "$2" --net dcgan-64 --batch 8 --micro-batch 2 --threads 2 \
    --sample-every 0 --checkpoint-every 0 --device cuda "${@:3}") >"$2.txt" 2>&1 || fail "$2: $(cat "$2.txt")"
}
for kind in "fp32 aten" "bf16 fast"; do
  read -r precision kernels <<<"$kind"
  by=(--precision "$precision" --kernels "$kernels")
  learn 1 "one.$precision" --steps 6 "${by[@]}"
  learn 1 "two.$precision" --steps 4 --replicas 2 "${by[@]}"
  learn 1 "two.$precision" --steps 6 --replicas 2 "${by[@]}"
  same "one.$precision" "two.$precision"
  learn 2 "four.$precision" --steps 6 --mesh data=2 --replicas 2 "${by[@]}"
  same "one.$precision" "four.$precision"
done
grep -q '2 replicas of this node share its 1 GPU' two.fp32.txt || fail 'nobody is told that a GPU is shared'
grep -q 'no CUDA graphs: threads of one process record none' two.fp32.txt ||
  fail "nobody says why there are no graphs: $(cat two.fp32.txt)"
grep -q "^replicas: 2 in each rank, of 1 thread each, the first rank's on GPUs 0, 0" two.fp32.txt ||
  fail "nobody says where replicas are: $(cat two.fp32.txt)"

# On two GPUs each replica takes one, with the same bits where they are of a kind. Where there is one, its second
# context is the other: neither reaches what is the other's.
unset CUDA_VISIBLE_DEVICES
if [ "$(nvidia-smi --list-gpus | wc -l)" -gt 1 ]; then
  echo 'two GPUs: those of this node'
else
  echo 'two GPUs: one, with two contexts'
  civitas_with pretended "LD_PRELOAD=\$TESTS/libtwo_gpus.so"
  PATH=$PWD/pretended:$PATH
fi
for more in "--precision fp32 --kernels aten" "--precision bf16 --kernels fast --shard optimizer"; do
  read -ra by <<<"$more"
  learn 1 "apart.${by[1]}" --steps 6 --replicas 2 "${by[@]}"
  grep -q "the first rank's on GPUs 0, 1" "apart.${by[1]}.txt" || fail "not on two: $(cat "apart.${by[1]}.txt")"
  if grep 'share its' "apart.${by[1]}.txt"; then fail 'two GPUs are said to be shared'; fi
  same "one.${by[1]}" "apart.${by[1]}"
done
# Two ranks, each on both.
learn 2 both.bf16 --steps 6 --mesh data=2 --replicas 2 --precision bf16 --kernels fast
same one.bf16 both.bf16
