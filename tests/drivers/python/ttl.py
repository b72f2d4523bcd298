"""Expiry by last write, as a user of Cosmos DB's API for MongoDB writes it."""
from contextlib import contextmanager

from bson.int64 import Int64

from harness import equal, fails, ids


def ttl_index_reply(context):
    context.fresh("reply")

    def create(seconds):
        index = {"key": {"_ts": 1}, "name": "_ts_1", "expireAfterSeconds": seconds}
        return context.db.command("createIndexes", "reply", indexes=[index])

    first = create(10)
    equal((first["numIndexesBefore"], first["numIndexesAfter"]), (1, 2))
    equal((first["createdCollectionAutomatically"], first["ok"]), (True, 1))
    again = create(10)
    equal((again["numIndexesBefore"], again["numIndexesAfter"]), (2, 2))
    equal(again["note"], "all indexes already exist")
    fails(85, lambda: create(11))


def ttl_index_values(context):
    collection = context.fresh("values")
    for value in [0, -2, 2147483648, float("nan"), float("inf")]:
        fails(67, lambda: collection.create_index("_ts", expireAfterSeconds=value))
    fails(67, lambda: collection.create_index([("_ts", 1), ("a", 1)], expireAfterSeconds=10))
    for value in [-1, 1, 3.9, Int64(2147483647)]:
        equal(collection.create_index("_ts", expireAfterSeconds=value), "_ts_1")
        index = list(collection.list_indexes())[1]
        equal(index["key"].to_dict(), {"_ts": 1})
        equal(index["expireAfterSeconds"], int(value))
        collection.drop_index("_ts_1")


def ttl_valid_documents(context):
    collection = context.fresh("valid")
    collection.create_index("_ts", expireAfterSeconds=1000)
    for number, ttl in enumerate([20.0, 20, Int64(20)]):
        collection.insert_one({"_id": number, "location": "Paris", "ttl": ttl})
    context.advance(10)
    equal(ids(collection), [0, 1, 2])
    context.advance(10)
    equal(ids(collection), [])
    equal(collection.count_documents({}), 0)


def ttl_invalid_documents(context):
    collection = context.fresh("invalid")
    collection.create_index("_ts", expireAfterSeconds=60)
    collection.insert_one({"_id": 1, "location": "Paris", "ttl": 20.5})
    collection.insert_one({"_id": 2, "location": "Paris", "ttl": Int64(2147483649)})
    context.advance(30)
    equal(list(collection.find({}, {"location": 0})), [{"_id": 1, "ttl": 20.5}, {"_id": 2, "ttl": 2147483649}])
    context.advance(30)
    equal(ids(collection), [])


def ttl_table(context):
    collections = []
    for number, rule in enumerate([None, -1, 40]):
        collection = context.fresh(f"table_{number}")
        if rule is not None:
            collection.create_index("_ts", expireAfterSeconds=rule)
        collection.insert_many([{"_id": "absent"}, {"_id": "never", "ttl": -1}, {"_id": "twenty", "ttl": 20}])
        collections.append(collection)
    every = ["absent", "never", "twenty"]
    for seconds, expected in [
        (10, [every, every, every]),
        (15, [every, ["absent", "never"], ["absent", "never"]]),
        (20, [every, ["absent", "never"], ["never"]]),
        (3600, [every, ["absent", "never"], ["never"]]),
    ]:
        context.advance(seconds)
        equal([ids(collection) for collection in collections], expected)


@contextmanager
def without_removal(context):
    """Nothing is removed meanwhile, so that what is hidden can come back."""
    context.removal(False)
    try:
        yield
    finally:
        context.removal(True)


def ttl_change_rule(context):
    collection = context.fresh("change")
    collection.create_index("_ts", expireAfterSeconds=20)

    def change(seconds):
        return context.db.command("collMod", "change", index={"keyPattern": {"_ts": 1}, "expireAfterSeconds": seconds})

    with without_removal(context):
        collection.insert_one({"_id": 1})
        context.advance(30)
        equal(collection.count_documents({}), 0)
        reply = change(1000)
        equal((reply["expireAfterSeconds_old"], reply["expireAfterSeconds_new"]), (20, 1000))
        equal(collection.count_documents({}), 1)
        change(25)
        equal(collection.count_documents({}), 0)
        change(-1)
        equal(collection.count_documents({}), 1)


def ttl_drop_rule(context):
    collection = context.fresh("drop")
    collection.create_index("_ts", expireAfterSeconds=20)
    with without_removal(context):
        collection.insert_many([{"_id": 1}, {"_id": 2, "ttl": 5}])
        context.advance(30)
        equal(ids(collection), [])
        equal(context.db.command("dropIndexes", "drop", index="_ts_1")["nIndexesWas"], 2)
        equal(ids(collection), [1, 2])


def ttl_reads(context):
    collection = context.fresh("reads")
    collection.create_index("_ts", expireAfterSeconds=20)
    collection.insert_many([{"_id": 1}, {"_id": 2}, {"_id": 3}, {"_id": 4, "ttl": -1}, {"_id": 5, "ttl": -1}])
    context.advance(30)
    equal(ids(collection), [4, 5])
    equal(collection.find_one({"_id": 1}), None)
    equal(context.db.command("count", "reads")["n"], 2)
    equal(context.db.command("count", "reads", query={"_id": {"$lt": 5}})["n"], 1)
    equal(collection.count_documents({}), 2)
    equal(collection.estimated_document_count(), 2)
    equal(collection.distinct("_id"), [4, 5])
    equal(list(collection.aggregate([{"$group": {"_id": None, "n": {"$sum": 1}}}])), [{"_id": None, "n": 2}])
    equal(collection.update_one({"_id": 1}, {"$set": {"a": 1}}).matched_count, 0)
    equal(collection.delete_one({"_id": 2}).deleted_count, 0)
    equal(collection.update_one({"_id": 3}, {"$set": {"a": 1}}, upsert=True).upserted_id, 3)
    collection.insert_one({"_id": 1})
    equal(ids(collection), [1, 3, 4, 5])


def ttl_removal(context):
    def removed():
        return context.client.admin.command("serverStatus")["metrics"]["ttl"]["deletedDocuments"]

    collection = context.fresh("removal")
    collection.create_index("_ts", expireAfterSeconds=20)
    collection.insert_many([{"_id": number} for number in range(50)])
    before = removed()
    context.advance(30)
    equal(context.client.admin.command("ttlRunNow")["removed"] >= 0, True)
    equal(collection.count_documents({}), 0)
    equal(removed() >= before + 50, True)


SCENARIOS = [
    ttl_index_reply, ttl_index_values, ttl_valid_documents, ttl_invalid_documents, ttl_table, ttl_change_rule,
    ttl_drop_rule, ttl_reads, ttl_removal,
]
