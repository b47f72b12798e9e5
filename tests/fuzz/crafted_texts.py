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
    lines = [b"batch = 0", b"micro-batch = -1", b"batch = " + number, b"nz = -1",
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
    transfer_cases()


def transfer_cases():
    begin = b"SCNT\n////\nMTID x\nMODL DM01AVCH24LV95D\nTOPI Bodenbedeckung\n"
    lines = b"TABL BoFlaeche_Geometrie\nOBJE 0\nSTPT 0 0\n"
    end = b"ELIN\nETAB\nTABL BoFlaeche\nOBJE 1 0 1 1 0 0\nETAB\nETOP\nEMOD\nENDE\n"
    bad = [b"", b"SCNT", b"\0" * 100000, b"SCNT\n" + b"x\n" * 100000, begin + b"OBJE \\\nCONT \\\n" * 100000,
           begin + b"OBJE " + b"1 " * 1000000, begin + lines + b"LIPT nan 1\n" + end,
           begin + lines + b"LIPT 1e999 1\n" + end, begin + lines + b"ARCP 1 1\n" + end,
           begin + b"TABL BoFlaeche\nOBJE 1 0 1 1 0 " + b"9" * 30 + b"\n", begin + b"MODL \xff\x1b[2J\n",
           begin + b"".join(b"TOPI T%d\n" % n for n in range(100000)) + b"ENDE\n"]
    for i, words in enumerate(bad):
        write(f"bad-{i}.itf", "itf", words)
    # Whole, if odd: arcs that are none, of any radius, lines of no length, areas anywhere.
    odd = [b"ARCP 0 0\nLIPT 0 0\n", b"ARCP 1 0\nLIPT 2 0\n", b"ARCP 1 1e-9\nLIPT 2 0\n", b"LIPT 0 0\n",
           b"ARCP 1e300 1e300\nLIPT -1e300 1\n", b"ARCP 1e-300 1e-300\nLIPT 1e-300 0\n",
           b"ARCP 1e12 1e12\nLIPT 2e12 0\n", b"LIPT 1e308 -1e308\nLIPT -1e308 1e308\nLIPT 0 0\n",
           b"".join(b"LIPT %d %d\n" % (n % 2 * 100000, n) for n in range(20000)),
           b"".join(b"LIPT %d %d\n" % (n * 7919 % 1000, n * 104729 % 1000) for n in range(5000))]
    for i, words in enumerate(odd):
        write(f"odd-{i}.itf", "itf", begin + lines + words + end)
    xtf = (b'<?xml version="1.0"?><ili:transfer xmlns:ili="http://www.interlis.ch/xtf/2.4/INTERLIS" '
           b'xmlns:g="http://www.interlis.ch/geometry/1.0">')
    area = b'<B ili:tid="1"><Bodenbedeckungsart>Gebaeude</Bodenbedeckungsart><g:surface><g:exterior>'
    entities = b"".join(b'<!ENTITY a%d "%s">' % (n + 1, b"&a%d;" % n * 10) for n in range(20))
    texts = [b"", b"<", xtf, xtf + b"<a>" * 100000, xtf + area + b"<g:coord>" * 50, xtf + b"\xff</ili:transfer>",
             b'<!DOCTYPE x [<!ENTITY a0 "a">' + entities + b"]><x>&a20;</x>", xtf + b"</ili:transfer>",
             xtf + area + b"<g:coord><g:c1>nan</g:c1></g:coord>", xtf + b'<a b="' + b"x" * 10000000 + b'"/>',
             xtf + b"<!-- " + b"-" * 1000000, xtf + area + b"x" * 10000000, xtf + b"<a></b>"]
    for i, words in enumerate(texts):
        write(f"bad-{i}.xtf", "xtf", words)
    rules = [b"", b"[", b"[]", b"[a]\n" * 100000, b"=" * 100000, b"[a]\nlayer = " + b"*," * 100000, b"\xff\x1b[2J",
             b"[a]\nlayer = a\nclass = \x1b[2J", b"[a]\nwidth = 1e999", b"[a]\nwidths = " + b"a 1e-999,"]
    for i, words in enumerate(rules):
        write(f"bad-{i}.ini", "rules", words)
