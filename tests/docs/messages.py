#!/usr/bin/env python3
"""Prints every text that users see, one per line, to read them in one go: messages, help of options and settings.

    messages.py ROOT [PART]      PART: only files whose path contains it, such as runner/launch
"""
import pathlib
import re
import sys

CALL = re.compile(r'\b(Error|note|remark|warn(?:ing)?|tell|mistake|conflict|conflict_unless|refuse\w*|bad|setting|number|integer'
                  r'|choice|text|flag|path|list|add_option|add_flag|add_subcommand|description|footer|error)\(')
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
HELP = re.compile(r'"help"\s*:\s*"((?:[^"\\]|\\.)*)"')


def arguments(source, start):
    """Returns the text between the parenthesis that opens before `start` and the one that closes it."""
    depth, at = 1, start
    while depth and at < len(source):
        quoted = LITERAL.match(source, at)
        if quoted:
            at = quoted.end()
            continue
        depth += {'(': 1, ')': -1}.get(source[at], 0)
        at += 1
    return source[start:at - 1]


def sentences(source):
    """Yields (offset, text) for each message in C++ or Lua source. Neighbouring literals are one text."""
    joined = re.sub(r'"\s*\n\s*"', '', source) if 'R"' not in source else source
    raw = re.sub(r'\)json"\s*\\?\n\s*R"json\(', '', joined)
    for found in HELP.finditer(raw):
        yield found.start(), found[1]
    for call in CALL.finditer(joined):
        for literal in LITERAL.finditer(arguments(joined, call.end())):
            if literal[1].count(' ') >= 2:
                yield call.start(), literal[1]


def main():
    root, part = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ''
    for folder in ('runner', 'plugins', 'scripts'):
        for file in sorted((root / folder).rglob('*')):
            name = str(file.relative_to(root))
            if file.suffix not in ('.cpp', '.h', '.lua') or part not in name:
                continue
            seen = set()
            for _, text in sorted(sentences(file.read_text(encoding='utf-8'))):
                if text not in seen:
                    seen.add(text)
                    print(f'{name}: {text}')


if __name__ == '__main__':
    main()
