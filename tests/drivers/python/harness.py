"""What the scenarios share: the client, fresh collections, the server's clock, expected failures, the launcher."""
import os

from pymongo import MongoClient, monitoring
from pymongo.errors import OperationFailure


class Commands(monitoring.CommandListener):
    """Keeps every command sent."""

    def __init__(self):
        self.sent = []

    def started(self, event):
        self.sent.append(event)

    def succeeded(self, event):
        pass

    def failed(self, event):
        pass


class Context:
    def __init__(self, uri):
        self.commands = Commands()
        self.client = MongoClient(uri, event_listeners=[self.commands], serverSelectionTimeoutMS=20000)
        self.db = self.client["drivers"]

    def fresh(self, name):
        self.db.drop_collection(name)
        return self.db[name]

    def advance(self, seconds):
        self.client.admin.command("setClock", {"advanceMS": seconds * 1000})

    def removal(self, enabled):
        """Stops and starts the removal of expired documents; hiding goes on."""
        self.client.admin.command("setParameter", 1, ttlMonitorEnabled=enabled)


def ids(collection):
    return [document["_id"] for document in collection.find({}, {"_id": 1}).sort("_id", 1)]


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"{actual!r}, expected {expected!r}")


def fails(code, operation):
    """The server error that the operation must end with."""
    try:
        operation()
    except OperationFailure as error:
        equal(error.code, code)
        return error
    raise AssertionError(f"succeeded, expected error {code}")


def restart_server():
    print("@restart", flush=True)
    with open(os.environ["MAYFLY_ANSWERS"], encoding="utf-8") as answers:
        equal(answers.read(), "restarted\n")


def run_all(context, scenarios):
    failed = 0
    for scenario in scenarios:
        try:
            scenario(context)
            print(f"ok {scenario.__name__}", flush=True)
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            trace = error.__traceback__
            while trace.tb_next and trace.tb_next.tb_frame.f_code.co_filename.endswith(("ttl.py", "crud.py")):
                trace = trace.tb_next
            text = " ".join(f"{type(error).__name__} {error}".split())
            print(f"not ok {scenario.__name__}: line {trace.tb_lineno}: {text}", flush=True)
    return failed
