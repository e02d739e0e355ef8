"""Tables of the laboratory notes, made from the figures stored in docs/lab/data.

usage: kept_tables.py SOURCE_DIR [--write]

Fails if a table differs from the stored figures of the seeds that it names; with --write, rewrites the tables with all
stored seeds. A table follows <!-- STUDY: TABLE --> on its page. Intervals are 95 % half widths by Student's t over
seeds; contrasts are tested two-sided, with Holm's correction over all contrasts of a study.
"""
import functools
import json
import math
import re
import statistics
import sys
from pathlib import Path

PLANNED = {"quickstart": 5, "table2": 16, "judged_or_true": 16, "arithmetic": 5, "smollm2_arithmetic": 5,
           "real_judges": 3, "real_policies": 3, "real_cross": 3}  # seeds
SCORES = ["Fluency", "Expression", "Empathy", "Information", "Humanoid", "Skillful", "Overall", "average"]
REPLIES = ["quality", "true reward", "quality, greedy", "grammatical, greedy"]
DIALOGUES = ["five rounds", "repetition"]
NAMED = ["emotion F1", "strategy F1"]
JUDGED = ["pairs", "feedback, order"]
LABELS = ["emotion", "strategy"]
CROSS = ["strategy ranked", "wrong found", "better or not"]
# Per page and table: either figures, with the names of those that are stored as values from -1 to 1 and shown as
# percentages, or contrasts.
PAGES = {
    "docs/lab/studies.md": {
        "quickstart: figures": ([*REPLIES, *DIALOGUES], {}),
        "table2: scores": (["average", "true quality", "repetition"], {}),
    },
    "docs/lab/judges.md": {
        "judged_or_true: replies": (["true reward", "judged reward", "true quality"], {}),
    },
    "docs/lab/speed.md": {
        "arithmetic: contrasts": [
            ("bfloat16", "float32", ["true reward", "true quality", "judged reward", "entropy"])],
    },
    "docs/lab/real_study.md": {
        "real_cross: right": (CROSS, {}),
        "real_judges: labels": (NAMED, {}),
        "real_judges: replies": (JUDGED, {}),
        "real_policies: against people": (["complete", *LABELS, "words"], {}),
    },
}
ROWS = ["no model", "base", "writers", "SFT", "POR", "POR equal compute", "UR", "URP", "URP as in the paper",
        "format only", "steps only", "perfect verdict", "SFT, greedy", "UR, greedy", "format only, greedy", "float32",
        "bfloat16", "untuned", "MiniLM", "MiniLM, 96 dialogues", "PRM and ORM", "UnifiReward",
        "ESConv on ESConv", "ESConv on MESC", "MESC on ESConv", "MESC on MESC"]
DIGITS = dict.fromkeys([*SCORES, "words a reply", "words", "perplexity"], 1) | dict.fromkeys(
    ["grammatical", "follows", "true reward", "judged reward", "history", "emotion", "strategy", "format", "complete",
     *NAMED, *JUDGED, *LABELS, "like each other", *CROSS], 2)


