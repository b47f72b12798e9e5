#!/usr/bin/env python3
"""How far the gradients of a step are from those in fp64.

  gradients.py RUN TILES.h5

Goes on with copies of a GAN's run, from its newest checkpoint, for one step of the same tiles and noise by each
precision and choice of kernels, at rates of zero, so that G meets the same D. Prints the Euclidean distance of each
net's gradients from those in fp64, relative to the norm of these, and at last that of gradients of other tiles. The run
has to learn by Adam: gradients, with what its weight decay adds, are what moved the first moment. Needs python3-h5py;
takes civitas from build/release, or from BIN.
"""
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy

PROGRAMS = pathlib.Path(os.environ.get("BIN", pathlib.Path(__file__).parents[2] / "build/release/bin"))
NETS = ("generator", "discriminator")
CHOICES = {
    "fp32, --kernels aten": ("fp32", "aten"),
    "fp32, --kernels fast": ("fp32", "fast"),
    "bf16, --kernels aten": ("bf16", "aten"),
    "bf16, --kernels fast": ("bf16", "fast"),
}


def newest(run):
    """The newest checkpoint, if it has what is compared."""
    found = sorted((run / "checkpoints").glob("step-*.h5"))
    if not found:
        sys.exit(f"error: there is no checkpoint in {run / 'checkpoints'}. Hint: the folder of a run of a GAN.")
    with h5py.File(found[-1]) as file:
        if any(f"{net}/optimizer" not in file for net in NETS) or file.attrs["optimizer"] != b"adam":
            sys.exit(f"error: {found[-1]} has no moments of Adam of two nets. Hint: a run of a GAN by --optimizer adam.")
    return found[-1]


def gradients(before, after):
    """Of each net, all in one array: m' = beta m + (1 - beta) g."""
    with h5py.File(before) as old, h5py.File(after) as new:
        beta = float(new.attrs["note_beta1"])
        found = {}
        for net in NETS:
            moments = [f"{net}/optimizer/{name}/exp_avg" for name in new[f"{net}/optimizer"]]
            moved = [(new[m][:].astype("f8") - beta * old[m][:]) / (1 - beta) for m in moments]
            found[net] = numpy.concatenate([m.ravel() for m in moved])
        return found


def one_step(before, config, tiles, precision, kernels, more=()):
    """The gradients of the step after a checkpoint."""
    steps = int(before.stem.removeprefix("step-")) + 1
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "run"
        (copy / "checkpoints").mkdir(parents=True)
        shutil.copy(before, copy / "checkpoints")
        done = subprocess.run(
            [PROGRAMS / "civitas", "train", "--config", config, "--tiles", tiles, "--run", copy,
             "--precision", precision, "--kernels", kernels, "--allow-change=precision", "--allow-change=kernels",
             "--generator-lr=0", "--discriminator-lr=0", f"--steps={steps}", "--sample-every=0", *more],
            capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        return gradients(before, newest(copy))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    run, tiles = map(pathlib.Path, sys.argv[1:])
    step = functools.partial(one_step, newest(run), run / "config.ini", tiles)
    truth = step("fp64", "aten")
    rows = {name: step(*choice) for name, choice in CHOICES.items()}
    other = ("--seed=1234567", "--allow-change=seed")
    rows["other tiles and noise, fp64"] = step("fp64", "aten", other)
    print(f"{'':28}", *(f"{net:>14}" for net in NETS))
    for name, found in rows.items():
        far = (numpy.linalg.norm(found[net] - truth[net]) / numpy.linalg.norm(truth[net]) for net in NETS)
        print(f"{name:28}", *(f"{value:14.2g}" for value in far))


main()
