"""Checks the tree against the project's rules. Usage: lint.py [--root DIR] [--list] [RULE ...]"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True

import rules_docs
import rules_format
import rules_layout
import rules_size
import rules_text
from tree import Tree

RULES = {
    rule.__name__: rule
    for rule in [
        rules_layout.folder_order,
        rules_layout.engine_order,
        rules_layout.library_owners,
        rules_layout.own_header_first,
        rules_layout.header_start,
        rules_layout.folder_readme,
        rules_size.file_size,
        rules_size.function_size,
        rules_text.clock,
        rules_text.sleep,
        rules_text.todo,
        rules_text.registry_hosts,
        rules_text.stray_words,
        rules_docs.differences,
        rules_docs.links,
        rules_format.clang_format,
    ]
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Checks the tree against the project's rules.")
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parents[2], help="the tree to check")
    parser.add_argument("--list", action="store_true", help="name the rules and end")
    parser.add_argument("rules", nargs="*", metavar="RULE", help="rules to check; default: all")
    options = parser.parse_args()
    if options.list:
        for name, rule in RULES.items():
            print(f"{name:<18} {rule.__doc__}")
        return 0
    unknown = [name for name in options.rules if name not in RULES]
    if unknown:
        parser.error(f"no rule {unknown[0]}; --list names them")
    tree = Tree(options.root)
    count = 0
    for name in options.rules or RULES:
        for violation in RULES[name](tree):
            print(f"{violation}  [{name}]")
            count += 1
    print(f"lint: {len(tree.files)} files, {count} violations")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
