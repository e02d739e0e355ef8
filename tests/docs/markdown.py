"""Reads the repository's Markdown: files, fenced blocks, links, anchors, prose."""
import re
import sys
from pathlib import Path

LONGEST = 120
FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*(.*?)\s*$")
HEADING = re.compile(r"^(#{1,6}) +(.*?)\s*#*\s*$")
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(\s*<?([^()\s>]*)>?(?:\s+\"[^\"]*\")?\s*\)")
WORD = re.compile(r"(?:`[^`]*`|[^\s`]|`)+")  # inline code is not broken
ITEM = re.compile(r"^(\s*)([-*+] |\d+[.)] )")


def pages(root):
    """Returns every Markdown file of a checkout, except files written by builds and runs."""
    skipped = re.compile(r"^(build.*|\..*|results/.+/.*|shared)(/|$)")
    found = (p.relative_to(root) for p in Path(root).rglob("*.md"))
    return sorted(p for p in found if not skipped.match(str(p)))


def lines(text):
    """Yields (number, line, is inside a fenced block) for each line; fences count as inside."""
    fence = None
    for number, line in enumerate(text.split("\n"), 1):
        mark = FENCE.match(line)
        if mark and (fence is None or (mark[1].startswith(fence) and not mark[2])):
            fence = mark[1] if fence is None else None
            yield number, line, True
        else:
            yield number, line, fence is not None


def blocks(text):
    """Yields the fenced blocks as {line, info, marker, text}. The marker is the comment on the line above the fence."""
    block, above = None, ""
    for number, line, inside in lines(text):
        if not inside:
            above = line if line.strip() else above
        elif block is None:
            comment = re.match(r"^\s*<!-- (.*) -->$", above)
            block = {"line": number, "info": FENCE.match(line)[2], "marker": comment and comment[1], "text": ""}
        elif FENCE.match(line) and not FENCE.match(line)[2]:
            yield block
            block, above = None, ""
        else:
            block["text"] += line + "\n"


def anchors(text):
    """Returns the anchors that GitHub generates for the headings."""
    found, seen = set(), {}
    for _, line, inside in lines(text):
        heading = not inside and HEADING.match(line)
        if heading:
            plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[2]).lower()
            name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
            count = seen.get(name, 0)
            seen[name] = count + 1
            found.add(f"{name}-{count}" if count else name)
    return found


def links(text):
    """Yields (number, target) of each link outside code, including links broken over two lines."""
    prose = "\n".join("" if inside else line for _, line, inside in lines(text))
    prose = re.sub(r"`[^`]*`", lambda code: re.sub(r"[^\n]", "x", code[0]), prose)
    for link in LINK.finditer(prose):
        yield prose.count("\n", 0, link.start()) + 1, link[1]


def wrapped(text, width=LONGEST):
    """Returns the text with paragraphs and list items wrapped to the width; everything else is unchanged."""
    out, paragraph = [], []

    def fill():
        if not paragraph:
            return
        first = paragraph[0]
        item = ITEM.match(first)
        indent = " " * len(item[0]) if item else re.match(r"\s*", first)[0]
        line = first[: len(item[0]) if item else len(indent)]
        words = WORD.findall(" ".join(p.strip() for p in paragraph))
        units = []
        for word in words[len(item[0].split()) if item else 0 :]:
            # a line must not begin like a list item or a heading, so such a word stays with the one before it
            if units and re.match(r"^([-*+#]+|\d+[.)])$", word):
                units[-1] += " " + word
            else:
                units.append(word)
        for index, unit in enumerate(units):
            if index and len(line) + 1 + len(unit) > width:
                out.append(line)
                line = indent + unit
            else:
                line += (" " if index else "") + unit
        out.append(line)
        paragraph.clear()

    for _, line, inside in lines(text):
        starts = not paragraph
        code = starts and re.match(r"^ {4,}\S", line) and not (out and ITEM.match(out[-1]))
        if inside or not line.strip() or code or re.match(r"^\s*(\||#|<|>|!\[|\[[^\]]*\]:)", line):
            fill()
            out.append(line)
            continue
        if ITEM.match(line):
            fill()
        paragraph.append(line)
    fill()
    return "\n".join(out)


if __name__ == "__main__":  # usage: markdown.py FILE...   fills their paragraphs
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(wrapped(path.read_text(encoding="utf-8")), encoding="utf-8")
