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
has() { grep -qw "$1" /proc/cpuinfo; }
# Every layer of this net is by our kernels there.
all_ours() { [ "$1" = fp32 ] && has avx512dq || { has avx512_bf16 && ! has amx_bf16; }; }
for precision in fp32 bf16; do
  of=(--precision "$precision" --kernels fast)
  fast=$(trained "$precision.one" 1 "${of[@]}" --threads 1)
  [ -n "$fast" ] || fail "no fingerprint: $(cat "$precision.one.txt")"
  aten=$(trained "$precision.aten" 1 --precision "$precision" --kernels aten --threads 1)
  [ "$fast" != "$aten" ] || fail "$precision: the bits of ATen, so its kernels"
  all_ours $precision || { echo "not tried: $precision with several threads, on this processor" && continue; }
  for threads in 2 4; do
    [ "$(trained "$precision.$threads" 1 "${of[@]}" --threads $threads)" = "$fast" ] ||
      fail "$precision: other bits with $threads threads"
  done
  [ "$(trained "$precision.data" 2 "${of[@]}" --threads 2 --shard gradients)" = "$fast" ] ||
    fail "$precision: other bits with --mesh data=2"
  [ "$(trained "$precision.pipe" 2 "${of[@]}" --threads 1 --mesh pipe=2 --schedule zero-bubble)" = "$fast" ] ||
    fail "$precision: other bits with --mesh pipe=2"
done

# Saved activations: planned, counted. Where the kernels do not reach, layers are not made one.
for settings in '--precision bf16' '--precision fp64' '--sync-batch-norm'; do
  read -ra options <<<"$settings"
  ranks 2 civitas train --run saved "${small[@]}" --kernels fast --threads 1 --mesh pipe=2 "${options[@]}" \
    >saved.txt 2>&1
  read -r planned counted < <(sed -n 's/^ *saved activations  *\([0-9.]*\) MB  *\([0-9.]*\) MB.*/\1 \2/p' saved.txt)
  [ -n "$counted" ] && [ "$planned" = "$counted" ] || fail "$settings: planned $planned MB, counted $counted MB"
  rm -r saved
done

# A net is written as it is described by name, whatever computes it.
civitas export --checkpoint bf16.one --to fast.safetensors >/dev/null 2>&1 || fail "no export: $(cat bf16.one.txt)"
[ -s fast.safetensors ] || fail 'nothing exported'
refuses 2 '--kernels fast is for ranks that compute on CPUs, these do on cuda. Hint: --kernels aten' \
  civitas train --tiles tiles.h5 --run gpu --kernels fast --device cuda
