# Kernels of our own give one result on any layout and with any number of threads; ATen's give another.
make_store tiles.h5 20 64
# The widths are a list for one option.
# shellcheck disable=SC2054
small=(--tiles tiles.h5 --net dcgan-64 --generator-widths 64,64,64,64 --discriminator-widths 64,64,64,64 --nz 8
  --batch 8 --micro-batch 2 --sample-every 0 --checkpoint-every 0 --steps 3)
# trained RUN RANKS OPTIONS...: the fingerprint.
trained() {
  ranks "$2" civitas train --run "$1" "${small[@]}" "${@:3}" >"$1.txt" 2>&1
  sed -n 's/^fingerprint //p' "$1.txt"
}
for precision in fp32 bf16; do
  of=(--precision "$precision" --kernels fast)
  fast=$(trained "$precision.one" 1 "${of[@]}" --threads 1)
  [ -n "$fast" ] || fail "no fingerprint: $(cat "$precision.one.txt")"
  aten=$(trained "$precision.aten" 1 --precision "$precision" --kernels aten --threads 1)
  [ "$fast" != "$aten" ] || fail "$precision: the bits of ATen, so its kernels"
  for threads in 2 4; do
    [ "$(trained "$precision.$threads" 1 "${of[@]}" --threads $threads)" = "$fast" ] ||
      fail "$precision: other bits with $threads threads"
  done
  [ "$(trained "$precision.data" 2 "${of[@]}" --threads 2 --shard gradients)" = "$fast" ] ||
    fail "$precision: other bits with --mesh data=2"
  [ "$(trained "$precision.pipe" 2 "${of[@]}" --threads 1 --mesh pipe=2 --schedule zero-bubble)" = "$fast" ] ||
    fail "$precision: other bits with --mesh pipe=2"
done
