#!/usr/bin/env python3
"""kill -9 in the middle of index builds, and creators of collections beside inserters; README.md says what is checked.

The kill waits until $currentOp shows the build, or the build has ended, so that no time is guessed.
"""
import argparse
import sys
import threading

from client import connect  # first: it finds the driver, and the folder of server.py
from server import Server, ServerError

from pymongo.errors import ConnectionFailure

DOCUMENTS = 60_000
BATCH = 5_000
ROUNDS = 3
CLIENTS = 16
COLLECTIONS_PER_CLIENT = 20
INSERTS_PER_CLIENT = 100


def require(holds, text):
    if not holds:
        raise AssertionError(text)


def check_valid(collection):
    report = collection.database.command("validate", collection.name, full=True)
    require(report["valid"] and not report["errors"], f"validate: {report}")
    return report


def killed_build(server, seen):
    """One build, killed as soon as it is seen under way; then the index is whole or gone, and can be made."""
    client = connect(server)
    collection = client["crash"]["built"]
    if "n_1" in collection.index_information():
        collection.drop_index("n_1")
    builder = connect(server)

    def build():
        try:
            builder["crash"]["built"].create_index("n")
        except ConnectionFailure:
            pass

    thread = threading.Thread(target=build, daemon=True)
    thread.start()
    while thread.is_alive():
        operations = client.admin.aggregate([{"$currentOp": {}}, {"$match": {"command.createIndexes": "built"}}])
        if list(operations):
            seen.append(1)
            break
    server.kill()
    thread.join()
    server.start()
    client = connect(server)
    collection = client["crash"]["built"]
    check_valid(collection)
    expected = list(range(DOCUMENTS))
    # The first write is what drops the index of a build that nobody continues.
    collection.insert_one({"_id": -1, "n": -1})
    collection.delete_one({"_id": -1})
    report = check_valid(collection)
    if "n_1" in collection.index_information():
        require(report["keysPerIndex"]["n_1"] == DOCUMENTS, f"half an index: {report['keysPerIndex']}")
    else:
        require("n_1" not in report["keysPerIndex"], "an index that is gone is still counted")
    collection.create_index("n")
    found = [one["n"] for one in collection.find({}, {"_id": 0, "n": 1}).sort("n", 1).hint("n_1")]
    require(found == expected, "reading along the index misses documents")


def create_beside_inserts(server):
    """No error reaches a client, and the totals are right."""
    errors = []

    def guarded(work, number):
        try:
            with connect(server) as client:
                work(client["parallel"], number)
        except Exception as error:  # pylint: disable=broad-except
            errors.append(f"{work.__name__} {number}: {error!r}")

    def create(database, number):
        for i in range(COLLECTIONS_PER_CLIENT):
            collection = database.create_collection(f"made_{number}_{i}")
            collection.create_index("n", unique=True)
            collection.create_index([("a", 1), ("b", -1)])

    def insert(database, number):
        for i in range(INSERTS_PER_CLIENT):
            database["shared"].insert_one({"client": number, "n": i})

    threads = [threading.Thread(target=guarded, args=(work, number)) for number in range(CLIENTS)
               for work in (create, insert)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    require(not errors, f"errors reached clients: {errors[:3]}")
    database = connect(server)["parallel"]
    names = database.list_collection_names()
    require(len(names) == CLIENTS * COLLECTIONS_PER_CLIENT + 1, f"{len(names)} collections")
    for name in names:
        if name != "shared":
            indexes = list(database[name].index_information())
            require(indexes == ["_id_", "n_1", "a_1_b_-1"], f"{name}: {indexes}")
    require(database["shared"].count_documents({}) == CLIENTS * INSERTS_PER_CLIENT, "documents are missing")
    check_valid(database["shared"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    server = Server(parser.parse_args().server)
    try:
        with server:
            create_beside_inserts(server)
            collection = connect(server)["crash"]["built"]
            for first in range(0, DOCUMENTS, BATCH):
                collection.insert_many([{"_id": i, "n": i} for i in range(first, first + BATCH)])
            seen = []
            for _ in range(ROUNDS):
                killed_build(server, seen)
            server.stop()
            print(f"held; {len(seen)} of {ROUNDS} builds were killed under way")
    except (AssertionError, ServerError) as error:
        print(f"FAILED: {error}")
        server.print_log(30)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
