# Ranks on one GPU that each hold parts of layers, or of weights, and whose tensors travel through host
# memory, make what one rank on it makes.
source "$ROOT/tests/support/gpu_runs.sh"
parts_equal_one_rank 'host memory (ranks 0 and 1 share a GPU)'
