"""Every compeer command of README.md and docs/ exists, with its options, and runs.

usage: commands_test.py SOURCE_DIR BUILD_DIR

Each fenced `sh` block is run in a temporary folder of its page, with results/smoke-grpo in it. Each `lua` block is a
script that is run dry, each `toml` block is resolved. A block with a file name in its info string (```toml mine.toml)
is written to that file instead. Each line of a `text` block, up to its "...", must be in the output of the previous
commands. A comment above a block changes this:

    <!-- test: not run: needs Slurm -->    its commands and options are checked against --help, nothing is run
    <!-- test: dry run: takes minutes -->  `compeer run` and `compeer submit` get --dry-run
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import markdown

BUILD, ROOT = Path(sys.argv.pop(2)).resolve(), Path(sys.argv.pop(1)).resolve()
# Tested elsewhere: by install/tutorial, with an installed compeer, and by app/docs.
OWN_TEST = {"docs/tutorial_plugin.md", "docs/lua.md"}
MARKER = re.compile(r"^test: (not run|dry run): (.+)$")
OPERATORS = set("();<>|&")
# Replaces the program and ./compeer.
SHIM = """#!/usr/bin/env bash
[[ -n ${DRY_RUN:-} && $1 == @(run|submit) ]] && set -- "$@" --dry-run
exec '%s' "$@"
"""


def ask(words):
    return subprocess.run([BUILD / "bin" / words[0], *words[1:]], capture_output=True, text=True, timeout=30).stdout


class Help:
    """The commands and options of compeer, read from its --help."""

    def __init__(self):
        self.options, self.commands = {}, {}
        waiting = [("compeer",)]
        while waiting:
            command = waiting.pop()
            text = ask([*command, "--help"])
            self.options[command] = set(re.findall(r"(?<![\w-])(--?[a-zA-Z][\w-]*)", self.part(text, "Options")))
            self.commands[command] = set(re.findall(r"^  (\w+)$", self.part(text, "Commands"), re.M))
            waiting += [(*command, name) for name in self.commands[command]]

    @staticmethod
    def part(text, title):
        found = re.search(rf"^{title}:\n((?:  .*\n)+)", text, re.M)
        # names only: an option's help follows two spaces, or is on lines of its own
        return re.sub(r"^( {2}\S.*?)  .*$|^ {3,}.*$", r"\1", found[1], flags=re.M) + "\n" if found else ""

    def mistakes(self, words):
        """Yields the unknown subcommands and options of one command, given as words that begin with compeer."""
        command = ("compeer",)
        for word in words[1:]:
            if word in self.commands[command]:
                command = (*command, word)
            elif self.commands[command] and re.match(r"^[a-z]+$", word):
                yield f"no command '{' '.join(command)} {word}'"
                return
            elif word.startswith("-") and len(word) > 1:
                option = word.partition("=")[0]
                if option not in self.options[command] | self.options[("compeer",)]:
                    yield f"no option '{option}' of '{' '.join(command)}'"
            elif not self.commands[command] and word == "--":
                return


def simple_commands(text):
    """Yields the words of each simple command of a shell script."""
    text = re.sub(r"<<-?'?(\w+)'?(.*\n)(?:.*\n)*?\1\n", r"\2", text.replace("\\\n", " "))
    for line in text.split("\n"):
        try:
            reader = shlex.shlex(line, posix=True, punctuation_chars=True)
            reader.whitespace_split, reader.commenters = True, "#"
            tokens = list(reader)
        except ValueError:
            continue  # a quoted text over several lines
        words = []
        for token in [*tokens, ";"]:
            if set(token) <= OPERATORS:
                if words:
                    yield words
                words = []
            else:
                words.append(token)


def compeer_commands(text):
    """Yields the simple commands that call compeer, without words before it such as variables, `time` or `srun`."""
    for words in simple_commands(text):
        for index, word in enumerate(words):
            if Path(word).name == "compeer" and "=" not in word:
                wrapper_only = word == "./compeer" and words[index + 1 : index + 2] == ["test"]
                if not wrapper_only:
                    yield ["compeer", *words[index + 1 :]]
                break


def unknown(page, text, known):
    """Yields 'page:line: mistake' for each unknown command or option, in shell blocks and inline code."""
    for block in markdown.blocks(text):
        if block["info"].split(" ")[0] in ("sh", "bash"):
            for words in compeer_commands(block["text"]):
                yield from (f"{page}:{block['line']}: {mistake}" for mistake in known.mistakes(words))
    for number, line, inside in markdown.lines(text):
        for code in [] if inside else re.findall(r"`((?:\./)?compeer [^`]*)`", line):
            code = code.replace("\\|", "|")
            for words in compeer_commands(re.sub(r"\.\.\.|\[|\]", " ", code)):
                yield from (f"{page}:{number}: {mistake}" for mistake in known.mistakes(words))


def failures(page, text, results):
    """Runs a page's blocks in order; yields 'page:line: output' of the first that fails."""
    with tempfile.TemporaryDirectory(prefix="compeer-docs-") as folder:
        folder = Path(folder)
        (folder / "bin").mkdir()
        shutil.copytree(results, folder / "work/results", symlinks=True)
        if "results/esc-world-sft" in text:  # a checkpoint of the quickstart; any checkpoint will do
            (folder / "work/results/esc-world-sft").symlink_to("smoke-grpo")
        for shim in [folder / "bin/compeer", folder / "work/compeer"]:
            shim.write_text(SHIM % (BUILD / "bin/compeer"))
            shim.chmod(0o755)
        environment = {**os.environ, "PATH": f"{folder}/bin:{BUILD}/bin:{os.environ['PATH']}", "HOME": str(folder),
                       "XDG_CACHE_HOME": f"{folder}/cache", "XDG_DATA_HOME": f"{folder}/data"}
        printed = ""
        for block in markdown.blocks(text):
            kind, _, name = block["info"].partition(" ")
            marker = MARKER.match(block["marker"] or "")
            if name and re.match(r"^[\w./-]+$", name):
                (folder / "work" / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / "work" / name).write_text(block["text"], encoding="utf-8")
            missing = [x for x in block["text"].split("\n") if kind == "text" and x.split("...")[0] not in printed]
            if missing and printed:
                yield f"{page}:{block['line']}: not printed: {missing[0]}\n{printed[-2000:]}"
                return
            if kind != "sh" or (marker and marker[1] == "not run"):
                continue
            dry = {"DRY_RUN": "1"} if marker and marker[1] == "dry run" else {}
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", block["text"]], cwd=folder / "work",
                                  env={**environment, **dry}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace", timeout=120)
            printed = done.stdout
            if done.returncode != 0:
                yield f"{page}:{block['line']}: exit {done.returncode}\n{block['text']}{done.stdout[-2000:]}"
                return


