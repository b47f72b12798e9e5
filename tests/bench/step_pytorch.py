"""PyTorch's side of tests/bench/step.sh: the training step of `civitas train` with its default recipe, as a program
in PyTorch is written to be fast. It lives through all rounds of a case.

    step_pytorch.py CASE    CASE: JSON with net, precision, batch (of this rank), threads, device, mode
                            (eager, compile, graphs), and of several ranks rank, ranks and the file where they meet

When it is warm it prints a line of JSON that says what it is; then for every number of steps that it reads, one with
`seconds` (of each step), `faults` (page faults of all of them) and `core_seconds` (of all cores and steps).
"""
import copy
import json
import random
import resource
import sys
import time

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as bce
from torch.nn.functional import pad

# Pixels, noise and widths of G, as in src/net/dcgan.cpp; D's widths double from 64 to 512.
NETS = {
    "dcgan-64": (64, 100, [512, 256, 128, 64, 32]),
    "dcgan-256": (256, 256, [1024, 1024, 512, 256, 128, 64]),
    "dcgan-512": (512, 256, [1024, 1024, 512, 256, 128, 64, 32]),
    "dcgan-1024": (1024, 256, [1024, 1024, 512, 256, 128, 64, 32, 16]),
}
CHANNELS = 3
NOISE, TRANSLATE, REAL_TARGET, EMA = 0.2, 0.125, 0.9, 0.999


class Projection(nn.Module):
    """The transposed convolution of one pixel to 4x4 as the product of matrices that it is, since what torch.compile
    expects of the layout of such a convolution's gradients is not what cuDNN gives."""

    def __init__(self, nz, width):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(nz, 16 * width))

    def forward(self, z_BC11):
        return (z_BC11.flatten(1) @ self.weight).view(len(z_BC11), 4, 4, -1).permute(0, 3, 1, 2)


def generator(pixels, nz, widths):
    """The last layer makes the image of half its size, or of its own where there are widths enough."""
    layers = [Projection(nz, widths[0])]
    for width, following in zip(widths, widths[1:]):
        layers += [nn.BatchNorm2d(width), nn.ReLU(inplace=True),
                   nn.ConvTranspose2d(width, following, 4, 2, 1, bias=False)]
    if 2 << len(widths) == pixels:
        last = nn.Conv2d(widths[-1], CHANNELS, 3, 1, 1, bias=False)
    else:
        last = nn.ConvTranspose2d(widths[-1], CHANNELS, 4, 2, 1, bias=False)
    return nn.Sequential(*layers, nn.BatchNorm2d(widths[-1]), nn.ReLU(inplace=True), last, nn.Tanh())


def discriminator(widths):
    layers = [nn.Conv2d(CHANNELS, widths[0], 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True)]
    for width, following in zip(widths, widths[1:]):
        layers += [nn.Conv2d(width, following, 4, 2, 1, bias=False), nn.BatchNorm2d(following),
                   nn.LeakyReLU(0.2, inplace=True)]
    return nn.Sequential(*layers, nn.Conv2d(widths[-1], 1, 4, 1, 0, bias=False))


def augment(x_BCHW):
    """Shifts each image by up to an eighth of its side, and adds noise that is drawn in the memory format of x."""
    B, C, H, W = x_BCHW.shape
    most = int(TRANSLATE * W)
    padded = pad(x_BCHW, (most,) * 4, value=-1.0).unbind(0)
    moves = [(random.randint(0, 2 * most), random.randint(0, 2 * most)) for _ in padded]
    moved = torch.stack([p[:, down:down + H, right:right + W] for p, (down, right) in zip(padded, moves)])
    return moved + NOISE * torch.randn(B, H, W, C, device=x_BCHW.device).permute(0, 3, 1, 2)


