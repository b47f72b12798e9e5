# With a CUDA toolkit the trainer builds and links for the GPU, whether or not there is one.
log=$WORK/log
PATH=$(dirname "$NVCC"):$PATH
cmake -S "$ROOT" -B "$CUDA_BUILD" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCIVITAS_CUDA=ON \
  -DCIVITAS_TESTS=OFF -DCIVITAS_PREPROCESS=OFF -DTORCH_ROOT="$TORCH_ROOT" >"$log" 2>&1 ||
  fail "$(cat "$log")"
cmake --build "$CUDA_BUILD" --target civitas >"$log" 2>&1 || fail "$(tail -n 40 "$log")"
readelf -d "$CUDA_BUILD/bin/civitas" | grep -q 'NEEDED.*libtorch_cuda' ||
  fail 'the program does not ask for libtorch_cuda'
