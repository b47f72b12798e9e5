"""What crafted.py makes as text: schedules, configurations and profiles."""
import os
import sys

folder = sys.argv[1]


def path(kind, name):
    os.makedirs(os.path.join(folder, kind), exist_ok=True)
    return os.path.join(folder, kind, name)


def write(name, kind, content):
    with open(path(kind, name), "wb") as file:
        file.write(content)


def text_cases():
    number = str(2**63 - 1).encode()
    tables = [b"", b"# nothing", b"x", b"schedule", b"schedule a b", b"schedule \0",
              b"G0.generate.F" + number, b"G2147483647.generate.F0", b"G-1.generate.F0", b"D.step",
              b"G0.generate.F" + number + b"0", b"G0.real.F0", b"G0.generate.F0 " * 20000, b"." * 100000,
              b" ".join(b"G%d.generate.F0" % n for n in range(20000)), b"\xff\xfeD\0", b"\x1b[2J",
              b"D0.real.F0\n" * 20000]
    for i, words in enumerate(tables):
        start = b"" if i < 6 else b"schedule crafted\n"
        write(f"bad-{i}", "schedule", start + words + b"\n" + (b"" if i < 6 else words))
    options = b"tiles = a\nrun = b\n"
    lines = [b"batch = 0", b"micro-batch = 0", b"micro-batch = -1", b"batch = " + number, b"nz = -1",
             b"nz = " + number, b"generator-widths = " + b",".join([number] * 4), b"keep = 0", b"net = ",
             b"generator-widths = " + b"1," * 100000 + b"1", b"epochs = 1e999", b"epochs = nan",
             b"net = dcgan-" + number, b"schedule = interleaved:" + number, b"= 3", b"[x]",
             b"schedule = interleaved:-1", b"threads = " + number, b"seed = -1", b"\0", b"x = \"", b"config = x",
             b"\xff\xfeb\0", b"y" * 1000000, b"allow-change = \x1b[2J", b"help = true"]
    for i, line in enumerate(lines):
        write(f"bad-{i}.ini", "ini", options + line + b"\n")
    row = b"[1, 1, 1]"
    whole = (b'{"of": "x", "memory_bytes_per_second": 1, "link_bytes_per_second": 1, "link_latency_seconds": 1,'
             b' "F_B_W_seconds": [[%s], [%s]]}')
    write("whole.json", "profile", whole % (row, row))
    texts = [b"[" * 100000, b'{"a":' * 100000, b"null", b"{}", b"1e999", b'"\xff"', whole[:-1] % (row, row),
             whole % (b"1", row), whole % (b"[1, 1]", row), whole % (b"[1, 1, null]", row), b"\xef\xbb\xbf",
             whole % (b"[1, 1, -1]", row), whole % (b"[1, 1, 1e999]", row), whole % (b"{}", row) + b"x",
             whole.replace(b'"x"', b"[]") % (row, row), whole % (row, row) + b"x"]
    for i, words in enumerate(texts):
        write(f"bad-{i}.json", "profile", words)
