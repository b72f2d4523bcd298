"""Rules about which file may include which: DESIGN of the folders, third-party libraries, headers."""

import re

from tree import Tree, Violation

# Top folders and what each may include besides itself; the map is in docs/ARCHITECTURE.md.
FOLDERS = {
    "base": set(),
    "bson": {"base"},
    "wire": {"base", "bson"},
    "engine": {"base", "bson"},
    "ttl": {"base", "bson", "engine"},
    "commands": {"base", "bson", "engine", "ttl"},
    "server": {"base", "bson", "wire", "engine", "ttl", "commands"},
}

# Sub-folders of engine/; each may include those before it. Files directly in engine/ come last.
ENGINE_ORDER = [
    "storage", "keys",
    "geo", "text", "stream", "expression", "query", "projection", "aggregate", "update",
    "catalog", "index", "collection", "plan", "exec", "cursor",
]
# These know the types of the key-value interface, not the stores behind it.
ENGINE_PURE = {"keys", "geo", "text", "stream", "expression", "query", "projection", "aggregate", "update"}
ENGINE_PURE_MAY_INCLUDE = {"engine/storage/kv.h"}

# A library's headers, and the folders that own it. Tests of those folders may include it too.
LIBRARIES = [
    ("SQLite", r"sqlite3(ext)?\.h$", ["engine/storage/sqlite/", "tests/engine/storage/"]),
    ("Asio", r"asio(\.hpp$|/)", ["wire/", "server/"]),
    ("libbson", r"(bson/)?bson(-[a-z0-9-]+)?\.h$|libbson|bcon\.h$", ["bson/"]),
    ("libmongoc", r"mongoc(/|\.h$)", ["tests/drivers/"]),
    ("Intel decimal", r"bid_(conf|functions)\.h$", ["bson/"]),
    ("spdlog", r"spdlog/", ["base/"]),
    ("CLI11", r"CLI/", ["server/"]),
    ("yaml-cpp", r"yaml-cpp/", ["server/"]),
    ("ICU", r"unicode/", ["engine/"]),
    ("PCRE2", r"pcre2", ["engine/"]),
    ("Snowball", r"libstemmer", ["engine/text/"]),
    ("S2", r"s2/", ["engine/geo/"]),
    ("zlib", r"zlib\.h$", ["wire/"]),
    ("snappy", r"snappy", ["wire/"]),
    ("zstd", r"zstd", ["wire/"]),
]


def _target_folder(tree: Tree, include: str):
    """The top folder of ours that an include names, or None for another's header."""
    folder = include.split("/")[0]
    if "/" not in include or folder not in FOLDERS and folder != "tests":
        return None
    return folder if include in tree.by_path else None


def folder_order(tree: Tree):
    """A top folder includes only the folders that its row of the table allows."""
    for file in tree.cpp():
        folder = file.parts[0]
        if len(file.parts) < 2:
            yield Violation(file.path, 0, "sources live in a folder")
            continue
        if folder not in FOLDERS:
            if folder not in ("tests", "tools"):
                yield Violation(file.path, 0, f"top folder {folder}/ is not in the table of folders")
            continue
        for line, include, quoted in file.includes():
            target = _target_folder(tree, include)
            if target is not None and not quoted:
                yield Violation(file.path, line, f"own header {include} goes in quotes")
            if target is not None and target != folder and target not in FOLDERS[folder]:
                yield Violation(file.path, line, f"{folder}/ may not include {include}")


def _engine_rank(parts: tuple):
    """The place in the order of a file below engine/, or None if its sub-folder has none."""
    if len(parts) == 2:
        return len(ENGINE_ORDER)
    return ENGINE_ORDER.index(parts[1]) if parts[1] in ENGINE_ORDER else None


def engine_order(tree: Tree):
    """A sub-folder of engine/ includes only itself and earlier ones; the pure ones know no store."""
    for file in tree.cpp():
        if file.parts[0] != "engine":
            continue
        rank = _engine_rank(file.parts)
        if rank is None:
            yield Violation(file.path, 0, f"engine/{file.parts[1]} is not in the order of sub-folders")
            continue
        for line, include, _ in file.includes():
            if not include.startswith("engine/"):
                continue
            parts = tuple(include.split("/"))
            other = _engine_rank(parts)
            if other is None:
                yield Violation(file.path, line, f"{include}: its folder is not in the order")
            elif other > rank:
                yield Violation(file.path, line, f"engine/{file.parts[1]} comes before {include}")
            elif (
                parts[1] == "storage"
                and file.parts[1] in ENGINE_PURE
                and include not in ENGINE_PURE_MAY_INCLUDE
            ):
                yield Violation(file.path, line, f"engine/{file.parts[1]} knows no storage but kv.h")


# Programs beside the server, which see it from outside.
_CLIENTS = ["tests/drivers/", "tools/bench/"]


def library_owners(tree: Tree):
    """A third-party library is included only by the folder that owns it, and by that folder's tests."""
    for file in tree.cpp():
        for line, include, _ in file.includes():
            if include in tree.by_path:
                continue
            for library, pattern, owners in LIBRARIES:
                allowed = owners + ["tests/" + owner for owner in owners] + _CLIENTS
                if re.match(pattern, include) and not file.path.startswith(tuple(allowed)):
                    yield Violation(file.path, line, f"{library} belongs to {', '.join(owners)}")


def own_header_first(tree: Tree):
    """x.cc includes x.h before anything else, which proves that x.h compiles alone."""
    for file in tree.cpp():
        own = file.path[: -len(".cc")] + ".h"
        if file.suffix != ".cc" or own not in tree.by_path:
            continue
        first = next(iter(file.includes()), (1, None, True))
        if first[1] != own:
            yield Violation(file.path, first[0], f'the first include is to be "{own}"')


def header_start(tree: Tree):
    """A header starts with a comment on its purpose, then #pragma once."""
    for file in tree.cpp():
        if file.suffix != ".h":
            continue
        if not file.text.startswith(("//", "/*")):
            yield Violation(file.path, 1, "the first line is to be a comment: what this header is")
        code = [line for line in file.code_lines if line.strip()]
        if not code or code[0].strip() != "#pragma once":
            yield Violation(file.path, 1, "the first line of code is to be #pragma once")


def folder_readme(tree: Tree):
    """Each top folder has a README.md."""
    folders = {file.parts[0] for file in tree.files if len(file.parts) > 1}
    for folder in sorted(folders):
        if not folder.startswith(".") and f"{folder}/README.md" not in tree.by_path:
            yield Violation(f"{folder}/README.md", 0, "is missing")
