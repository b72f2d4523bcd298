"""Counts the instructions of fixed requests under callgrind and compares them with recorded budgets.

A row fails when it needs more than its budget by MARGIN. When it needs less by SLACK the table asks to lower the budget, as it
would not notice the next regression. --update writes the counts as the new budgets; --keep DIR leaves the profiles for callgrind_annotate.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

MARGIN = 0.05
SLACK = 0.10

HEADER = """\
# Instructions of one request of each kind, protocol to SQLite, counted by callgrind in the release build: see README.md.
# tests/perf/instructions.py --update writes this file.
"""


def count(valgrind, program, folder):
    """Runs the program; {name: instructions of one request}."""
    command = [valgrind, "--tool=callgrind", "--instr-atstart=no", "--quiet",
               f"--callgrind-out-file={folder}/profile", str(program)]
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{program} ended with {run.returncode}")
    repetitions = {}
    for line in run.stdout.splitlines():
        name, number = line.split()
        repetitions[name] = int(number)
    totals = {}
    for path in folder.glob("profile*"):
        text = path.read_text(errors="replace")
        trigger = re.search(r"^desc: Trigger: Client Request: (\S+)", text, re.M)
        total = re.search(r"^(?:totals|summary): (\d+)", text, re.M)
        if trigger and total and trigger.group(1) in repetitions:
            name = trigger.group(1)
            totals[name] = int(total.group(1)) // repetitions[name]
            path.rename(folder / f"{name}.callgrind")
    return {name: totals[name] for name in repetitions}


def read_budgets(path):
    rows = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            name, number = line.split()
            rows[name] = int(number)
    return rows


def verdict(actual, budget):
    """Whether the row fails, and what to say about it."""
    if budget is None:
        return True, "has no budget"
    if actual > budget * (1 + MARGIN):
        return True, "exceeds its budget"
    if actual < budget * (1 - SLACK):
        return False, "lower the budget: --update"
    return False, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--valgrind", default="valgrind")
    parser.add_argument("--program", type=pathlib.Path, default="build/release/tests/perf/perf_requests")
    parser.add_argument("--budgets", type=pathlib.Path, default=pathlib.Path(__file__).parent / "budgets.txt")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        counts = count(arguments.valgrind, arguments.program, folder)
    budgets = read_budgets(arguments.budgets) if arguments.budgets.exists() else {}
    failed = False
    for name, actual in counts.items():
        budget = budgets.get(name)
        row_failed, remark = verdict(actual, budget)
        failed |= row_failed
        change = f"{100 * (actual / budget - 1):+6.1f} %" if budget else ""
        print(f"{name:20} {actual:10} {budget or 0:10} {change:>9}  {remark}")
    for name in budgets.keys() - counts.keys():
        print(f"{name:20} is not counted any more")
        failed = True
    if arguments.update:
        arguments.budgets.write_text(HEADER + "".join(f"{name} {number}\n" for name, number in counts.items()))
        return 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
