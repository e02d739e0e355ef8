"""Draws the rooms of runner/ from the tree: their order, what each includes, which program each is part of, and which
files of a run each names. `rooms.py` prints the drawing; `rooms.py --write` puts it into runner/README.md. `rooms.py
--check` compares the two, and fails if a room includes one that stands above it, or if another type is named like one
of a header.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNNER = ROOT / "runner"
README = RUNNER / "README.md"
BEGIN, END = "<!-- drawn by cmake/rooms.py -->\n", "<!-- end -->\n"
# The libraries that each program links; those of compeer-tools count as the worker's.
PROGRAMS = {"compeer": ["front"], "compeer-worker": ["worker", "verify", "bench_worker", "conformance_worker"]}
FILES = ["spec.json", "run.h5", "rollouts", "checkpoints", "status.json", "summary.json", "error.json", "log.txt"]


def text(path):
    return path.read_text(encoding="utf-8")


def order():
    """Rooms, lowest first, as runner/CMakeLists.txt has them."""
    return re.search(r"foreach\(room (.*?)\)", text(RUNNER / "CMakeLists.txt")).group(1).split()


def sources(room):
    return sorted(path for path in (RUNNER / room).rglob("*") if path.suffix in (".h", ".cpp"))


def includes(rooms):
    """Room -> rooms it includes; headers of the SDK are included as compeer/..."""
    found = {}
    for room in rooms:
        named = set()
        for path in sources(room):
            named.update(re.findall(r'#include "(\w+)/', text(path)))
        named = {"sdk" if name == "compeer" else name for name in named}
        found[room] = {name for name in named if name in rooms and name != room}
    return found


def libraries():
    """Library -> (room, libraries it links)."""
    found = {}
    for path in sorted(RUNNER.rglob("CMakeLists.txt")):
        if path.parent == RUNNER:
            continue
        room = path.relative_to(RUNNER).parts[0]
        for name, rest in re.findall(r"compeer_room\(\s*(\w+)\s(.*?)\n?\)\n", text(path) + "\n", re.S):
            found[name] = (room, re.findall(r"compeer::(\w+)", rest))
    return found


def rooms_of(library, known, seen):
    if library in seen or library not in known:
        return set()
    seen.add(library)
    room, linked = known[library]
    return {room}.union(*(rooms_of(one, known, seen) for one in linked))


def purpose(room):
    return re.match(r"# [\w ]+: (.*)", text(RUNNER / room / "README.md")).group(1)


def users(file, rooms):
    """Rooms whose sources name a file or folder of a run."""
    stem = re.compile(r'"(?:[\w./]*/)?%s(?:["/])' % re.escape(file))
    return [room for room in rooms if any(stem.search(text(path)) for path in sources(room))]


def drawing(rooms):
    uses, known = includes(rooms), libraries()
    parts = {program: {"sdk", "base"}.union(*(rooms_of(library, known, set()) for library in linked))
             for program, linked in PROGRAMS.items()}
    front, worker = parts["compeer"], parts["compeer-worker"]
    lines = ["Rooms, the highest first; a room includes only rooms below it.", "",
             f"{'compeer':<9}{'both':<12}{'compeer-worker':<16}includes (besides sdk, base)"]
    for room in reversed(rooms):
        column = 1 if room in front and room in worker else 0 if room in front else 2
        cells = ["", "", ""]
        cells[column] = room
        others = [one for one in rooms if one in uses[room] and one not in ("sdk", "base")]
        row = f"{cells[0]:<9}{cells[1]:<12}{cells[2]:<16}"
        lines += textwrap.wrap(' '.join(others), 120, initial_indent=row, subsequent_indent=' ' * len(row)) or [row.rstrip()]
    lines += ["", f"{'of a run':<16}named by"]
    for file in FILES:
        lines.append(f"{file:<16}{' '.join(users(file, rooms))}")
    lines += ["", "what each is for"]
    lines += [f"{room:<12}{purpose(room)}" for room in rooms]
    return "```\n" + "\n".join(lines) + "\n```\n"


def types():
    """Of each type that a header of runner/ or plugins/ declares outside of other types: the files that declare one of
    its name. What a source calls something else, by `using`, is its own affair."""
    declared = re.compile(r"^(?:struct|class|enum class|enum) (\w+)(?: final)?(?: :[^;{]*)? \{|^using (\w+) =", re.M)
    named, of_headers = {}, set()
    for path in sorted(path for folder in ("runner", "plugins") for path in (ROOT / folder).rglob("*")):
        if path.suffix not in (".h", ".cpp") or "templates" in path.parts:  # sources that `plugins new` writes
            continue
        for kind, alias in declared.findall(text(path)):
            if kind or path.suffix == ".h":
                named.setdefault(kind or alias, set()).add(str(path.relative_to(ROOT)))
            if path.suffix == ".h":
                of_headers.add(kind or alias)
    return {name: files for name, files in named.items() if name in of_headers}


def main():
    rooms = order()
    drawn, problems = drawing(rooms), []
    for room, named in includes(rooms).items():
        problems += [f"{room} includes {other}, which stands above it" for other in named
                     if rooms.index(other) > rooms.index(room)]
    problems += [f"two types are named {name}: in {', '.join(sorted(files))}" for name, files in types().items()
                 if len(files) > 1]
    readme = text(README)
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    wanted = before + BEGIN + drawn + END + after
    if "--write" in sys.argv:
        README.write_text(wanted, encoding="utf-8")
    elif "--check" in sys.argv and readme != wanted:
        problems.append("the drawing in runner/README.md isn't of this tree: python3 cmake/rooms.py --write")
    elif "--check" not in sys.argv:
        print(drawn, end="")
    if problems:
        sys.exit("\n".join(problems))


main()
