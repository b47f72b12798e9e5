"""Whose steps tests/bench/step.sh measures. A side has turn(steps), which says how long steps took, and end()."""
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from statistics import median

# Of Civitas's steps the first, in which memory is taken and libraries choose their kernels; on a GPU those before
# CUDA graphs, and the one that records them.
LEFT_OUT = {"cpu": 2, "cuda": 4}
ROOT = Path(__file__).resolve().parents[2]


class Failure(Exception):
    def __init__(self, what, hint):
        super().__init__(f"{what}. Hint: {hint}.")


class Civitas:
    """A run of `civitas train` a turn."""

    def __init__(self, case, device, work):
        self.case, self.work, self.runs = case, work, []
        self.left_out = LEFT_OUT[device]
        pixels = case.net.rpartition("-")[2]
        self.tiles = work / f"tiles-{pixels}.h5"
        if not self.tiles.exists():
            call(["make_store", self.tiles, "40", pixels])
        # Batch norm normalises over what a rank has, as PyTorch's does.
        self.options = {"--net": case.net, "--precision": case.precision, "--batch": case.batch,
                        "--micro-batch": case.batch // case.ranks, "--threads": case.threads, "--device": device,
                        "--sample-every": 0, "--checkpoint-every": 0}
        for option in re.findall(r"--\S+(?:\s+(?!--)\S+)?", os.environ.get("OPTIONS", "")):
            name, _, value = option.replace("=", " ", 1).partition(" ")
            self.options[name] = value.strip()

    def start(self, run, ranks, steps, changes=()):
        shutil.rmtree(run, ignore_errors=True)
        options = {**self.options, **dict(changes), "--steps": self.left_out + steps}
        words = [str(word) for pair in options.items() for word in pair if word != ""]
        with open(f"{run}.txt", "w") as said:
            self.runs.append(Run(run, subprocess.Popen(
                ["mpirun", "--quiet", "--bind-to", "none", "-n", str(ranks), "civitas", "train", "--tiles", self.tiles,
                 "--run", run, *words], stdout=said, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)))
        return self.runs[-1]

    def turn(self, steps):
        run = self.start(self.work / "run", self.case.ranks, steps)
        used = run.follow(self.left_out)
        ends = run.ends()
        seconds = [end - begin for begin, end in zip(ends[self.left_out - 1:], ends[self.left_out:])]
        waited = float(re.search(r"waited (\S+) s for tiles", run.said())[1])
        return {"seconds": median(seconds), **used, "waits_for_tiles": waited / run.seconds()}

    def end(self):
        for run in self.runs:
            run.end()


