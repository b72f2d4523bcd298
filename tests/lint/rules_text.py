"""Rules about words that may not stand in the sources, or only in one place."""

import re

from tree import Tree, Violation

CLOCK_OWNER = "base/clock.cc"
# steady_clock is no business of this rule: it measures waiting, it does not tell the time.
_CLOCK = re.compile(
    r"\bsystem_clock\b|\bhigh_resolution_clock\b|\butc_clock\b|\bclock_gettime\b|\bgettimeofday\b|\btimespec_get\b"
    r"|\bstd::time\b|\babsl::Now\b|(?<![\w.>:])time\s*\(\s*(?:NULL|nullptr|0|&\w+)\s*\)"
)
_CPP_SLEEP = re.compile(r"\bsleep_for\b|\bsleep_until\b|\busleep\b|\bnanosleep\b|(?<![\w.>])sleep\s*\(")
_SCRIPT_SLEEP = re.compile(r"\btime\.sleep\b|\bThread\.[sS]leep\b|\bTask\.Delay\b|\basyncio\.sleep\b|^\s*sleep\s+[\d.]")
# Tests of real drivers and of real crashes watch processes from outside.
_MAY_WAIT = ("tests/drivers/", "tests/crash/")
_UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b(?P<number>\(#\d+\))?")

# Written in pieces so that this file does not break its own rules.
_HOSTS = re.compile(
    "|".join(
        [
            r"\b(?:deb|ftp|security)\." + r"debian\.org",
            "registry" + r"\.npmjs",
            r"\bnuget" + r"\.org",
            r"\bpypi" + r"\.org",
            "files" + r"\.pythonhosted",
            r"\brepo1?" + r"\.maven",
            r"\bcrates" + r"\.io",
            r"proxy" + r"\.golang",
        ]
    )
)
_STRAY = re.compile(
    "|".join(
        [
            r"\bsub-?" + r"agents?\b",
            r"\bL" + r"LMs?\b",
            r"\blanguage " + r"models?\b",
            r"\bA" + r"I[- ](?:generated|assistants?|written)\b",
            r"\b(?:Clau" + "de|Anth" + "ropic|Chat" + "GPT|Open" + r"AI)\b",
            r"\bbefore-" + r"stop\b",
            r"(?<![\w.])/wor" + r"k/",
            r"\bwork" + r"place\b",
            r"\bC" + r"EO\b",
        ]
    ),
    re.IGNORECASE,
)


def _find(file, lines, pattern, text):
    for number, line in enumerate(lines, 1):
        match = pattern.search(line)
        if match:
            yield Violation(file.path, number, text.format(match.group(0).strip()))


def clock(tree: Tree):
    """The operating system's time is asked in base/clock.cc alone; everything else is handed a Clock."""
    for file in tree.cpp():
        if file.path != CLOCK_OWNER:
            yield from _find(file, file.code_lines, _CLOCK, "{}: only base/clock.cc asks for the time")


def sleep(tree: Tree):
    """Nothing sleeps: sources wait for an event, tests move the clock."""
    for file in tree.cpp():
        yield from _find(file, file.code_lines, _CPP_SLEEP, "{}: wait for an event instead")
    for file in tree.scripts():
        if not file.path.startswith((*_MAY_WAIT, "tests/lint/")):
            yield from _find(file, file.lines, _SCRIPT_SLEEP, "{}: wait for an event instead")


def todo(tree: Tree):
    """A TODO names the issue that it waits for: TODO(#12); FIXME and its like are not used."""
    for file in tree.files:
        if file.path.startswith("tests/lint/") or file.suffix == ".md":
            continue
        for number, line in enumerate(file.lines, 1):
            for match in _UNFINISHED.finditer(line):
                if not (match.group(0).startswith("TODO") and match.group("number")):
                    yield Violation(file.path, number, f"{match.group(0)}: write TODO(#n) with an issue's number")


def registry_hosts(tree: Tree):
    """The tree names no package registry's host: clients use the one they are set up for."""
    for file in tree.files:
        yield from _find(file, file.lines, _HOSTS, "{}: name no registry's host")


def stray_words(tree: Tree):
    """The project speaks of itself alone, not of how or where it is written."""
    for file in tree.files:
        yield from _find(file, file.lines, _STRAY, "{}: the project speaks of itself alone")
