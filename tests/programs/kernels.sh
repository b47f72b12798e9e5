# Kernels of our own give one result on any layout and with any number of threads; ATen's give another.
make_store tiles.h5 20 64
# The widths are a list for one option.
# shellcheck disable=SC2054
small=(--tiles tiles.h5 --net dcgan-64 --discriminator-widths 64,64,64,64 --nz 8 --batch 8 --micro-batch 2
  --sample-every 0 --checkpoint-every 0)
steps=3
widths=64,64,64,64
# trained RUN RANKS OPTIONS...: the fingerprint.
trained() {
  ranks "$2" civitas train --run "$1" "${small[@]}" --generator-widths "$widths" --steps "$steps" "${@:3}" \
    >"$1.txt" 2>&1
  sed -n 's/^fingerprint //p' "$1.txt"
}
has() { grep -qw "$1" /proc/cpuinfo; }
# Every layer of this net is by our kernels there.
all_ours() { has avx2 && has fma; }
for precision in fp32 bf16; do
  of=(--precision "$precision" --kernels fast)
  fast=$(trained "$precision.one" 1 "${of[@]}" --threads 1)
  [ -n "$fast" ] || fail "no fingerprint: $(cat "$precision.one.txt")"
  aten=$(trained "$precision.aten" 1 --precision "$precision" --kernels aten --threads 1)
  [ "$fast" != "$aten" ] || fail "$precision: the bits of ATen, so its kernels"
  all_ours || { echo "not tried: $precision with several threads, on this processor" && continue; }
  [ "$(trained "$precision.threads" 1 "${of[@]}" --threads 4)" = "$fast" ] ||
    fail "$precision: other bits with 4 threads"
  full=$(widths=64,64,64,64,32 trained "$precision.full" 1 "${of[@]}" --threads 1)
  [ "$(widths=64,64,64,64,32 trained "$precision.full.threads" 1 "${of[@]}" --threads 4)" = "$full" ] ||
    fail "$precision: other bits with 4 threads of images made at full size"
  grep -qE 'kernels \(.*1 picture, .*7 strided.*\)' "$precision.full/profile.json" ||
    fail "$precision: a profile does not tell kernels: $(head -c 600 "$precision.full/profile.json")"
  [ "$(trained "$precision.data" 2 "${of[@]}" --threads 2 --shard gradients)" = "$fast" ] ||
    fail "$precision: other bits with --mesh data=2"
  [ "$(trained "$precision.pipe" 2 "${of[@]}" --threads 1 --mesh pipe=2 --schedule zero-bubble)" = "$fast" ] ||
    fail "$precision: other bits with --mesh pipe=2"
done

# Saved activations: planned, counted. Where the kernels do not reach, layers are not made one.
for settings in '--precision bf16' '--precision fp64' '--sync-batch-norm'; do
  read -ra options <<<"$settings"
  ranks 2 civitas train --run saved "${small[@]}" --generator-widths "$widths" --steps "$steps" --kernels fast \
    --threads 1 --mesh pipe=2 "${options[@]}" >saved.txt 2>&1
  read -r planned counted < <(sed -n 's/^ *saved activations  *\([0-9.]*\) MB  *\([0-9.]*\) MB.*/\1 \2/p' saved.txt)
  [ -n "$counted" ] && [ "$planned" = "$counted" ] || fail "$settings: planned $planned MB, counted $counted MB"
  rm -r saved
done

# One choice has one result on any layout, and a run that would choose by times goes on with it.
choice=fast,-discriminator.conv2:W,-generator.norm1
one=$(trained choice.one 1 --kernels $choice --threads 1)
steps=2 trained choice 2 --kernels $choice --threads 1 --mesh pipe=2 >/dev/null
read -r planned counted < <(sed -n 's/^ *saved activations  *\([0-9.]*\) MB  *\([0-9.]*\) MB.*/\1 \2/p' choice.txt)
[ -n "$counted" ] && [ "$planned" = "$counted" ] || fail "$choice: planned $planned MB, counted $counted MB"
refuses 2 "the checkpoint was made with kernels = $choice, this run has fast. Hint: " \
  civitas train --run choice "${small[@]}" --generator-widths "$widths" --steps 3 --kernels fast --threads 1
