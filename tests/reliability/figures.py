"""Prints the figures of the batteries' last runs.

usage: figures.py FOLDER [--table | --page FILE]

Prints for each battery the promise, the method, its figures and the result. --table prints one row a battery; --page
ends with 1 unless the page has exactly that table.
"""
import json
import sys
from pathlib import Path

TITLES = {"kills": "kill -9", "power": "Power failures", "damage": "Torn and flipped bytes",
          "disk": "Full and failing disks", "reads": "Failing reads", "nonfinite": "NaN and infinity",
          "signals": "Signals", "clock": "Jumps of the clock", "endpoint": "A judge behind an endpoint",
          "ranks": "Ranks that fail", "network": "The network between hosts", "soak": "Long runs"}


def result(battery):
    if battery["skipped"]:
        return "skipped: " + battery["skipped"].replace("|", "\\|")
    return f"**{battery['wrong']} failures**" if battery["wrong"] else "holds"


def tries(battery):
    if battery["skipped"]:
        return "none"
    done, full = battery["tries"], battery["full"]
    return f"{done} {battery['unit']}" if done >= full else f"**only {done} of {full}** {battery['unit']}"


def table(batteries):
    rows = ["| battery | last run | tries | result |", "|---|---|---|---|"]
    return rows + [f"| {TITLES[name]} | {one['date']} | {tries(one)} | {result(one)} |" for name, one in batteries]


def details(name, battery):
    figures = "".join(f"  {figure}: {value}\n" for figure, value in battery["figures"])
    return (f"{TITLES[name]}: {result(battery)}; {tries(battery)}\n  {battery['promise']}\n  {battery['how']}\n{figures}"
            f"  {battery['date']}, commit {battery['commit']}, seed {battery['seed']}, {battery['seconds']} s\n")


def main(folder, mode="", page=""):
    files = {name: Path(folder) / f"{name}.json" for name in TITLES}
    batteries = [(name, json.loads(file.read_text())) for name, file in files.items() if file.exists()]
    if mode == "--page":
        shown = [line for line in Path(page).read_text().splitlines() if line.startswith("|")]
        if shown != table(batteries):
            sys.exit(f"{page}: its table differs from the output of figures.py {folder} --table")
    else:
        print("\n".join(table(batteries) if mode else [details(*one) for one in batteries]))


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
