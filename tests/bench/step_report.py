"""Table and picture of what tests/bench/step.sh measured.

    step_report.py FILE.json [FILE.svg]    prints the table again, and draws the picture
"""
import json
import sys
from html import escape
from pathlib import Path
from statistics import median

NAMES = {"civitas": "Civitas", "apart": "ranks apart", "eager": "PyTorch eager", "compile": "torch.compile",
         "graphs": "torch.compile, CUDA graphs", "ddp": "PyTorch DDP"}
COLOURS = {"civitas": "#9c3f2c", "eager": "#8a9aa6", "compile": "#b9c4cb", "graphs": "#d5dcdf", "ddp": "#6f8fae"}


def seconds(case, side):
    return median(turn["seconds"] for turn in case["sides"][side])


def ratios(case, side, other="civitas"):
    """How many times longer a step of this side takes than the other's in the same round: median, least, most."""
    each = [a["seconds"] / b["seconds"] for a, b in zip(case["sides"][side], case["sides"][other])]
    return median(each), min(each), max(each)


def figure(case, side, name):
    """The median of a figure that not every turn has: none, where no turn has it."""
    return median([t[name] for t in case["sides"].get(side, []) if t.get(name) is not None] or [float("nan")])


def layout(case):
    def count(number, what):
        return f"{number} {what}" + ("s" if number > 1 else "")
    return count(case["ranks"], "rank") + " × " + count(case["threads"], "thread")


def words_of(figures):
    """Those that there are, as text."""
    return ", ".join(text for value, text in figures if value == value) or "-"


def heading(sides):
    columns = ["net", "precision", "batch", "layout"] + [NAMES[side] for side in sides]
    columns += ["cores' seconds a step", "page faults a step", "waits for tiles"]
    return ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]


def cell(case, side):
    if side not in case["sides"]:
        return "-"
    text = f"{seconds(case, side):.3g} s"
    if side == "civitas" or "civitas" not in case["sides"]:
        return text
    middle, least, most = ratios(case, side)
    return f"{text}: **{middle:.2f}** ({least:.2f} to {most:.2f})"


def row(case, sides):
    def of_sides(name, form):
        each = [(figure(case, side, name), side) for side in sides]
        return words_of((value, f"{NAMES[side]} {value:{form}}") for value, side in each)
    waits = figure(case, "civitas", "waits_for_tiles")
    cells = [f"`{case['net']}`", case["precision"], str(case["batch"]), layout(case)]
    cells += [cell(case, side) for side in sides]
    cells += [of_sides("core_seconds", ".3g"), of_sides("faults", ".0f"), words_of([(waits, f"{100 * waits:.1f} %")])]
    return "| " + " | ".join(cells) + " |"


def conditions(whole):
    parts = [whole.get("gpu") or f"{whole['processor']}, {whole['cores']} cores"]
    parts += [f"PyTorch {whole['pytorch']}"] if "pytorch" in whole else []
    parts += [f"civitas train {whole['options']}"] if whole["options"] else []
    parts += [f"PyTorch with {Path(whole['preload']).name}"] if whole.get("preload") else []
    parts += [f"{name}={value}" for name, value in whole.get("environment", {}).items()]
    return ", ".join(parts + [f"medians of {whole['rounds']} rounds"])


class Picture:
    """Bars: steps a second, as a multiple of PyTorch's (eager, or DDP) in the same case."""

    LEFT, WIDTH, RIGHT, BAR, GAP, TOP = 320, 480, 120, 15, 14, 116

    def __init__(self, whole):
        self.whole, self.parts, self.y = whole, [], self.TOP
        self.groups = [(case, self.bars(case)) for case in whole["cases"]]
        self.most = max([1.0] + [speed for _, bars in self.groups for _, speed in bars])

    @staticmethod
    def bars(case):
        shown = [side for side in COLOURS if side in case["sides"]]
        measure = next((side for side in ("eager", "ddp", *shown) if side in shown), None)
        return [(side, ratios(case, measure, side)[0]) for side in shown]

    def text(self, x, y, words, more=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(words)}</text>')

    def box(self, x, y, width, colour):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{self.BAR - 2}" '
                          f'fill="{colour}"/>')

    def group(self, case, bars):
        name = f"{case['net']} {case['precision']}, batch {case['batch']}, {layout(case)}"
        middle = self.y + len(bars) * self.BAR / 2 + 4
        self.text(self.LEFT - 10, middle, name, 'text-anchor="end"')
        for side, speed in bars:
            width = speed / self.most * self.WIDTH
            self.box(self.LEFT, self.y, width, COLOURS[side])
            self.text(self.LEFT + width + 6, self.y + 11, f"{speed:.2f} · {seconds(case, side):.3g} s",
                      'font-size="11" fill="#444444"')
            self.y += self.BAR
        self.y += self.GAP

    def height(self, bars):
        return len(bars) * self.BAR + self.GAP

    def legend(self):
        x = self.LEFT
        used = [side for side in COLOURS if any(side in case["sides"] for case in self.whole["cases"])]
        for side in used:
            self.box(x, 88, 14, COLOURS[side])
            self.text(x + 20, 99, NAMES[side])
            x += 34 + 7 * len(NAMES[side])

    def svg(self):
        self.text(24, 32, "Speed of a training step: Civitas beside PyTorch", 'font-size="18" font-weight="bold"')
        bars = "Bars: speed, 1 is PyTorch's (eager, of several ranks DDP). Beside them: speed, seconds a step."
        self.text(24, 54, bars, 'fill="#555555"')
        self.text(24, 72, conditions(self.whole), 'fill="#555555"')
        self.legend()
        one, end = self.LEFT + self.WIDTH / self.most, self.y + sum(self.height(bars) for _, bars in self.groups)
        self.parts.append(f'<path d="M{one:.1f} {self.TOP - 4}V{end - self.GAP + 4}" stroke="#aaaaaa" '
                          'stroke-dasharray="3 3"/>')
        for case, bars in self.groups:
            self.group(case, bars)
        width, height = self.LEFT + self.WIDTH + self.RIGHT, self.y + 10
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} '
                f'{height}" font-family="Helvetica, Arial, sans-serif" font-size="12">\n'
                '<rect width="100%" height="100%" fill="#ffffff"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def picture(whole):
    return Picture(whole).svg()


if __name__ == "__main__":
    read = json.loads(Path(sys.argv[1]).read_text())
    measured = [side for side in NAMES if any(side in case["sides"] for case in read["cases"])]
    print("\n".join(heading(measured) + [row(case, measured) for case in read["cases"]]))
    print(conditions(read))
    for file in sys.argv[2:]:
        Path(file).write_text(picture(read))
