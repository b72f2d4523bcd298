#!/usr/bin/env python3
"""Runs one driver's program against a server of its own: installs what the program needs, starts the server, passes the
URI on, restarts the server when the program asks for it, and compares what was reported with scenarios.txt.

The program is told by environment variables where to connect (MAYFLY_URI, and MAYFLY_URIS for other spellings of the
same server, one a line) and writes to its standard output:
  ok NAME             a scenario held
  not ok NAME: WHY    it did not
  @restart            restart the server, in order or by kill -9, and write a line to the named pipe MAYFLY_ANSWERS, which the
                      program reads to its end (standard input is not used: mongosh reads it for itself)
Every other line is passed through. Exit code 77 means that the driver's toolchain is absent.
"""
import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import Server, ServerError  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
RUN_SECONDS_MAX = 300
INSTALL_LINES_MAX = 30
# Both ways in which a driver looks at a server, and both ways in which a server goes away.
MODES = [
    {"name": "discovered", "options": "", "restart": "stop"},
    {"name": "direct", "options": "?directConnection=true", "restart": "kill"},
]


class Skip(Exception):
    """The toolchain is absent; the text says what is missing."""


def expected_scenarios():
    with open(os.path.join(HERE, "scenarios.txt"), encoding="utf-8") as lines:
        return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def load_driver(name):
    with open(os.path.join(HERE, name, "driver.json"), encoding="utf-8") as text:
        return json.load(text)


def fill(words, places):
    return [word.format(**places) for word in words]


def check_needs(driver):
    for program in driver.get("programs", []):
        if not shutil.which(program):
            raise Skip(f"{program} is not installed")
    for path in driver.get("files", []):
        if not os.path.exists(path):
            raise Skip(f"{path} is not installed")
    probe = driver.get("probe")
    if probe and subprocess.run(probe["command"], capture_output=True, check=False).returncode != 0:
        raise Skip(probe["missing"])


def source_files(name, driver):
    for folder in [name] + driver.get("shares", []):
        for entry in sorted(os.listdir(os.path.join(HERE, folder))):
            path = os.path.join(HERE, folder, entry)
            if os.path.isfile(path) and entry != "driver.json":
                yield path


def install(name, driver, build, places):
    """Copies the program into the build folder and runs the install steps there, unless nothing changed since the last time."""
    files = list(source_files(name, driver))
    digest = hashlib.sha256(json.dumps(driver).encode())
    for path in files:
        with open(path, "rb") as content:
            digest.update(path.encode() + b"\0" + content.read())
    stamp = os.path.join(build, "installed")
    if os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as text:
            if text.read() == digest.hexdigest():
                return
        os.remove(stamp)
    os.makedirs(build, exist_ok=True)
    for path in files:
        shutil.copy(path, build)
    for step in driver.get("install", []):
        command = fill(step["command"], places)
        print("install:", " ".join(command), flush=True)
        done = subprocess.run(command, cwd=build, env=environment(driver, places), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            print("\n".join(done.stdout.splitlines()[-INSTALL_LINES_MAX:]), flush=True)
            if "unreached" in step:
                raise Skip(step["unreached"])
            raise SystemExit(f"driver/{name}: the install step failed with {done.returncode}")
    with open(stamp, "w", encoding="utf-8") as text:
        text.write(digest.hexdigest())


def environment(driver, places):
    result = dict(os.environ)
    for key, value in driver.get("environment", {}).items():
        result[key] = value.format(**places)
    return result


def answer(program, pipe):
    """Writes the answer when the program has opened the pipe; gives up when the program has ended."""
    while program.poll() is None:
        try:
            writer = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.01)
            continue
        os.write(writer, b"restarted\n")
        os.close(writer)
        return


def run_program(command, variables, build, server, mode):
    """Runs the program to its end; returns what it reported, a text (empty: held) for each scenario, and its exit code."""
    program = subprocess.Popen(command, cwd=build, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace")
    watchdog = threading.Timer(RUN_SECONDS_MAX, program.kill)
    watchdog.start()
    reports = {}
    try:
        for line in program.stdout:
            line = line.rstrip("\n")
            if line == "@restart":
                server.stop() if mode["restart"] == "stop" else server.kill()
                server.start()
                answer(program, variables["MAYFLY_ANSWERS"])
                continue
            print(f"  {line}", flush=True)
            if line.startswith("ok "):
                reports.setdefault(line[3:].strip(), "")
            elif line.startswith("not ok "):
                name, _, why = line[7:].partition(":")
                reports[name.strip()] = why.strip() or "failed"
        return reports, program.wait()
    finally:
        watchdog.cancel()
        if program.poll() is None:
            program.kill()
            program.wait()


def judge(reports, code, expected):
    """The faults of one run, as lines."""
    faults = [f"{name}: {why}" for name, why in reports.items() if why]
    missing = [name for name in expected if name not in reports]
    if missing:
        faults.append(f"not reported: {', '.join(missing)}")
    if code != 0 and (missing or not faults):
        faults.append(f"the program ended with {code}")
    return faults


def run_mode(args, driver, places, mode, expected):
    print(f"driver/{args.name}, {mode['name']}", flush=True)
    with Server(args.server) as server:
        variables = environment(driver, places)
        variables["MAYFLY_URI"] = server.uri(options=mode["options"])
        variables["MAYFLY_URIS"] = "\n".join([server.uri(), server.uri(options="?directConnection=true"),
                                              server.uri(options="?replicaSet=globaldb"), server.uri(host="localhost")])
        variables["MAYFLY_ANSWERS"] = os.path.join(server.folder, "answers.pipe")
        os.mkfifo(variables["MAYFLY_ANSWERS"])
        try:
            reports, code = run_program(fill(driver["run"], {**places, "uri": variables["MAYFLY_URI"]}), variables,
                                        args.build, server, mode)
            faults = judge(reports, code, expected)
            server.stop()
        except ServerError as error:
            faults = [str(error)]
        if faults:
            server.print_log()
        return [f"{mode['name']}: {fault}" for fault in faults]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", required=True, help="the driver's folder")
    parser.add_argument("--server", required=True, help="the mayfly binary")
    parser.add_argument("--build", required=True, help="the folder to install and build in")
    parser.add_argument("--program", default="", help="the program that CMake has built, for drivers that have one")
    parser.add_argument("--install-only", action="store_true", help="prepare the program, start nothing")
    args = parser.parse_args()
    driver = load_driver(args.name)
    places = {"build": args.build, "program": args.program}
    try:
        check_needs(driver)
        if "{program}" in driver["run"] and not args.program:
            raise Skip(driver["missing"])
        install(args.name, driver, args.build, places)
    except Skip as reason:
        print(f"SKIPPED driver/{args.name}: {reason}", flush=True)
        return SKIPPED
    if args.install_only:
        return 0
    expected = expected_scenarios()
    try:
        faults = [fault for mode in MODES for fault in run_mode(args, driver, places, mode, expected)]
    except ServerError as error:
        faults = [str(error)]
    for fault in faults:
        print(f"FAILED driver/{args.name}: {fault}")
    total = len(MODES) * len(expected)
    print(f"driver/{args.name}: {total} scenarios, {len(faults)} faults", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
