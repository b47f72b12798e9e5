# A checkpoint of any mesh and shard level is read by one rank and by another mesh, each of a list in
# turn, which go on from it: with the bits of one rank that did it all, with a tensor axis within
# rounding.
source "$ROOT/tests/support/near.sh"
make_store tiles.h5 40 64
meshes=('1 data=1' '2 data=2' '4 data=4 --shard parameters' '2 pipe=2' '2 tensor=2' '4 data=2,pipe=2')
# train RUN STEPS MESH: MESH is a line of the list.
train() {
  local run=$1 steps=$2 n mesh shard
  read -r n mesh shard <<<"$3"
  # The widths are a list for one option, the shard level is two words or none.
  # shellcheck disable=SC2054,SC2086
  ranks "$n" civitas train --tiles tiles.h5 --run "$run" --net dcgan-64 --generator-widths 8,12,6,4 \
    --discriminator-widths 4,6,8,12 --nz 7 --batch 8 --micro-batch 2 --threads 1 --precision fp64 \
    --sample-every 0 --checkpoint-every 0 --mesh "$mesh" $shard --steps "$steps" >said 2>&1
  sed -n 's/^fingerprint //p' said >"$run/fingerprint"
}

train whole 5 "${meshes[0]}"
for i in "${!meshes[@]}"; do
  train written 2 "${meshes[i]}"
  next=${meshes[1 + i % (${#meshes[@]} - 1)]}
  for reader in "${meshes[0]}" "$next"; do
    name="${meshes[i]}, then $reader"
    cp -r written "$name"
    train "$name" 5 "$reader"
    grep -q 'resumed from .*step-00000002' said || fail "$name did not go on: $(cat said)"
    [[ $name == *tensor* ]] || cmp "$name/fingerprint" whole/fingerprint || fail "$name: other bits"
  done
  rm -r written
done

runs=(*', then '*)
[ ${#runs[@]} = 12 ] || fail "runs: ${runs[*]}"
near step-00000005.h5 whole "${runs[@]}"
