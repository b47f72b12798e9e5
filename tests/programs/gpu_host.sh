# Several ranks on one GPU, whose tensors travel through host memory, make what one rank on it makes;
# and a pipe has stages on a CPU and on a GPU.
source "$ROOT/tests/support/gpu_runs.sh"
layouts_equal_one_rank 'host memory (ranks 0 and 1 share a GPU)'

by 'host memory' 2 shared --steps 1 2>said
grep -q 'warning: 2 ranks of this node share its 1 GPU' said || fail "no warning of a shared GPU: $(cat said)"

train 2 mixed --steps 2 --mesh pipe=2 --stage-devices cpu,cuda
travel_by 'host memory (rank 0 computes on the CPU)' mixed
grep -qF 'devices along the pipe: cpu,cuda' mixed/log/rank-0.txt || fail 'the devices are not told'
