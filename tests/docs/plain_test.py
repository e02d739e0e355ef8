"""Comments and pages are free of some words that made them hard to understand (CONTRIBUTING.md, Plain English).

usage: plain_test.py SOURCE_DIR
"""
import re
import sys
import unittest
from pathlib import Path

import markdown

ROOT = Path(sys.argv.pop(1)).resolve()
HABITS = {  # what to look for -> what to write
    r"^(Of|What|Who|Whose|Which)\b": "the noun or verb first: 'Gradient of ...', 'Returns ...'",
    r"\b(stands?|stood)\b(?! (for|alone|on its own)\b)": "'is', 'is stored'",
    r"\b(is|are|was|were|be|being) told\b(?! apart)|\b(told|tells) of\b": "'receives', 'reports'",
    r"[;,] else\b": "'otherwise'",
    r"\b(nobody|somebody|anybody|everybody)\b": "'no caller', 'the user'",
    r"\b(goes|go|went) on\b": "'continues', 'resumes'",
    r"\b(hears?|heard)\b": "'receives'",
}
QUOTED = re.compile(r'"[^"]*"|`[^`]*`')


def comments(text, alone_pattern=r"\s*//[/!]?<? ?(.*)", behind_pattern=r'(?<![:"])///?<? (?!.*")(.*)'):
    """Yields (line, text) of each comment: consecutive lines with nothing but a comment count as one."""
    number, words = 0, []
    for n, line in enumerate(text.split("\n") + [""], 1):
        alone = re.match(alone_pattern, line)
        if alone:
            number = number or n
            words.append(alone[1])
            continue
        if words:
            yield number, " ".join(words)
            number, words = 0, []
        if behind := re.search(behind_pattern, line):
            yield n, behind[1]


def script_comments(text):
    """Yields (line, text) of each comment of a shell or Python script."""
    return comments(text, r"\s*# ?(.*)", r'\s# (?!.*["\'])(.*)')


def sentences(text):
    return [(n, line.strip()) for n, line, inside in markdown.lines(text) if not inside]


def habits(text):
    """Returns the advice for each habit found in a comment, except in quotations."""
    plain = QUOTED.sub("''", text)
    return [advice for habit, advice in HABITS.items() if re.search(habit, plain)]


class PlainEnglish(unittest.TestCase):
    maxDiff = None

    def test_finds_habits(self):
        source = "// Of the run: somebody waits.\nint a;  ///< stands there\nx(\"// nobody\");\n"
        self.assertEqual([n for n, text in comments(source) for _ in habits(text)], [1, 1, 2])
        script = "# Of the run: somebody waits.\nrun # stands there\nsay '# nobody'\n"
        self.assertEqual([n for n, text in script_comments(script) for _ in habits(text)], [1, 1, 2])
        self.assertEqual(habits('Returns "goes on" or `else`; stands for a run'), [])

    def test_comments(self):
        folders = [ROOT / top for top in ("runner", "plugins", "tests", "fuzz")]
        files = [f for folder in folders for f in sorted(folder.rglob("*")) if f.suffix in (".h", ".cpp")]
        self.assert_plain(files, comments)

    def test_comments_of_scripts(self):
        files = [f for f in sorted((ROOT / "tests").rglob("*"))
                 if f.suffix in (".sh", ".py", ".cmake") or f.name == "CMakeLists.txt"]
        self.assert_plain(files, script_comments)

    def test_pages(self):
        pages = [ROOT / page for page in markdown.pages(ROOT) if page.parts[0] not in ("tests", "results")]
        self.assert_plain(pages, sentences)

    def assert_plain(self, files, parts):
        found = [f"{file.relative_to(ROOT)}:{n}: {text[:80]}: write {advice}" for file in files
                 for n, text in parts(file.read_text(encoding="utf-8")) for advice in habits(text)]
        self.assertEqual(found, [])


unittest.main()
