# With a CUDA toolkit the trainer and the GPU's tests build and link, whether or not there is a GPU.
log=$WORK/log
PATH=$(dirname "$NVCC"):$PATH
cmake -S "$ROOT" -B "$CUDA_BUILD" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCIVITAS_CUDA=ON \
  -DCIVITAS_PREPROCESS=OFF -DTORCH_ROOT="$TORCH_ROOT" >"$log" 2>&1 || fail "$(cat "$log")"
cmake --build "$CUDA_BUILD" --target civitas test_comm_device test_nn_device test_train_device >"$log" 2>&1 ||
  fail "$(tail -n 40 "$log")"
for program in bin/civitas tests/test_comm_device tests/test_nn_device tests/test_train_device; do
  readelf -d "$CUDA_BUILD/$program" | grep -q 'NEEDED.*libtorch_cuda' ||
    fail "$program does not ask for libtorch_cuda"
done
for program in bin/civitas tests/test_comm_device; do
  readelf -d "$CUDA_BUILD/$program" | grep -q 'NEEDED.*libnccl' && nm -D "$CUDA_BUILD/$program" | grep -q ncclSend ||
    fail "$program does not ask for NCCL"
done
