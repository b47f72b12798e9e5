#!/usr/bin/env bash
# On a machine with a GPU: builds the preset `cuda` against the PyTorch that is there and runs the
# tests labelled gpu. TORCH_ROOT=DIR names another libtorch built for CUDA.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

if ! nvidia-smi --list-gpus 2>/dev/null; then
  echo 'No GPU here (nvidia-smi finds none): nothing was tested.'
  exit 1
fi
torch=${TORCH_ROOT:-$(python3 -c 'import os, torch; print(os.path.dirname(torch.__file__))')}
if [ ! -e "$torch/lib/libtorch_cuda.so" ]; then
  echo "The libtorch in $torch was built without CUDA. Hint: TORCH_ROOT=DIR." >&2
  exit 1
fi
# What another compiler warns of is no reason not to test.
options=(-DTORCH_ROOT="$torch" -DCIVITAS_WERROR=OFF)
command -v gdal-config >/dev/null || options+=(-DCIVITAS_PREPROCESS=OFF)
# PyTorch's wheels bring NCCL where the toolkit does not.
nccl=$torch/../nvidia/nccl/lib/libnccl.so.2
if [ -e "$nccl" ]; then options+=(-DNCCL="$nccl"); fi

export PATH=$PATH:/usr/local/cuda/bin
cmake --preset cuda "${options[@]}" "$@"
cmake --build --preset cuda --target gpu_tests
export CIVITAS_NEEDS_GPU=1
ctest --test-dir build/cuda --label-regex gpu --no-tests=error --output-on-failure \
  --parallel $(($(nproc) / 2 + 1))
