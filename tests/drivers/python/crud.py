"""Connections, documents, cursors, bulk writes, sessions."""
import os

from bson.int64 import Int64
from pymongo import DeleteOne, InsertOne, MongoClient, ReplaceOne, ReturnDocument, UpdateOne
from pymongo.errors import BulkWriteError

from harness import equal, fails, ids, restart_server


def connect(context):
    for uri in os.environ["MAYFLY_URIS"].split("\n"):
        with MongoClient(uri, serverSelectionTimeoutMS=10000) as client:
            equal(client.admin.command("ping")["ok"], 1)
            hello = client.admin.command("hello")
            equal((hello["isWritablePrimary"], hello["setName"]), (True, "globaldb"))


def restart(context):
    collection = context.fresh("restart")
    collection.create_index("n", unique=True)
    collection.create_index("_ts", expireAfterSeconds=100)
    collection.insert_many([{"_id": i, "n": i, "text": "x" * 100} for i in range(500)])
    restart_server()
    equal(collection.count_documents({}), 500)
    equal(len(collection.find_one({"n": 499})["text"]), 100)
    equal([index["name"] for index in collection.list_indexes()], ["_id_", "n_1", "_ts_1"])
    fails(11000, lambda: collection.insert_one({"_id": 500, "n": 7}))
    collection.insert_one({"_id": 500, "n": 500})
    equal(collection.count_documents({}), 501)
    context.advance(101)
    equal(collection.count_documents({}), 0)


def crud_cursor(context):
    collection = context.fresh("cursor")
    documents = [{"_id": i, "n": i % 10, "text": f"document {i}"} for i in range(1000)]
    equal(len(collection.insert_many(documents).inserted_ids), 1000)
    context.commands.sent.clear()
    equal(list(collection.find(batch_size=100).sort("_id", 1)), documents)
    batches = sum(event.command_name == "getMore" for event in context.commands.sent)
    equal(9 <= batches <= 10, True)
    some = list(collection.find({"n": {"$gte": 8}}, batch_size=7).sort("_id", -1).skip(1).limit(50))
    equal((len(some), some[0]["_id"]), (50, 998))
    stages = [{"$match": {"n": {"$lt": 3}}}, {"$group": {"_id": "$n", "n": {"$sum": 1}}}, {"$sort": {"_id": 1}}]
    equal(list(collection.aggregate(stages)), [{"_id": i, "n": 100} for i in range(3)])
    left = collection.find(batch_size=10)
    next(left)
    left.close()
    equal(collection.update_many({"n": 3}, {"$inc": {"n": 100}}).modified_count, 100)
    equal(collection.replace_one({"_id": 0}, {"text": "new"}).modified_count, 1)
    equal(collection.find_one({"_id": 0}), {"_id": 0, "text": "new"})
    equal(collection.delete_many({"n": 103}).deleted_count, 100)
    equal(collection.count_documents({}), 900)


def write_errors(collection, documents, ordered):
    try:
        collection.insert_many(documents, ordered=ordered)
    except BulkWriteError as error:
        return [(one["index"], one["code"]) for one in error.details["writeErrors"]]
    return []


def bulk_ordered(context):
    collection = context.fresh("bulk_ordered")
    equal(write_errors(collection, [{"_id": 1}, {"_id": 2}, {"_id": 1}, {"_id": 3}], True), [(2, 11000)])
    equal(ids(collection), [1, 2])
    result = collection.bulk_write([
        InsertOne({"_id": 3, "n": 1}), UpdateOne({"_id": 3}, {"$inc": {"n": 1}}),
        ReplaceOne({"_id": 4}, {"n": 9}, upsert=True), DeleteOne({"_id": 1})])
    equal((result.inserted_count, result.matched_count, result.modified_count, result.deleted_count), (1, 1, 1, 1))
    equal(result.upserted_ids, {2: 4})


def bulk_unordered(context):
    collection = context.fresh("bulk_unordered")
    documents = [{"_id": i} for i in [1, 2, 1, 3, 2, 4]]
    equal(write_errors(collection, documents, False), [(2, 11000), (4, 11000)])
    equal(ids(collection), [1, 2, 3, 4])


def find_and_modify(context):
    collection = context.fresh("modify")
    collection.insert_one({"_id": 1, "n": 1})
    increment = {"$inc": {"n": 1}}
    after = ReturnDocument.AFTER
    equal(collection.find_one_and_update({"_id": 1}, increment), {"_id": 1, "n": 1})
    equal(collection.find_one_and_update({"_id": 1}, increment, return_document=after), {"_id": 1, "n": 3})
    equal(collection.find_one_and_update({"_id": 2}, increment, upsert=True, return_document=after), {"_id": 2, "n": 1})
    equal(collection.find_one_and_replace({"_id": 2}, {"n": 7}), {"_id": 2, "n": 1})
    equal(collection.find_one_and_delete({}, sort=[("n", -1)], projection={"_id": 0}), {"n": 7})
    equal(collection.find_one_and_delete({"_id": 9}), None)


def unique_index(context):
    collection = context.fresh("unique")
    collection.insert_many([{"_id": 1, "mail": "a"}, {"_id": 2, "mail": "b"}])
    equal(collection.create_index("mail", unique=True), "mail_1")
    error = fails(11000, lambda: collection.insert_one({"_id": 3, "mail": "a"}))
    equal((error.details["keyPattern"], error.details["keyValue"]), ({"mail": 1}, {"mail": "a"}))
    fails(11000, lambda: collection.update_one({"_id": 2}, {"$set": {"mail": "a"}}))
    collection.insert_one({"_id": 3, "mail": "c", "kind": 1})
    collection.insert_one({"_id": 4, "mail": "d", "kind": 1})
    fails(11000, lambda: collection.create_index("kind", unique=True))
    equal([index["name"] for index in collection.list_indexes()], ["_id_", "mail_1"])


def session(context):
    collection = context.fresh("session")
    with context.client.start_session() as own:
        collection.insert_one({"_id": 1}, session=own)
        equal(len(list(collection.find(session=own))), 1)
        equal(collection.count_documents({}, session=own), 1)
        equal(own.operation_time is not None, True)


def retryable_write(context):
    collection = context.fresh("retryable")
    collection.insert_one({"_id": 1, "n": 0})
    context.commands.sent.clear()
    collection.update_one({"_id": 1}, {"$inc": {"n": 1}})
    equal(["txnNumber" in event.command for event in context.commands.sent if event.command_name == "update"], [True])
    update = {"q": {"_id": 1}, "u": {"$inc": {"n": 1}}}
    with context.client.start_session() as own:
        for _ in range(2):
            reply = context.db.command("update", "retryable", updates=[update], txnNumber=Int64(1000), session=own)
            equal((reply["n"], reply["nModified"]), (1, 1))
    equal(collection.find_one({"_id": 1})["n"], 2)


SCENARIOS = [crud_cursor, bulk_ordered, bulk_unordered, find_and_modify, unique_index, session, retryable_write]
