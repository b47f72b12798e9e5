# With a CUDA toolkit the trainer and the GPU's tests build and link, whether or not there is a GPU.
log=$WORK/log
PATH=$(dirname "$NVCC"):$PATH
cmake -S "$ROOT" -B "$CUDA_BUILD" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCIVITAS_CUDA=ON \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 -DCIVITAS_WERROR=ON -DCIVITAS_PREPROCESS=OFF \
  -DTORCH_ROOT="$TORCH_ROOT" >"$log" 2>&1 || fail "$(cat "$log")"
tests=(test_comm_device test_nn_device test_gpu_device test_tasks_device test_async_tensor)
cmake --build "$CUDA_BUILD" --target gpu_tests >"$log" 2>&1 ||
  fail "$(tail -n 40 "$log")"
# Into files: grep -q ends at the first match, and the program before it in a pipe would fail.
asks() { # program, library
  readelf -d "$CUDA_BUILD/$1" >needed
  grep -q "NEEDED.*$2" needed || fail "$1 does not ask for $2"
}
for program in bin/civitas "${tests[@]/#/tests/}"; do
  asks "$program" libtorch_cuda
done
for program in bin/civitas tests/test_comm_device; do
  asks "$program" libnccl
  nm -D "$CUDA_BUILD/$program" >symbols
  grep -q ncclSend symbols || fail "$program does not use NCCL"
done
for program in bin/civitas tests/test_tasks_device; do
  nm -DC "$CUDA_BUILD/$program" >symbols
  grep -q 'U at::cuda::CUDAGraph::replay()' symbols || fail "$program records no graphs"
done
nm -DC "$CUDA_BUILD/tests/test_gpu_device" >symbols
grep -q 'U _*cudaLaunchKernel' symbols || fail 'no kernel of ours is launched'
for program in bin/civitas tests/test_async_tensor; do
  nm -D "$CUDA_BUILD/$program" >symbols
  grep -q cudaIpcOpenMemHandle symbols || fail "$program shares no memory of a GPU"
done
