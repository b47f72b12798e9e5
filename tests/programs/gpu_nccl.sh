# Several ranks on one GPU, whose tensors travel by NCCL, make what one rank on it makes.
source "$ROOT/tests/support/gpu_runs.sh"
layouts_equal_one_rank NCCL
