"""The rule that clang-format has nothing to say."""

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from tree import Tree, Violation

CLANG_FORMAT = "clang-format-14"
FILES_PER_RUN = 20


def clang_format(tree: Tree):
    """clang-format 14 would change nothing."""
    program = shutil.which(CLANG_FORMAT)
    if program is None:
        yield Violation(CLANG_FORMAT, 0, "is not installed: run tools/setup --tests")
        return
    paths = [file.path for file in tree.cpp()]
    groups = [paths[i : i + FILES_PER_RUN] for i in range(0, len(paths), FILES_PER_RUN)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for output in pool.map(lambda group: _check(tree, program, group), groups):
            reported = set()
            for path, line in re.findall(r"^(\S+?):(\d+):\d+: error", output, re.MULTILINE):
                if path not in reported:
                    reported.add(path)
                    yield Violation(path, int(line), "not formatted: run tools/format")


def _check(tree: Tree, program: str, group: list) -> str:
    command = [program, "--dry-run", "-Werror", *group]
    return subprocess.run(command, cwd=tree.root, capture_output=True, text=True).stderr
