"""Rules that compare documents with the tree."""

import re

from tree import Tree, Violation

DIFFERENCES = "docs/differences.md"
_HEADING = re.compile(r"^## (\d+)\. ")
_TEST = re.compile(r"^tests/differences/diff_(\d+)[_.]")
_LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")


def differences(tree: Tree):
    """Each numbered difference has a test tests/differences/diff_NN…, and each such test its number."""
    document = tree.by_path.get(DIFFERENCES)
    if document is None:
        yield Violation(DIFFERENCES, 0, "is missing")
        return
    numbers = {}
    for line, text in enumerate(document.lines, 1):
        match = _HEADING.match(text)
        if match and int(match.group(1)) in numbers:
            yield Violation(DIFFERENCES, line, f"number {match.group(1)} stands twice")
        elif match:
            numbers[int(match.group(1))] = line
    tested = {}
    for file in tree.files:
        match = _TEST.match(file.path)
        if match:
            tested.setdefault(int(match.group(1)), file.path)
    for number, line in numbers.items():
        if number not in tested:
            yield Violation(DIFFERENCES, line, f"no test tests/differences/diff_{number:02}")
    for number, path in tested.items():
        if number not in numbers:
            yield Violation(path, 0, f"{DIFFERENCES} has no number {number}")


def links(tree: Tree):
    """Every relative link of a Markdown page leads to a file or a folder of the tree."""
    folders = {"/".join(file.parts[:n]) for file in tree.files for n in range(1, len(file.parts))}
    for file in tree.files:
        if file.suffix != ".md":
            continue
        for number, line in enumerate(file.lines, 1):
            for target in _LINK.findall(line):
                path = _resolve(file.parts[:-1], target)
                if path not in tree.by_path and path not in folders and path != "":
                    yield Violation(file.path, number, f"{target} does not exist")


def _resolve(folder: tuple, target: str) -> str:
    parts = list(folder)
    for part in target.rstrip("/").split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    return "/".join(parts)
