"""Finds the functions of a clang-formatted C++ source by matching braces; no compiler needed."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Function:
    name: str
    line: int  # of the opening brace
    length: int  # lines from the opening to the closing brace, both counted


_SCOPE = re.compile(r"\bnamespace\b|^\s*extern\s*\"\"\s*$")
_TYPE = re.compile(r"^\s*(?:(?:typedef|static|inline|constexpr|const)\s+)*(?:class|struct|union|enum)\b")
_INITIALISER = re.compile(r"=[^()=]*$")
# The brace after a member's name in a constructor's list: `S::S(int a) : a_{`.
_MEMBER_INITIALISER = re.compile(r"\)[\s\w]*:(?!:).*[\w>]\s*$", re.DOTALL)
_LAMBDA = re.compile(r"\[[^\[\]]*\]\s*(?:\([^{}]*\))?\s*(?:mutable|noexcept|constexpr|\s)*(?:->[^{}()]*)?$")
_ATTRIBUTE = re.compile(r"\[\[.*?\]\]|\balignas\s*\([^()]*\)", re.DOTALL)


def _without_preprocessor(code: str) -> str:
    """Blanks directives with their continuation lines."""
    return re.sub(
        r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
        lambda match: "\n" * match.group(0).count("\n"),
        code,
        flags=re.MULTILINE,
    )


def _without_template(head: str) -> str:
    """Cuts the parameter lists of leading `template <...>`."""
    while True:
        match = re.match(r"\s*template\s*<", head)
        if not match:
            return head
        depth = 1
        end = match.end()
        while end < len(head) and depth:
            depth += {"<": 1, ">": -1}.get(head[end], 0)
            end += 1
        head = head[end:]


def _kind(head: str) -> str:
    """What a brace after `head` opens, outside of functions: scope, function or initialiser."""
    head = _ATTRIBUTE.sub(" ", _without_template(head))
    if _SCOPE.search(head):
        return "scope"
    if _TYPE.search(head) and "(" not in head:
        return "scope"
    if _LAMBDA.search(head):
        return "function"
    if head.count("(") > head.count(")") or _MEMBER_INITIALISER.search(head):
        return "initialiser"
    if _INITIALISER.search(head) and "operator" not in head:
        return "initialiser"
    return "function" if "(" in head else "initialiser"


def _name(head: str) -> str:
    """The function's name with its qualification; for a TEST its two arguments."""
    head = _ATTRIBUTE.sub(" ", _without_template(head))
    macro = re.search(r"\b([A-Z][A-Z_]+)\s*\(([^()]*)\)\s*$", head)
    if macro:
        return ".".join(part.strip() for part in macro.group(2).split(","))
    match = re.search(r"((?:[\w~]+(?:<[^()]*>)?::)*(?:operator\s*[^\s\w(]+|operator\(\)|[\w~]+))\s*\(", head)
    return re.sub(r"\s+", "", match.group(1)) if match else "lambda"


def find_functions(code: str):
    """Yields every outermost function of `code`, which has comments and literals blanked out."""
    code = _without_preprocessor(code)
    stack = []  # (kind, head up to the brace, line)
    inside_function = 0
    head = []  # what stands since the last end of a declaration
    line = 1
    for character in code:
        if character == "\n":
            line += 1
        if character == "{":
            text = "".join(head)
            kind = "block" if inside_function else _kind(text)
            inside_function += kind == "function"
            stack.append((kind, text, line))
            head = []
        elif character == "}":
            if not stack:
                return
            kind, text, start = stack.pop()
            if kind == "function":
                inside_function -= 1
                yield Function(_name(text), start, line - start + 1)
            # The declaration goes on behind an initialiser.
            head = [text, "{}"] if kind == "initialiser" else []
        elif character == ";":
            head = []
        else:
            head.append(character)
