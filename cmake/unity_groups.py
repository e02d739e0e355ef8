"""Which sources of a target are compiled as one: reads a line `TARGET SOURCE SOURCE ...` for each target, prints a line
`TARGET GROUP SOURCE` for each source that has company.

What stands in an unnamed namespace, and what `using` and constants declare, is a source's own: two that have such a
name in common come into different groups. Sources stay alone that include themselves, or have a type named like one
that a header declares in the same namespace or around it. Names are found by the tree's layout: what begins a line is
declared there.
"""
import pathlib
import re
import sys

MOST = 12  # sources of a group
KIND = re.compile(r"(?:class|struct|enum class|enum|using|namespace) (?:[A-Z_]+ )?(?:[\w:]*::)?(\w+)")
SPACE = re.compile(r"namespace [\w:]+ \{")
TYPE = re.compile(r"class|struct|enum|using \w+ =")
CONSTANT = re.compile(r"\b(\w+)(?:\[\w*\])? = ")
OTHER = re.compile(r".*?\b(\w+)(?:\(|\[|\{| =|;)")


def declared(line):
    if kind := KIND.match(line):
        return [kind.group(1)]
    if line.startswith("const") and (constants := CONSTANT.findall(line)):
        return constants
    return OTHER.match(line).groups() if OTHER.match(line) else []


def types_of_headers():
    """Type -> the namespaces in which headers declare one of this name."""
    found = {}
    for folder in "runner", "plugins":
        for header in pathlib.Path(folder).rglob("*.h"):
            space = ""
            for line in header.read_text(encoding="utf-8").splitlines():
                space = line.split()[1] if SPACE.match(line) else space
                if (kind := KIND.match(line)) and not line.startswith("namespace"):
                    found.setdefault(kind.group(1), set()).add(space)
    return found


def around(outer, inner):
    return (inner + "::").startswith(outer + "::")


def names(path, of_headers):
    """A source's own names -> how they are declared; None: it can't stand with others."""
    found, unnamed, space = {}, False, ""
    with open(path, encoding="utf-8") as source:
        for line in source:
            if "foreach_target.h" in line:
                return None
            if SPACE.match(line):
                space = line.split()[1]
            elif line.startswith("namespace {"):
                unnamed = True
            elif line.startswith("}  // namespace\n"):
                unnamed = False
            elif line[0] not in " }/#\n" and (unnamed or line.startswith(("using", "const"))):
                same = line if line.startswith(("using", "namespace")) else path
                found.update((name, same) for name in declared(line))
                spaces = {of for name in declared(line) for of in of_headers.get(name, ())}
                if unnamed and TYPE.match(line) and any(around(of, space) for of in spaces):
                    return None
    return found


def main():
    of_headers = types_of_headers()
    for target in sys.stdin.read().splitlines():
        name, *sources = target.split()
        groups = []  # (sources, names)
        for source in sources:
            own = names(source, of_headers)
            if own is None:
                continue
            for number, (members, known) in enumerate(groups):
                if members < MOST and all(known.get(word, how) == how for word, how in own.items()):
                    groups[number] = (members + 1, known | own)
                    break
            else:
                number = len(groups)
                groups.append((1, own))
            print(name, f"group{number}", source)


main()
