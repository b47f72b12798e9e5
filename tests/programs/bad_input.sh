# Every mistake of a user is answered with a clear line, the right exit code, and nothing half-written.
make_store tiles.h5 20 64
small=(--net dcgan-64 --generator-widths 8,8,8,8 --discriminator-widths 8,8,8,8 --nz 8 --batch 8
       --micro-batch 4 --threads 1 --sample-every 0)
train=(civitas train --run run "${small[@]}" --steps 2)
untouched() { [ ! -e run/checkpoints ] || [ -z "$(ls run/checkpoints)" ] || fail "files after an error"; }

refuses 2 "unknown command 'trian'. Hint: did you mean train?" civitas trian
refuses 2 'unknown option --mikro-batch. Hint: did you mean --micro-batch?' civitas train --mikro-batch 4
refuses 2 '--tiles is missing' civitas train --run run
refuses 2 '--run is given, but empty' civitas train --tiles tiles.h5 --run ''
refuses 2 '--resume gone.h5: there is no such checkpoint' "${train[@]}" --tiles tiles.h5 --resume gone.h5
refuses 2 'a program of its own: civitas-preprocess' civitas preprocess map.gpkg
refuses 2 'mesh data=3,pipe=2,tensor=1 needs 6 ranks, the job has 1' \
  "${train[@]}" --tiles tiles.h5 --mesh data=3,pipe=2
refuses 2 'a batch of 8 tiles, 2 micro-batches of 4, cannot be shared by 4 ranks' \
  mpirun --quiet --oversubscribe -n 4 "$(command -v civitas)" "${train[@]:1}" --tiles tiles.h5
refuses 2 '--device cuda: no GPU can be used here' "${train[@]}" --tiles tiles.h5 --device cuda
refuses 2 'rank 1: --device cuda: no GPU can be used here' mpirun --quiet --oversubscribe -n 2 \
  "$(command -v civitas)" "${train[@]:1}" --tiles tiles.h5 --mesh pipe=2 --stage-devices cpu,cuda --kernels aten

# What a file of options says is told with its line, unless the command line says otherwise.
printf '%s\n' '# tiles of a step' 'batch = 10' 'micro-batch = 4' 'precision = fp8' >run.ini
refuses 2 "unknown precision 'fp8' (run.ini:4: precision = fp8). Hint: " \
  civitas train --tiles tiles.h5 --run run --config run.ini
refuses 2 'cannot be cut into micro-batches of 4 (run.ini:2: batch = 10, run.ini:3: micro-batch = 4). Hint: ' \
  civitas train --tiles tiles.h5 --run run --config=run.ini --precision fp32
refuses 2 'cannot be cut into micro-batches of 4 (run.ini:2: batch = 10). Hint: ' \
  civitas plan --config run.ini --precision fp32 --micro-batch 4
refuses 2 "unknown precision 'fp8'. Hint: " civitas train --tiles tiles.h5 --run run --config <(cat run.ini)

refuses 2 '--tiles nowhere.h5: there is no such file. Hint: check the name' "${train[@]}" --tiles nowhere.h5
refuses 2 '--plans gone.h5: there is no such file' civitas evaluate --plans gone.h5 --tiles tiles.h5
refuses 2 '--profile gone.json: there is no such file' civitas plan --profile gone.json
refuses 2 'cannot read the machine gone.ini' civitas plan --machine gone.ini
refuses 2 'cannot read the configuration gone.ini' civitas plan --config gone.ini
refuses 2 '"gone" is no run folder: there is nothing of this name' civitas report gone --output gone.html
refuses 1 '"." is no run folder: it has no config.ini' civitas report . --output gone.html
refuses 2 'PLANS.h5 gone.h5: there is no such file' civitas-vectorize gone.h5 --output gone.gpkg
head -c 3000 tiles.h5 >truncated.h5
refuses 1 'truncated.h5' "${train[@]}" --tiles truncated.h5
echo 'hello' >text.h5
refuses 1 'text.h5' "${train[@]}" --tiles text.h5
make_store odd.h5 20 96
refuses 2 '96' "${train[@]}" --tiles odd.h5
untouched

touch blocked
refuses 1 'cannot write the run folder' civitas train --run blocked "${small[@]}" --tiles tiles.h5
ranks 1 "${train[@]}" --tiles tiles.h5
checkpoint=run/checkpoints/step-00000002.h5
refuses 1 'tiles.h5' civitas generate --checkpoint tiles.h5 --output plans.h5
refuses 1 'step-00000002.h5' civitas train --run other "${small[@]}" --tiles $checkpoint
refuses 2 'there is no checkpoint or run folder' civitas generate --checkpoint gone --output plans.h5
refuses 2 '--count 9223372036854775807: expected 1 to' civitas generate --checkpoint run \
  --output plans.h5 --count 9223372036854775807
refuses 2 '--count 0' civitas generate --checkpoint run --output plans.h5 --count 0
refuses 2 '--anchor here' civitas generate --checkpoint run --output plans.h5 --anchor here
refuses 2 '--anchor 1e30,2' civitas generate --checkpoint run --output plans.h5 --anchor 1e30,2
for anchor in 7.4,46.9 46.9,7.4 -71,-33.5; do  # in either order
  refuses 2 "--anchor $anchor: these look like degrees, and plans lie in EPSG:2056" \
    civitas generate --checkpoint run --output plans.h5 "--anchor=$anchor"
done
refuses 2 'no/such/folder' civitas generate --checkpoint run --output no/such/folder/plans.h5
refuses 2 'no/such/plans.png' civitas generate --checkpoint run --output plans.h5 --sheet no/such/plans.png
[ ! -e plans.h5 ] || fail "plans.h5 exists after an error"
refuses 2 'there is no file or folder' civitas inspect gone
refuses 1 'is no run folder' civitas inspect .
refuses 2 'expected one file or folder' civitas inspect
printf 'x' | dd of=$checkpoint bs=1 seek=20000 conv=notrunc status=none
refuses 1 'is damaged' civitas inspect $checkpoint
[ -z "$(find . -name '*.part*')" ] || fail "partial files: $(find . -name '*.part*')"