class Step:
    """Both nets, what trains them, and the tiles of a batch, which lie in memory."""

    def __init__(self, case):
        self.case, self.device = case, torch.device(case["device"])
        pixels, self.nz, widths = NETS[case["net"]]
        self.g = self.laid_out(generator(pixels, self.nz, widths))
        self.d = self.laid_out(discriminator([64 << min(i, 3) for i in range(pixels.bit_length() - 3)]))
        self.mean = copy.deepcopy(self.g)
        self.averages = [list(net.parameters()) + [b for b in net.buffers() if b.is_floating_point()]
                         for net in (self.mean, self.g)]
        self.adam_g = torch.optim.Adam(self.g.parameters(), 4e-4, (0.5, 0.999), fused=True)
        self.adam_d = torch.optim.Adam(self.d.parameters(), 1e-4, (0.5, 0.999), fused=True)
        classes = torch.randint(0, CHANNELS, (case["batch"], pixels, pixels))
        self.tiles = nn.functional.one_hot(classes, CHANNELS).permute(0, 3, 1, 2).float() * 2 - 1
        self.tiles = self.laid_out(self.tiles)
        # What makes D's leaves; the pass through D in G's update makes none, so that one needs no communication.
        self.draw, self.judge, self.judge_alone = self.prepared()

    def laid_out(self, what):
        return what.to(self.device, memory_format=torch.channels_last)

    def prepared(self):
        if self.case.get("ranks", 1) > 1:
            options = {"broadcast_buffers": False, "gradient_as_bucket_view": True}
            parallel = torch.nn.parallel.DistributedDataParallel
            return parallel(self.g, **options), parallel(self.d, **options), self.d
        if self.case["mode"] == "eager":
            return self.g, self.d, self.d
        mode = {"graphs": "reduce-overhead"}.get(self.case["mode"], "default")
        g, d = torch.compile(self.g, mode=mode), torch.compile(self.d, mode=mode)
        return g, d, d

    def loss(self, judge, images, target):
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.case["precision"] == "bf16"):
            logits = judge(augment(images)).float()
        return bce(logits, torch.full_like(logits, target))

    def __call__(self):
        torch.compiler.cudagraph_mark_step_begin()  # what graphs left in the step before may be overwritten
        z_BC11 = torch.randn(self.case["batch"], self.nz, 1, 1, device=self.device)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.case["precision"] == "bf16"):
            fakes = self.draw(z_BC11)
        self.adam_d.zero_grad(set_to_none=True)
        (self.loss(self.judge, self.tiles, REAL_TARGET) + self.loss(self.judge, fakes.detach(), 0.0)).backward()
        self.adam_d.step()
        self.adam_g.zero_grad(set_to_none=True)
        self.d.requires_grad_(False)
        self.loss(self.judge_alone, fakes, 1.0).backward()
        self.d.requires_grad_(True)
        self.adam_g.step()
        with torch.no_grad():
            torch._foreach_lerp_(*self.averages, 1 - EMA)
        if self.device.type == "cuda":
            torch.cuda.synchronize()


def meet(case):
    if case.get("ranks", 1) == 1:
        return
    own_gpus = case["device"] == "cuda" and torch.cuda.device_count() >= case["ranks"]
    if own_gpus:
        torch.cuda.set_device(case["rank"])
    torch.distributed.init_process_group("nccl" if own_gpus else "gloo", init_method="file://" + case["meet"],
                                         rank=case["rank"], world_size=case["ranks"])


def timed(step, steps):
    before = resource.getrusage(resource.RUSAGE_SELF)
    seconds = []
    for _ in range(steps):
        begin = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - begin)
    after = resource.getrusage(resource.RUSAGE_SELF)
    return {"seconds": seconds, "faults": after.ru_minflt - before.ru_minflt,
            "core_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def main():
    case = json.loads(sys.argv[1])
    torch.set_num_threads(case["threads"])
    torch.set_flush_denormal(True)
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = False  # fp32 is fp32 on both sides
    meet(case)
    step = Step(case)
    timed(step, 3)
    gpu = torch.cuda.get_device_name() if case["device"] == "cuda" else None
    print(json.dumps({"pytorch": torch.__version__, "gpu": gpu}), flush=True)
    for line in sys.stdin:
        print(json.dumps(timed(step, int(line))), flush=True)
    if case.get("ranks", 1) > 1:
        torch.distributed.destroy_process_group()


main()
