"""A mayfly process that a test owns: started on a free port, restarted on the same port and folder, stopped and judged.

Not thread-safe, except that the log is collected by a thread of its own.
"""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading

LISTENING = re.compile(r"listening on mongodb://[^:/\s]+:(\d+)")
SANITIZER = re.compile(r"(AddressSanitizer|ThreadSanitizer|LeakSanitizer|UndefinedBehaviorSanitizer|runtime error:)")
START_SECONDS_MAX = 60
STOP_SECONDS_MAX = 30


class ServerError(Exception):
    """The server did not start, ended by itself, ended badly, or a sanitizer spoke."""


class Server:
    def __init__(self, binary, options=()):
        self.binary = binary
        self.options = list(options)
        self.folder = tempfile.mkdtemp(prefix="mayfly-test-")
        self.port = 0
        self.log = []
        self._process = None
        self._reader = None
        self._listening = None

    def __enter__(self):
        try:
            self.start()
        except ServerError:
            self.print_log()
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self._process and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def pid(self):
        return self._process.pid

    def uri(self, host="127.0.0.1", options=""):
        return f"mongodb://{host}:{self.port}/{options}"

    def start(self):
        """Starts on the port of the last start (a free one at first); returns when the server listens."""
        command = [self.binary, "--dbpath", self.folder, "--port", str(self.port), "--enableTestCommands"]
        command += self.options
        self._listening = threading.Event()
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, text=True, errors="replace")
        self._reader = threading.Thread(target=self._collect, args=(self._process,), daemon=True)
        self._reader.start()
        if not self._listening.wait(START_SECONDS_MAX) or not self.port:
            raise ServerError(f"the server did not say where it listens: {' '.join(command)}")

    def _collect(self, process):
        for line in process.stdout:
            self.log.append(line.rstrip("\n"))
            found = LISTENING.search(line)
            if found:
                self.port = int(found.group(1))
                self._listening.set()
        self._listening.set()

    def stop(self):
        """An orderly stop; raises ServerError when it is none."""
        if self._process.poll() is not None:
            self._reader.join()
            raise ServerError(f"the server ended by itself with {self._process.returncode}")
        self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise ServerError(f"the server did not stop within {STOP_SECONDS_MAX} s of SIGTERM") from None
        self._reader.join()
        if code != 0:
            raise ServerError(f"the server ended with {code}")
        self.check_log()

    def kill(self):
        """kill -9; raises ServerError when the server had already ended."""
        if self._process.poll() is not None:
            self._reader.join()
            raise ServerError(f"the server ended by itself with {self._process.returncode}")
        self._process.kill()
        self._process.wait()
        self._reader.join()
        self.check_log()

    def check_log(self):
        for line in self.log:
            if SANITIZER.search(line):
                raise ServerError(f"a sanitizer reported: {line}")

    def print_log(self, lines_max=200):
        print(f"--- the server's log (last {lines_max} lines)")
        for line in self.log[-lines_max:]:
            print("   ", line)
        print("---", flush=True)
