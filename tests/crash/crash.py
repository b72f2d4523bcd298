#!/usr/bin/env python3
"""Rounds of kill -9 during concurrent inserts, updates, deletes and a purge; README.md says what is checked."""
import argparse
import os
import random
import sys
import threading
import time

from client import connect  # first: it finds the driver, and the folder of server.py
from ledger import Ledger
from server import Server, ServerError

from pymongo.errors import ConnectionFailure, PyMongoError
from pymongo.write_concern import WriteConcern

WRITERS = 4
RULE_SECONDS = 1
EXPIRING_PER_ROUND = 2000
BATCH = 50
IDS_PER_WRITER = 100_000_000
# The kill comes at a random moment in this range, so that the purge, which starts after RULE_SECONDS, is often under way.
KILL_AFTER_MIN = 0.7
KILL_AFTER_MAX = 1.4
REMOVAL_SECONDS_MAX = 30


class Writer(threading.Thread):
    """Inserts, updates and deletes documents of its own until the server is gone; its ledger knows what was acknowledged."""

    def __init__(self, number, ledger, first_id, seed, server):
        super().__init__(daemon=True)
        self.ledger = ledger
        self.next_id = first_id
        self.error = None
        self._random = random.Random(seed)
        self._client = connect(server)
        # Every other writer waits for the journal.
        concern = WriteConcern(w=1, j=number % 2 == 1)
        self._collection = self._client["crash"].get_collection("ledger", write_concern=concern)
        self._live = ledger.live()[-500:]

    def run(self):
        try:
            while True:
                self._step()
        except ConnectionFailure:
            pass  # The server was killed.
        except (PyMongoError, AssertionError) as error:
            self.error = f"writer: {type(error).__name__}: {error}"
        finally:
            self._client.close()

    def _new(self, count):
        ids = range(self.next_id, self.next_id + count)
        self.next_id += count
        return list(ids)

    def _step(self):
        choice = self._random.random()
        if choice < 0.35 or len(self._live) < 10:
            self._insert(self._new(1))
        elif choice < 0.45:
            self._insert(self._new(20))
        elif choice < 0.9:
            self._update(self._random.choice(self._live))
        else:
            self._remove(self._live.pop(self._random.randrange(len(self._live))))

    def _insert(self, ids):
        self.ledger.begin(ids, lambda _: 0)
        self._collection.insert_many([{"_id": one, "n": one, "v": 0, "tag": f"tag {one % 7}", "text": "x" * 200} for one in ids])
        self.ledger.acknowledge(ids)
        self._live += ids

    def _update(self, one):
        self.ledger.begin([one], lambda v: v + 1)
        tag = self._random.randrange(7)
        result = self._collection.update_one({"_id": one}, {"$inc": {"v": 1}, "$set": {"tag": f"tag {tag}"}})
        if result.matched_count != 1:
            raise AssertionError(f"document {one} was acknowledged and is not found")
        self.ledger.acknowledge([one])

    def _remove(self, one):
        self.ledger.begin([one], lambda _: None)
        self._collection.delete_one({"_id": one})
        self.ledger.acknowledge([one])


class Expiring(threading.Thread):
    """Inserts documents under the collection's rule, so that a purge is under way when the kill comes."""

    def __init__(self, round_number, server):
        super().__init__(daemon=True)
        self.last_due = 0
        self.count = 0
        self._round = round_number
        self._client = connect(server)

    def run(self):
        collection = self._client["crash"]["expiring"]
        try:
            for start in range(0, EXPIRING_PER_ROUND, BATCH):
                documents = [{"_id": f"{self._round}.{start + i}", "round": self._round, "text": "y" * 200} for i in range(BATCH)]
                self.last_due = time.time() + 3600
                collection.insert_many(documents)
                # The last write was not later than this moment.
                self.last_due = time.time() + RULE_SECONDS
                self.count += BATCH
        except PyMongoError:
            self.last_due = time.time() + RULE_SECONDS
        finally:
            self._client.close()


def prepare(client):
    database = client["crash"]
    database["ledger"].create_index("n", unique=True)
    database["ledger"].create_index([("tag", 1), ("v", -1)])
    database["expiring"].create_index("_ts", expireAfterSeconds=RULE_SECONDS)
    database["expiring"].create_index("round")


