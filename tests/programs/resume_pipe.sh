# 20 steps on one rank are 10 steps on one of the axes data and pipe, then 10 on the other.
source "$ROOT/tests/support/runs.sh"
narrow=(--generator-widths 32,16,16,8 --discriminator-widths 8,16,16,32)
train 1 one --steps 20 "${narrow[@]}"
train 2 to_data --steps 10 --mesh data=1,pipe=2 "${narrow[@]}"
train 2 to_data --steps 20 --mesh data=2,pipe=1 "${narrow[@]}"
same one to_data
train 2 to_pipe --steps 10 --mesh data=2,pipe=1 "${narrow[@]}"
train 2 to_pipe --steps 20 --mesh data=1,pipe=2 --placement reversed --schedule zero-bubble "${narrow[@]}"
same one to_pipe
