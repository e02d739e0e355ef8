"""Every link and anchor of the Markdown pages exists, and no line is longer than 120 characters.

usage: pages_test.py SOURCE_DIR
"""
import re
import sys
import unittest
from pathlib import Path

import markdown

ROOT = Path(sys.argv.pop(1)).resolve()
README_WORDS, GLOSSARY_TERMS = 900, 30


def read(page, root=ROOT):
    return (root / page).read_text(encoding="utf-8")


def installed(file):
    return file.parts[0] == "docs" or str(file) in ("README.md", "cmake/debian-packages.txt")


def broken_links(page, text, root=ROOT):
    """Yields 'page:line: target: reason' for each broken link."""
    for number, target in markdown.links(text):
        if re.match(r"^[a-z][a-z+.-]*:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (root / page).parent / path if path else root / page
        if not file.exists():
            yield f"{page}:{number}: {target}: no such file"
        elif str(page).startswith("docs/") and not installed(file.resolve().relative_to(root.resolve())):
            yield f"{page}:{number}: {target}: is not installed beside docs/"
        elif anchor and anchor not in markdown.anchors(file.read_text(encoding="utf-8")):
            yield f"{page}:{number}: {target}: no such heading"


def long_lines(page, text):
    """Yields the lines that are too long, also in tables and code, except single words such as links."""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > markdown.LONGEST and " " in line.strip():
            yield f"{page}:{number}: {len(line)} characters (python3 tests/docs/markdown.py {page} fills paragraphs)"


class Pages(unittest.TestCase):
    maxDiff = None

    def test_links_lead_somewhere(self):
        self.assertEqual([x for page in markdown.pages(ROOT) for x in broken_links(page, read(page))], [])

    def test_lines_fit(self):
        self.assertEqual([x for page in markdown.pages(ROOT) for x in long_lines(page, read(page))], [])

    def test_pages_named_in_sources_exist(self):
        """Checks docs/x.md and docs/x.md#y in sources, scripts and help texts."""
        named = re.compile(r"\bdocs/[\w./-]*\.md(?:#[\w-]+)?")
        kinds = {".cpp", ".h", ".hpp", ".lua", ".toml", ".sh", ".py", ".cmake", ".txt", ".md"}
        wrong = []
        for top in ["runner", "plugins", "scripts", "experiments", "tests", "cmake", "fuzz", "packaging"]:
            for file in sorted(p for p in (ROOT / top).rglob("*") if p.suffix in kinds and p.is_file()):
                if file.parent.name == "docs":
                    continue
                for target in set(named.findall(file.read_text(encoding="utf-8", errors="replace"))):
                    page, _, anchor = target.partition("#")
                    if not (ROOT / page).exists():
                        wrong.append(f"{file.relative_to(ROOT)}: {target}: no such page")
                    elif anchor and anchor not in markdown.anchors(read(page)):
                        wrong.append(f"{file.relative_to(ROOT)}: {target}: no such heading")
        self.assertEqual(wrong, [])

    def test_sources_named_on_pages_exist(self):
        named = re.compile(r"`((?:runner|plugins|tests|scripts|experiments|packaging|cmake|fuzz)/[\w./-]*(?:/|\.\w+))`")
        pages = [page for page in markdown.pages(ROOT) if re.match(r"^docs/|[A-Z]+\.md$", str(page))]
        wrong = []
        for page in pages:
            text = read(page)
            written = {block["info"].partition(" ")[2] for block in markdown.blocks(text)}  # by the reader
            wrong += [(page, path) for path in set(named.findall(text)) - written if not (ROOT / path).exists()]
        self.assertEqual(wrong, [])

    def test_every_page_of_docs_is_in_its_index(self):
        for folder in ["docs", "docs/lab"]:
            index = {target.partition("#")[0] for _, target in markdown.links(read(f"{folder}/README.md"))}
            here = {page.name for page in (ROOT / folder).glob("*.md")} - {"README.md"}
            self.assertEqual(here - index, set(), f"not in {folder}/README.md")

    def test_the_readme_is_short(self):
        self.assertLess(len(read("README.md").split()), README_WORDS)

    def test_the_glossary_is_short(self):
        rows = [line for line in read("docs/glossary.md").split("\n") if line.startswith("| **")]
        self.assertGreater(len(rows), 0)
        self.assertLessEqual(len(rows), GLOSSARY_TERMS)


class Reader(unittest.TestCase):
    """Tests the functions above on pages with mistakes."""

    def test_finds_links_that_lead_nowhere(self):
        page = "# One\n[a](README.md) [b](nowhere.md) [c](#two) [d](#one)\n`[e](no)`\n```\n[f](no)\n```\n"
        found = list(broken_links(Path("docs/x.md"), page.replace("#one", "README.md")))
        self.assertEqual(found[0], "docs/x.md:2: nowhere.md: no such file")
        self.assertEqual(len([x for x in found if "nowhere" in x]), 1)

    def test_knows_anchors_as_github_makes_them(self):
        text = "# A `b`: c, d's [e](f) - g_h\n## Same\n## Same\n```\n# no\n```\n"
        self.assertEqual(markdown.anchors(text), {"a-b-c-ds-e---g_h", "same", "same-1"})

    def test_fills_paragraphs_and_leaves_the_rest(self):
        text = "# T\n\n- one two three\n  four\n\n| a long row of a table | b |\n\n" \
               "```\ncode that is long\n```\nfive six seven\n"
        filled = markdown.wrapped(text, 12)
        self.assertEqual(filled, "# T\n\n- one two\n  three four\n\n| a long row of a table | b |\n\n"
                                 "```\ncode that is long\n```\nfive six\nseven\n")

    def test_does_not_break_code(self):
        self.assertEqual(markdown.wrapped("one `two three\nfour` five\n", 12), "one\n`two three four`\nfive\n")

    def test_finds_long_lines_but_not_long_words(self):
        text = "word " * 30 + "\n| " + "cell " * 30 + "|\n```\n" + "code " * 30 + "\n```\n" + "  " + "x" * 130 + "\n"
        self.assertEqual([x.split(" ")[0] for x in long_lines("x.md", text)], ["x.md:1:", "x.md:2:", "x.md:4:"])


if __name__ == "__main__":
    unittest.main()