def check_validate(database, name):
    reply = database.command("validate", name, full=True)
    if not reply["valid"] or reply.get("errors"):
        return [f"validate {name}: {reply}"]
    return []


def check_indexes(collection):
    """Reading along each index finds what the scan finds."""
    faults = []
    plain = {document["_id"] for document in collection.find({}, {"_id": 1}).hint([("$natural", 1)])}
    for index in ["n_1", "tag_1_v_-1"]:
        found = [document["_id"] for document in collection.find({}, {"_id": 1}).hint(index)]
        if len(found) != len(plain) or set(found) != plain:
            faults.append(f"index {index}: {len(found)} entries, {len(plain)} documents")
    return faults


def check_round(client, ledgers, last_due, full):
    database = client["crash"]
    touched = [one for ledger in ledgers for one in ledger.touched]
    found = {document["_id"]: document["v"] for document in database["ledger"].find({"_id": {"$in": touched}}, {"v": 1})}
    faults = [fault for ledger in ledgers for fault in ledger.settle(found)]
    faults += check_validate(database, "ledger") + check_validate(database, "expiring")
    if full:
        faults += check_indexes(database["ledger"])
    now = time.time()
    back = database["expiring"].count_documents({})
    if now >= last_due and back:
        faults.append(f"{back} expired documents are back")
    return faults


def check_removed(client):
    """What has expired is gone from the disk within a bounded time."""
    database = client["crash"]
    end = time.monotonic() + REMOVAL_SECONDS_MAX
    left = -1
    while time.monotonic() < end:
        left = database.command("ttlStatus", "expiring")["backlog"]["documents"]
        if left == 0:
            return []
        time.sleep(0.2)
    return [f"{left} expired documents are still on disk after {REMOVAL_SECONDS_MAX} s"]


def run_round(server, number, ledgers, chance):
    """One round of load, killed at a random moment; returns what the writers complain about and the expiring part."""
    expiring = Expiring(number, server)
    writers = []
    for writer, ledger in enumerate(ledgers):
        first = max(ledger.states, default=writer * IDS_PER_WRITER - 1) + 1
        writers.append(Writer(writer, ledger, first, chance.getrandbits(32), server))
    for thread in [expiring] + writers:
        thread.start()
    time.sleep(chance.uniform(KILL_AFTER_MIN, KILL_AFTER_MAX))
    server.kill()
    for thread in [expiring] + writers:
        thread.join(30)
    errors = [writer.error for writer in writers if writer.error]
    return errors, expiring


def rounds(server, count, chance, log):
    ledgers = [Ledger() for _ in range(WRITERS)]
    faults = []
    client = connect(server)
    prepare(client)
    for number in range(count):
        client.close()
        faults, expiring = run_round(server, number, ledgers, chance)
        touched = sum(len(ledger.touched) for ledger in ledgers)
        started = time.monotonic()
        server.start()
        up = time.monotonic() - started
        client = connect(server)
        wait = expiring.last_due - time.time()
        if wait > 0:
            time.sleep(wait)
        faults += check_round(client, ledgers, expiring.last_due, full=number % 10 == 9 or number == count - 1)
        log(f"round {number}: {touched} documents touched, {expiring.count} expiring, up again in {up * 1000:.0f} ms, {len(faults)} faults")
        if faults or not touched:
            return faults or ["no writer wrote anything"]
    faults = check_removed(client)
    client.close()
    return faults


def run(args, count):
    with Server(args.server) as server:
        try:
            faults = rounds(server, count, random.Random(args.seed), lambda line: print(line, flush=True))
            if not faults:
                server.stop()
        except (ServerError, PyMongoError, AssertionError) as error:
            faults = [f"{type(error).__name__}: {error}"]
        for fault in faults[:20]:
            print(f"FAILED crash/kill_9: {fault}", flush=True)
        if faults:
            server.print_log()
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    args = parser.parse_args()
    count = int(os.environ.get("MAYFLY_CRASH_ROUNDS", args.rounds))
    print(f"seed {args.seed}, {count} rounds", flush=True)
    try:
        return run(args, count)
    except ServerError as error:
        print(f"FAILED crash/kill_9: {error}", flush=True)
        return 1


if __name__ == "__main__":
    sys.exit(main())
