# Several ranks on one GPU, whose tensors travel through host memory, make what one rank on it makes;
# and a pipe has stages on a CPU and on a GPU.
source "$ROOT/tests/support/gpu_runs.sh"
layouts_equal_one_rank 'host memory (ranks 0 and 1 share a GPU)'

by 'host memory' 2 shared --steps 1 2>said
grep -q 'warning: 2 ranks of this node share its 1 GPU' said || fail "no warning of a shared GPU: $(cat said)"

train 2 mixed --steps 2 --mesh pipe=2 --stage-devices cpu,cuda --kernels aten
travel_by 'host memory (rank 0 computes on the CPU)' mixed
grep -qF 'devices along the pipe: cpu,cuda' mixed/log/rank-0.txt || fail 'the devices are not told'

# So has a classifier's, which learns there what it learns on a CPU.
make_store labelled.h5 20 32 250 2
classify() {
  ranks "$1" civitas train --task classify --net resnet-18 --tiles labelled.h5 --run "$2" --labels stored --pixels 16 \
    --batch 8 --micro-batch 4 --threads 1 --steps 4 --sample-every 0 --checkpoint-every 0 \
    --precision fp64 --kernels aten "${@:3}"
}
classify 1 cpu
for devices in cpu,cuda cuda,cpu; do
  classify 2 $devices --mesh pipe=2 --stage-devices $devices
  grep -qF "devices along the pipe: $devices" $devices/log/rank-0.txt || fail "not on $devices"
  losses_near cpu $devices 1e-8
done