both=$(trained choice 2 --kernels auto --threads 1)
[ "$both" = "$one" ] || fail "$choice: other bits on another layout: $(cat choice.txt)"
grep -qx "kernels as in the checkpoint: $choice" choice.txt || fail "not said: $(cat choice.txt)"
grep -qx "kernels = $choice" choice/config.ini || fail "not kept: $(cat choice/config.ini)"
# Elsewhere times decide, and what they have decided is written everywhere.
steps=4 trained choice 1 --kernels auto --threads 1 --allow-change kernels >/dev/null
by_times=$(sed -n 's/^kernels by times: //p' choice.txt)
[ -n "$by_times" ] || fail "no choice: $(cat choice.txt)"
grep -qx "kernels = $by_times" choice/config.ini || fail "not kept: $(cat choice/config.ini)"
run civitas inspect choice/checkpoints/step-00000004.h5 >said
grep -qE "^  kernels +$by_times\$" said || fail "not in the checkpoint: $(cat said)"

# What a plan tells of them: why, and of times which.
plan=(civitas plan "${small[@]:2:6}" --generator-widths "$widths" --brief --micro-batch 2)
run "${plan[@]}" --kernels $choice >said
for line in 'generator.norm0          FBW batch norm' 'generator.relu1          aten: no kernel' \
  'discriminator.conv4      FBW product' 'generator.norm1          FBW aten' 'adam                     ours'; do
  grep -qxF "  $line" said || fail "no '$line' in: $(cat said)"
done
run "${plan[@]}" --kernels auto --measure >measured
run "${plan[@]}" --kernels auto --profile choice/profile.json >profiled
grep -qE '^Layers timed for civitas .*, auto kernels \(.*6 strided.*\), ' profiled ||
  fail "it does not say for what: $(cat profiled)"
for said in measured profiled; do
  grep -qx '  *F aten *ours *B aten *ours *W aten *ours' $said || fail "no times: $(cat $said)"
  grep -qE '^  generator.norm1 +([0-9.]+ +){6}FBW (batch norm|aten)$' $said || fail "no norm: $(cat $said)"
  awk 'length > 100 && !/^Layers timed/ { print; wrong = 1 } END { exit wrong }' $said || fail 'a wide line'
done
refuses 2 'fp32.aten/profile.json has no times of dcgan-64 by --kernels auto: its are of civitas ' \
  "${plan[@]}" --kernels auto --profile fp32.aten/profile.json
# Other micro-batches, precisions or widths take other times.
other=(civitas plan "${small[@]:2:6}" --brief --kernels auto --profile choice/profile.json)
of_widths="--generator-widths $widths"
for options in "$of_widths --micro-batch 4" "$of_widths --micro-batch 2 --precision bf16" \
  '--generator-widths 32,32,32,32 --micro-batch 2'; do
  # shellcheck disable=SC2086
  refuses 2 'choice/profile.json has no times of dcgan-64' "${other[@]}" $options
done
refuses 2 '--profile and --measure are both given' "${plan[@]}" --measure --profile choice/profile.json
refuses 2 '--kernels auto is decided by times. Hint: --measure on the command line' "${plan[@]}" --kernels auto
refuses 2 'dcgan-64 has no layer generator.conv1. Hint: did you mean generator.deconv1?' \
  "${plan[@]}" --kernels fast,-generator.conv1

# A net is written as it is described by name, whatever computes it.
civitas export --checkpoint bf16.one --to fast.safetensors >/dev/null 2>&1 || fail "no export: $(cat bf16.one.txt)"
[ -s fast.safetensors ] || fail 'nothing exported'
for kernels in fast auto; do
  refuses 2 "--kernels $kernels is for devices of one kind, these are cpu,cuda. Hint: --kernels aten" \
    civitas train --tiles tiles.h5 --run gpu --kernels $kernels --stage-devices cpu,cuda
done
