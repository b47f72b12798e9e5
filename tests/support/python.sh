# `python`, which has numpy and h5py: the first on the PATH that imports PyTorch, too. Where none does, Debian's,
# with a pretended PyTorch that computes the same in numpy; which of both is said.
python=/usr/bin/python3
while read -r candidate; do
  if "$candidate" -c 'import h5py, numpy, torch' 2>/dev/null; then
    python=$candidate
    break
  fi
done < <(type -ap python3)
if ! "$python" -c 'import torch' 2>/dev/null; then
  export PYTHONPATH=$ROOT/tests/support/pretended/python PYTHONDONTWRITEBYTECODE=1
fi
"$python" -c 'import torch; print("PyTorch:", torch.__version__)'
