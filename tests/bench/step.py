"""What tests/bench/step.sh runs: takes the sides of every case in turn, round after round, and prints a table."""
import argparse
import json
import os
import re
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import step_report
from step_sides import Apart, Civitas, Failure, PyTorch, find_pytorch

SIDES = ["civitas", "apart", "eager", "compile", "graphs", "ddp"]


class Case:
    """One row of the table: `dcgan-256:bf16:8:2x1`, the batch that of all ranks, each of which has so many threads."""

    def __init__(self, words):
        try:
            self.net, self.precision, batch, layout = words.split(":")
            self.batch, (self.ranks, self.threads) = int(batch), map(int, layout.split("x"))
        except ValueError:
            raise Failure(f"the case '{words}' cannot be read",
                          "net:precision:batch:ranks x threads, as in dcgan-256:bf16:8:2x1") from None
        self.words = words
        if min(self.batch, self.ranks, self.threads) < 1 or self.batch % self.ranks != 0:
            raise Failure(f"the case {words} gives {self.ranks} ranks of {self.threads} threads {self.batch} tiles",
                          "a batch is a multiple of the ranks")

    def steps(self):
        """Steps of a turn, which takes some seconds on two cores."""
        return max(3, (160 if self.net == "dcgan-64" else 40) // self.batch)

    def sides(self, device):
        if self.ranks > 1:
            return ["civitas", "apart", "ddp"]
        return ["civitas", "eager", "compile"] + (["graphs"] if device == "cuda" else [])


def all_cases(cores):
    layouts = [f"1x{cores}", f"2x{max(1, cores // 2)}"]
    return [f"{net}:{precision}:{batch}:{layout}" for net in ("dcgan-64", "dcgan-256")
            for precision in ("fp32", "bf16") for batch in (8, 32) for layout in layouts]


def arguments():
    cores = len(os.sched_getaffinity(0))
    words = argparse.ArgumentParser(add_help=False)
    words.add_argument("--cases", type=lambda s: s.split(","), default=all_cases(cores))
    words.add_argument("--sides", type=lambda s: s.split(","), default=SIDES)
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--steps", type=int, default=0)
    words.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    words.add_argument("--json", type=Path)
    words.add_argument("--svg", type=Path)
    words.add_argument("--preload", default="")
    # Another program that speaks as step_pytorch.py does.
    words.add_argument("--worker", default=str(Path(__file__).with_name("step_pytorch.py")))
    given = words.parse_args()
    for side in given.sides:
        if side not in SIDES:
            raise Failure(f"nobody is called '{side}'", "--sides has of " + ", ".join(SIDES))
    given.cases = [Case(case) for case in given.cases]
    return given


def side_of(name, case, given, work, python):
    if name in ("civitas", "apart"):
        return (Civitas if name == "civitas" else Apart)(case, given.device, work)
    return PyTorch(name, case, given, work, python)


def measure(case, given, work, python):
    """Figures of a case, by sides: of each a list with one dictionary a round."""
    names = [name for name in case.sides(given.device) if name in given.sides]
    steps = given.steps or case.steps()
    sides, figures = {}, {name: [] for name in names}
    try:
        for name in names:
            sides[name] = side_of(name, case, given, work, python)
        for number in range(given.rounds):
            for name in names if number % 2 == 0 else reversed(names):
                figures[name].append(sides[name].turn(steps))
                print(f"round {number + 1}, {case.words}, {name}: {figures[name][-1]['seconds']:.4g} s a step",
                      file=sys.stderr, flush=True)
    finally:
        for side in sides.values():
            side.end()
    return {"net": case.net, "precision": case.precision, "batch": case.batch, "ranks": case.ranks,
            "threads": case.threads, "sides": figures}


def processor():
    with open("/proc/cpuinfo") as lines:
        return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "a processor")


def environment():
    """What all sides are told about threads and memory."""
    return {name: value for name, value in sorted(os.environ.items())
            if re.match("(OMP|GOMP|KMP|MALLOC)_", name) or name == "LD_PRELOAD"}


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Failure(f"there is no program {program} on the PATH",
                          "bash tests/run.sh, and on a machine with a GPU bash tests/gpu.sh, bring and build all")


def pytorch_for(given):
    """The Python with PyTorch, and what it says of itself: nothing, where nobody needs it."""
    needed = sorted({side for case in given.cases for side in case.sides(given.device)} & set(given.sides) -
                    {"civitas", "apart"})
    if not needed:
        return None, {}
    if "compile" in needed and given.device == "cpu" and not shutil.which("g++"):
        raise Failure("torch.compile needs g++, which is not on the PATH", "apt-get install g++, or --sides without it")
    return find_pytorch(needed, given.device)


def main():
    given = arguments()
    if {"civitas", "apart"} & set(given.sides):
        need("mpirun", "civitas", "make_store")
    python, versions = pytorch_for(given)
    whole = {"processor": processor(), "cores": len(os.sched_getaffinity(0)), "device": given.device, **versions,
             "options": os.environ.get("OPTIONS", ""), "preload": given.preload, "environment": environment(),
             "rounds": given.rounds, "cases": []}
    names = [name for name in SIDES if any(name in case.sides(given.device) for case in given.cases)]
    names = [name for name in names if name in given.sides]
    print("\n".join(step_report.heading(names)), flush=True)
    with tempfile.TemporaryDirectory(dir=os.environ.get("RUNS")) as work:
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", work + "/inductor")
        for case in given.cases:
            whole["cases"].append(measure(case, given, Path(work), python))
            print(step_report.row(whole["cases"][-1], names), flush=True)
            if given.json:
                given.json.write_text(json.dumps(whole, indent=1) + "\n")
            if given.svg:
                given.svg.write_text(step_report.picture(whole))


signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is ended
try:
    main()
except Failure as failure:
    sys.exit(f"step.sh: {failure}")