def toml_value(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(toml_value(one) for one in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def setting_failures(page, text):
    """Resolves a page's TOML blocks: whole experiments, or sections that replace those of the smallest experiment."""
    smallest = tomllib.loads((ROOT / "experiments/smoke_grpo.toml").read_text(encoding="utf-8"))
    for block in markdown.blocks(text):
        if block["info"] != "toml" or (block["marker"] or "").startswith("test: not run"):
            continue
        settings = {**smallest, **tomllib.loads(block["text"])}
        with tempfile.TemporaryDirectory(prefix="compeer-docs-") as folder:
            file = Path(folder) / "page.toml"
            file.write_text("".join(f"{key} = {toml_value(one)}\n" for key, one in settings.items()), encoding="utf-8")
            done = subprocess.run([BUILD / "bin/compeer", "resolve", file], cwd=folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
            if done.returncode != 0:
                yield f"{page}:{block['line']}: exit {done.returncode}\n{done.stdout}"


# Stand-in for data files that pages name: a record that each of their datasets can read.
RECORD = {
    "language": "en", "player": "p", "scene": "s", "task": "t", "first_talk": "f", "card": "c",
    "dialog": [{"speaker": "user", "text": "Hi."}, {"speaker": "sys", "text": "Hello.", "strategy": "Question"}],
    "history": [{"role": "user", "text": "Hi."}], "reference": "Hello.", "preference": "first",
    "candidates": [{"history": "h", "emotion": "e", "strategy": "s", "reply": "r"}], "steps": [[True, True, True]]}


def script_failures(page, text, results):
    """Runs a page's Lua scripts dry, with stand-ins for the files that they name; yields those that fail."""
    for block in markdown.blocks(text):
        if block["info"] != "lua" or (block["marker"] or "").startswith("test: not run"):
            continue
        with tempfile.TemporaryDirectory(prefix="compeer-docs-") as folder:
            folder = Path(folder)
            for name in set(re.findall(r'"([\w.-]+(?:/[\w.-]+)+|[\w-]+\.jsonl?|frames)"', block["text"])):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                if "json" in Path(name).suffix:
                    records = [{"id": split, "dialogue": split, "split": split, **RECORD} for split in
                               ("train", "valid", "test")]
                    (folder / name).write_text("".join(json.dumps(record) + "\n" for record in records))
                else:
                    (folder / name).symlink_to(results / "smoke-grpo/checkpoints/last")
            (folder / "script.lua").write_text(block["text"], encoding="utf-8")
            done = subprocess.run([BUILD / "bin/compeer", "run", "script.lua", "--dry-run"], cwd=folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
            if done.returncode != 0:
                yield f"{page}:{block['line']}: exit {done.returncode}\n{done.stdout}"


def pages():
    return ["README.md", *(str(page) for page in markdown.pages(ROOT) if re.match(r"^docs/(lab/)?[^/]+$", str(page)))]


def read(page):
    return (ROOT / page).read_text(encoding="utf-8")


class Commands(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.known = Help()
        cls.folder = tempfile.TemporaryDirectory(prefix="compeer-docs-results-")
        subprocess.run([BUILD / "bin/compeer", "run", "-q", "experiments/smoke_grpo.toml"], cwd=cls.folder.name,
                       check=True, stdout=subprocess.DEVNULL, timeout=120)
        cls.results = Path(cls.folder.name) / "results"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_commands_and_options_exist(self):
        everywhere = [*pages(), "CONTRIBUTING.md"]
        self.assertEqual([x for page in everywhere for x in unknown(page, read(page), self.known)], [])

    def test_plugins_exist(self):
        """Checks each plugin = "x" on a page, except plugins that tutorials write."""
        known = {found["name"] for found in json.loads(ask(["compeer", "plugins", "list", "--json"]))} | {"curious", "auto"}
        named = {page: set(re.findall(r'\bplugin\s*=\s*"(\w+)"', read(page))) for page in pages()}
        self.assertEqual({page: names - known for page, names in named.items() if names - known}, {})

    def hold(self, check, *more):
        """Asserts that `check` yields nothing for any page; checks two pages at a time."""
        wanted = [page for page in pages() if page not in OWN_TEST]
        with ThreadPoolExecutor(2) as pool:
            found = pool.map(lambda page: list(check(page, read(page), *more)), wanted)
        self.assertEqual("\n".join(x for page in found for x in page), "")

    def test_commands_run(self):
        self.hold(failures, self.results)

    def test_scripts_run_dry(self):
        self.hold(script_failures, self.results)

    def test_settings_resolve(self):
        self.hold(setting_failures)

    def test_blocks_that_do_not_run_say_why(self):
        for page in pages():
            for block in markdown.blocks(read(page)):
                if (block["marker"] or "").startswith("test:"):
                    self.assertRegex(block["marker"], MARKER, f"{page}:{block['line']}")

    # Tests the checks themselves, with pages that contain mistakes.
    def test_finds_what_compeer_does_not_have(self):
        page = "`compeer rnu x`, `compeer log show RUN --al`, `compeer run FILE --dry-run`\n\n" \
               "```sh\nA=1 ./compeer run x --quik   # --quack\n./compeer test -R x\n" \
               "echo compeer | compeer log shw\n```\n"
        self.assertEqual(list(unknown("p.md", page, self.known)),
                         ["p.md:3: no option '--quik' of 'compeer run'", "p.md:3: no command 'compeer log shw'",
                          "p.md:1: no command 'compeer rnu'", "p.md:1: no option '--al' of 'compeer log show'"])

    def test_finds_what_is_not_printed(self):
        page = "```sh\necho one two\n```\n\n```text\none ...\nthree\n```\n"
        self.assertEqual(list(failures("p.md", page, self.results)), ["p.md:5: not printed: three\none two\n"])

    def test_finds_blocks_that_fail(self):
        page = "```toml a.toml\nname = 1\n```\n\n<!-- test: not run: why -->\n```sh\nfalse\n```\n\n" \
               "```sh\ncat a.toml; exit 7\n```\n"
        wanted = ["p.md:10: exit 7\ncat a.toml; exit 7\nname = 1\n"]
        self.assertEqual(list(failures("p.md", page, self.results)), wanted)


if __name__ == "__main__":
    unittest.main()
