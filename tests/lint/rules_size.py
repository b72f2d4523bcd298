"""Rules about sizes. Offenders that are tolerated stand in exceptions.txt, a list that only shrinks."""

import ast

from functions import find_functions
from tree import Tree, Violation

FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70
EXCEPTIONS = "tests/lint/exceptions.txt"


def _file_offenders(tree: Tree):
    """Yields ((path, name), line, length) of each file that is too long."""
    for file in tree.cpp() + tree.scripts():
        if len(file.lines) > FILE_LINES_MAX:
            yield (file.path, "file"), 0, len(file.lines)


def _python_functions(text: str):
    """Yields (name, line, length) of each function of a Python source."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def _function_offenders(tree: Tree):
    """Yields ((path, name), line, length) of each function that is too long."""
    for file in tree.cpp():
        for function in find_functions(file.code):
            if function.length > FUNCTION_LINES_MAX:
                yield (file.path, function.name), function.line, function.length
    for file in tree.files:
        if file.suffix == ".py":
            for name, line, length in _python_functions(file.text):
                if length > FUNCTION_LINES_MAX:
                    yield (file.path, name), line, length


def _exceptions(tree: Tree):
    """The tolerated lengths: {(path, function name or "file"): lines}."""
    listed = {}
    file = tree.by_path.get(EXCEPTIONS)
    for line in file.lines if file else []:
        if line.strip() and not line.startswith("#"):
            path, name, length = line.split()
            listed[(path, name)] = int(length)
    return listed


def _judge(tree: Tree, offenders, limit: int, of_files: bool):
    listed = {key: n for key, n in _exceptions(tree).items() if (key[1] == "file") == of_files}
    for key, line, length in offenders:
        path, name = key
        allowed = listed.pop(key, None)
        if allowed is None:
            yield Violation(path, line, f"{name} has {length} lines, more than {limit}")
        elif length > allowed:
            yield Violation(path, line, f"{name} grew from {allowed} to {length} lines")
        elif length < allowed:
            yield Violation(EXCEPTIONS, 0, f"{path} {name} is down to {length}: lower its number")
    for path, name in listed:
        yield Violation(EXCEPTIONS, 0, f"{path} {name} is no offender any more: remove its line")


def file_size(tree: Tree):
    """No file is longer than 600 lines."""
    yield from _judge(tree, _file_offenders(tree), FILE_LINES_MAX, True)


def function_size(tree: Tree):
    """No function is longer than 70 lines."""
    yield from _judge(tree, _function_offenders(tree), FUNCTION_LINES_MAX, False)