class Apart(Civitas):
    """As many runs of one rank at once as the case has ranks, each with its share of the batch: what the ranks
    compute, without communication. Only steps that all of them make at the same time count."""

    def turn(self, steps):
        alone = {"--batch": self.case.batch // self.case.ranks}
        runs = [self.start(self.work / f"run-{i}", 1, 4 * steps, alone) for i in range(self.case.ranks)]
        for run in runs:
            run.follow(self.left_out)
        ends = [run.ends()[self.left_out - 1:] for run in runs]
        begin, end = max(e[0] for e in ends), min(e[-1] for e in ends)
        met = [b - a for e in ends for a, b in zip(e, e[1:]) if a >= begin and b <= end]
        if not met:
            raise Failure(f"{self.case.ranks} runs of one rank never trained at the same time",
                          "more --steps, or --sides without apart")
        return {"seconds": median(met)}


class Run:
    """A run of `civitas train` that was started."""

    def __init__(self, folder, process):
        self.folder, self.process = folder, process
        self.metrics = folder / "metrics.jsonl"

    def follow(self, left_out):
        """Waits for the end. Says what a step took, of those that were seen from the first that counts to the last but
        one (the last may be followed by a save at once): page faults of the rank that has most, and seconds of all
        cores. Nothing where too few steps were seen."""
        seen = {}
        while self.process.poll() is None:
            time.sleep(0.01)
            made = self.metrics.read_bytes().count(b"\n") if self.metrics.exists() else 0
            if made >= left_out and made not in seen:
                seen[made] = used_by_children(self.process.pid)
        if self.process.returncode != 0:
            raise Failure(f"civitas train failed:\n{self.said()}", "see what it says above")
        if len(seen) < 3:
            return {}
        first, last = min(seen), sorted(seen)[-2]
        a_step = [((b[0] - a[0]) / (last - first), (b[1] - a[1]) / (last - first))
                  for a, b in zip(seen[first], seen[last])]
        return {"faults": max(rank[0] for rank in a_step), "core_seconds": sum(rank[1] for rank in a_step)}

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()

    def said(self):
        return Path(f"{self.folder}.txt").read_text()

    def lines(self):
        return [json.loads(line) for line in self.metrics.read_text().splitlines()]

    def ends(self):
        """When steps ended, in seconds."""
        return [line["time"] for line in self.lines()]

    def seconds(self):
        return sum(line["seconds"] for line in self.lines())


def used_by_children(parent):
    """Page faults and seconds of cores until now, of the ranks that an mpirun started, in the order of their numbers as
    processes."""
    used, tick = [], os.sysconf("SC_CLK_TCK")
    for file in sorted(Path("/proc").glob("[0-9]*/stat"), key=lambda f: int(f.parent.name)):
        try:
            words = file.read_text().rpartition(")")[2].split()  # from the state on, which is field 3 of proc(5)
        except OSError:  # it has ended
            continue
        if int(words[1]) == parent:
            used.append((int(words[7]), (int(words[11]) + int(words[12])) / tick))
    return used


class PyTorch:
    """A process a rank, which lives until end(), and computes in its turns only."""

    def __init__(self, mode, case, given, work, python):
        self.name, self.ranks = f"{mode} of {case.words}", []
        self.errors = work / f"{self.name}.txt"
        meeting = work / "meeting"
        meeting.unlink(missing_ok=True)
        environment = dict(os.environ, **python.environment, OMP_NUM_THREADS=str(case.threads))
        if given.preload:
            environment["LD_PRELOAD"] = given.preload
        for rank in range(case.ranks):
            settings = {"net": case.net, "precision": case.precision, "batch": case.batch // case.ranks,
                        "threads": case.threads, "device": given.device, "mode": mode, "rank": rank,
                        "ranks": case.ranks, "meet": str(meeting)}
            self.ranks.append(subprocess.Popen(
                [python.program, given.worker, json.dumps(settings)], env=environment, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors.open("a")))
        self.answers()  # when they are warm

    def answers(self):
        lines = [rank.stdout.readline() for rank in self.ranks]
        if not all(lines):
            raise Failure(f"PyTorch's {self.name} failed:\n{self.errors.read_text()}", "see what it says above")
        return [json.loads(line) for line in lines]

    def turn(self, steps):
        for rank in self.ranks:
            print(steps, file=rank.stdin, flush=True)
        told = self.answers()
        return {"seconds": median(max(of_ranks) for of_ranks in zip(*(t["seconds"] for t in told))),
                "faults": max(t["faults"] for t in told) / steps,
                "core_seconds": sum(t["core_seconds"] for t in told) / steps}

    def end(self):
        for rank in self.ranks:
            rank.stdin.close()
        for rank in self.ranks:
            try:
                rank.wait(20)
            except subprocess.TimeoutExpired:
                rank.kill()


class Python:
    def __init__(self, program, environment):
        self.program, self.environment = program, environment


def find_pytorch(sides, device):
    """The first Python that imports PyTorch, which may be the wheel that Civitas is built with, and what it says of
    itself: its version, and with --device cuda the GPU."""
    programs = [str(Path(folder) / "python3") for folder in os.environ["PATH"].split(":")]
    programs = [Python(p, {}) for p in dict.fromkeys(programs) if os.access(p, os.X_OK)]
    wheel = ROOT / "build/libtorch"
    for python in programs + [Python("python3", {"PYTHONPATH": str(wheel)})]:
        told = subprocess.run(
            [python.program, "-c", "import torch; from torch import nn; print(torch.__version__, "
             "torch.cuda.get_device_name() if torch.cuda.is_available() else '', sep=';')"],
            env=dict(os.environ, **python.environment), capture_output=True, text=True)
        if told.returncode != 0:
            continue
        version, gpu = told.stdout.strip().split(";")
        if device == "cuda" and not gpu:
            raise Failure(f"PyTorch {version} of {python.program} sees no GPU", "--device cpu")
        return python, {"pytorch": version, **({"gpu": gpu} if device == "cuda" else {})}
    version = re.search(r"torch==\S+", (ROOT / "jobs/setup.sh").read_text())[0]
    raise Failure(f"no python3 on the PATH imports torch, which {', '.join(sides)} need",
                  f"python3 -m venv DIR && DIR/bin/pip install {version}, then PATH=DIR/bin:$PATH; "
                  "--sides civitas measures Civitas alone")


def call(words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"{words[0]} failed:\n{done.stderr}", "bash tests/run.sh builds the programs")
