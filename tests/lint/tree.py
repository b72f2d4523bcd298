"""The project's files as the lint rules see them: paths, texts, and C++ with comments and literals blanked out."""

import functools
import pathlib
import re
import subprocess
from dataclasses import dataclass

CPP_SUFFIXES = {".cc", ".h"}
SCRIPT_SUFFIXES = {".py", ".js", ".mjs", ".cjs", ".java", ".cs", ".sh"}
NEVER_WALKED = {".git", "build", "data", "node_modules", "__pycache__"}


@dataclass(frozen=True)
class Violation:
    """One breach of a rule. `line` is 0 where it is about the file as a whole."""

    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}" if self.line else f"{self.path}: {self.text}"


class SourceFile:
    """A file of the tree; contents are read when first asked for."""

    def __init__(self, root: pathlib.Path, path: str):
        self.path = path
        self._full = root / path

    @property
    def suffix(self) -> str:
        return pathlib.PurePosixPath(self.path).suffix

    @property
    def name(self) -> str:
        return pathlib.PurePosixPath(self.path).name

    @property
    def parts(self) -> tuple:
        return pathlib.PurePosixPath(self.path).parts

    @property
    def is_cpp(self) -> bool:
        return self.suffix in CPP_SUFFIXES

    @functools.cached_property
    def text(self) -> str:
        """The contents, or an empty string for a binary file."""
        try:
            return self._full.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            return ""

    @functools.cached_property
    def lines(self) -> list:
        return self.text.splitlines()

    @functools.cached_property
    def code(self) -> str:
        """C++ without comments and without the insides of literals; the same number of lines."""
        return blank_comments_and_literals(self.text)

    @functools.cached_property
    def code_lines(self) -> list:
        return self.code.split("\n")

    def includes(self):
        """Yields (line number, name as written between the quotes or brackets, True if quoted)."""
        for number, line in enumerate(self.lines, 1):
            match = re.match(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', line)
            if match:
                yield number, match.group(1) or match.group(2), match.group(1) is not None


class Tree:
    """All files that are, or would be, under version control."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.files = [SourceFile(self.root, path) for path in sorted(self._paths())]
        self.by_path = {file.path: file for file in self.files}

    def _paths(self):
        if (self.root / ".git").exists():
            command = ["git", "-C", str(self.root), "ls-files", "-z", "-co", "--exclude-standard"]
            listed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
            return [p for p in set(listed.split("\0")) if p and (self.root / p).is_file()]
        paths = (p.relative_to(self.root) for p in self.root.rglob("*") if p.is_file())
        return [p.as_posix() for p in paths if not NEVER_WALKED.intersection(p.parts)]

    def cpp(self):
        return [file for file in self.files if file.is_cpp]

    def scripts(self):
        return [file for file in self.files if file.suffix in SCRIPT_SUFFIXES]


# In this order: what starts first wins.
_LITERALS = re.compile(
    r"""
      //[^\n]*                                  # comment to the end of the line
    | /\*.*?\*/                                 # block comment
    | (?:u8|u|U|L)?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"
    | "(?:\\.|[^"\\\n])*"
    | \b\d(?:[\w.]|'(?=\w))*                    # a number, so that its separators open no character literal
    | '(?:\\.|[^'\\\n])*'
    """,
    re.VERBOSE | re.DOTALL,
)


def blank_comments_and_literals(text: str) -> str:
    """Replaces comments by blanks and literals by empty ones, keeping every newline where it is."""

    def replacement(match):
        found = match.group(0)
        newlines = "\n" * found.count("\n")
        if found.startswith(("//", "/*")):
            return " " + newlines
        if found.endswith('"'):
            return '""' + newlines
        if found.startswith("'"):
            return "''"
        return found

    return _LITERALS.sub(replacement, text)