def central(t, freedom):
    """Probability that Student's t is between -t and t (Simpson's rule)."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    steps = 4000
    height = t / steps
    area = sum((1 if i in (0, steps) else 4 if i % 2 else 2) * (1 + (i * height) ** 2 / freedom) ** (-(freedom + 1) / 2)
               for i in range(steps + 1))
    return min(1.0, 2 * scale * area * height / 3)


@functools.cache
def quantile(freedom, share=0.95):
    low, high = 0.0, 100.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if central(middle, freedom) < share else (low, middle)
    return low


def half_interval(values):
    return quantile(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))


def p_value(values):
    error = statistics.stdev(values) / math.sqrt(len(values))
    return 1 - central(abs(statistics.mean(values)) / error, len(values) - 1)


def holm(ps):
    corrected, least = [0.0] * len(ps), 0.0
    for place, i in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = corrected[i] = max(least, min(1.0, ps[i] * (len(ps) - place)))
    return corrected


def number(value, digits, sign=""):
    return re.sub(r"^([+-]?)0\.", r"\1.", f"{value:{sign}.{digits}f}")


def estimate(values, digits, sign=""):
    """Text of the mean with its interval: without one for a single seed, empty if a row lacks the figure."""
    if None in values:
        return ""
    if len(values) == 1:
        return number(values[0], digits, sign)
    return f"{number(statistics.mean(values), digits, sign)} ±{number(half_interval(values), digits)}"


def kept(root, study):
    """Returns {seed: {row: {figure: value}}} for the seeds that have all rows."""
    files = (root / "docs/lab/data" / study).glob("seed-*.json")
    all_seeds = {int(file.stem[5:]): json.loads(file.read_text(encoding="utf-8"))["rows"] for file in files}
    whole = max(map(len, all_seeds.values()), default=0)
    return {seed: rows for seed, rows in all_seeds.items() if len(rows) == whole}


def seeds_text(seeds, planned):
    first, last = min(seeds), max(seeds)
    if first == last:
        return f"seed {first}; 1 of {planned}"
    names = f"{first} to {last}" if len(seeds) == last - first + 1 else ", ".join(map(str, sorted(seeds)))
    return f"seeds {names}; {len(seeds)} of {planned}"


def seeds_named(text):
    """Returns the seeds in the first cell of a table, as written by seeds_text."""
    first_last = re.match(r"\| seeds (\d+) to (\d+);", text)
    if first_last:
        return list(range(int(first_last[1]), int(first_last[2]) + 1))
    return [int(seed) for seed in re.findall(r"\d+", text.partition(";")[0])]


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("|" + "|".join("---" if cell == "---" else f" {cell} " for cell in line) + "|\n" for line in lines)


def means(seeds, planned, figures, names):
    def cell(row, figure):
        values = [seed[row][figure] for seed in seeds.values()]
        return estimate([(v + 1) / 2 for v in values] if figure in names else values, DIGITS.get(figure, 3))

    head = [seeds_text(seeds, planned), *(names.get(figure, figure) for figure in figures)]
    rows = [[row, *(cell(row, figure) for figure in figures)] for row in ROWS if row in next(iter(seeds.values()))]
    return table(head, [row for row in rows if any(row[1:])])


def contrasts(seeds, planned, stated):
    named = [(a, b, figure) for a, b, figures in stated for figure in figures]
    differences = [[seed[a][figure] - seed[b][figure] for seed in seeds.values()] for a, b, figure in named]
    ps = [p_value(values) for values in differences] if len(seeds) > 1 else []
    tested = [[number(p, 4), number(corrected, 3)] for p, corrected in zip(ps, holm(ps))] or [["", ""]] * len(named)
    rows = [[f"{a} - {b}", figure, estimate(values, DIGITS.get(figure, 3), "+"), str(sum(v > 0 for v in values)),
             *tests]
            for (a, b, figure), values, tests in zip(named, differences, tested)]
    return table([seeds_text(seeds, planned), "figure", "difference", "seeds above 0", "p", "p by Holm"], rows)


def filled(root, page, all_seeds):
    """Returns the page with new tables, of all stored seeds or of the seeds that the tables name."""
    text = (root / page).read_text(encoding="utf-8")
    for name, asked in PAGES[page].items():
        def made(found):
            study = name.split(":")[0]
            seeds = dict(sorted(kept(root, study).items()))
            if not all_seeds:
                seeds = {seed: seeds[seed] for seed in seeds_named(found[2])}
            if isinstance(asked, list):
                return found[1] + contrasts(seeds, PLANNED[study], asked)
            return found[1] + means(seeds, PLANNED[study], *asked)
        text, count = re.subn(rf"(<!-- {name} -->\n\n)((?:\|.*\n)*)", made, text)
        if count != 1:
            raise SystemExit(f"{page}: <!-- {name} --> is there {count} times, not once")
    return text


def main(root, write):
    old = [page for page in PAGES if filled(root, page, write) != (root / page).read_text(encoding="utf-8")]
    for page in old if write else []:
        (root / page).write_text(filled(root, page, write), encoding="utf-8")
    if old and not write:
        raise SystemExit(f"{' and '.join(old)}: tables differ from docs/lab/data: "
                         "python3 tests/docs/kept_tables.py . --write")


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--write" in sys.argv[2:])
