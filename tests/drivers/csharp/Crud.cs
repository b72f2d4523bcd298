// Connections, documents, cursors, bulk writes, sessions.
using MongoDB.Bson;
using MongoDB.Driver;
using static Mayfly.Drivers.Check;

namespace Mayfly.Drivers;

public static class Crud
{
    private static void Connect(Context context)
    {
        foreach (var uri in Environment.GetEnvironmentVariable("MAYFLY_URIS").Split('\n'))
        {
            var admin = new MongoClient(uri).GetDatabase("admin");
            True(admin.RunCommand<BsonDocument>("{ping: 1}")["ok"] == 1, uri);
            var hello = admin.RunCommand<BsonDocument>("{hello: 1}");
            Equal(new BsonArray { hello["isWritablePrimary"], hello["setName"] }, new BsonArray { true, "globaldb" });
        }
    }

    private static void Restart(Context context)
    {
        var collection = context.Fresh("restart");
        collection.Indexes.CreateOne(new CreateIndexModel<BsonDocument>("{n: 1}", new CreateIndexOptions { Unique = true }));
        CreateTtlIndex(collection, 100);
        collection.InsertMany(Enumerable.Range(0, 500).Select(
            i => new BsonDocument { { "_id", i }, { "n", i }, { "text", new string('x', 100) } }));
        RestartServer();
        Equal(collection.CountDocuments("{}"), 500L);
        Equal(collection.Find("{n: 499}").Single()["text"].AsString.Length, 100);
        Equal(IndexNames(collection), new BsonArray { "_id_", "n_1", "_ts_1" });
        Fails(11000, () => collection.InsertOne(Doc("{_id: 500, n: 7}")));
        collection.InsertOne(Doc("{_id: 500, n: 500}"));
        Equal(collection.CountDocuments("{}"), 501L);
        context.Advance(101);
        Equal(collection.CountDocuments("{}"), 0L);
    }

    private static void Cursor(Context context)
    {
        var collection = context.Fresh("cursor");
        var documents = Enumerable.Range(0, 1000).Select(
            i => new BsonDocument { { "_id", i }, { "n", i % 10 }, { "text", $"document {i}" } }).ToList();
        collection.InsertMany(documents);
        int before = context.Sent("getMore");
        var found = collection.Find("{}", new FindOptions { BatchSize = 100 }).Sort("{_id: 1}").ToList();
        Equal(new BsonArray(found), new BsonArray(documents));
        True(context.Sent("getMore") - before is 9 or 10, $"{context.Sent("getMore") - before} getMore");
        var some = collection.Find("{n: {$gte: 8}}", new FindOptions { BatchSize = 7 })
            .Sort("{_id: -1}").Skip(1).Limit(50).ToList();
        Equal(new BsonArray { some.Count, some[0]["_id"] }, new BsonArray { 50, 998 });
        var sums = collection.Aggregate().Match("{n: {$lt: 3}}").Group("{_id: '$n', n: {$sum: 1}}").Sort("{_id: 1}").ToList();
        Equal(new BsonArray(sums), new BsonArray(Enumerable.Range(0, 3).Select(i => Doc($"{{_id: {i}, n: 100}}"))));
        using (var left = collection.Find("{}", new FindOptions { BatchSize = 10 }).ToCursor()) left.MoveNext();
        Equal(collection.UpdateMany("{n: 3}", "{$inc: {n: 100}}").ModifiedCount, 100L);
        Equal(collection.ReplaceOne("{_id: 0}", Doc("{text: 'new'}")).ModifiedCount, 1L);
        Equal(collection.Find("{_id: 0}").Single(), Doc("{_id: 0, text: 'new'}"));
        Equal(collection.DeleteMany("{n: 103}").DeletedCount, 100L);
        Equal(collection.CountDocuments("{}"), 900L);
    }

    private static BsonArray WriteErrors(IMongoCollection<BsonDocument> collection, int[] ids, bool ordered)
    {
        try
        {
            collection.InsertMany(ids.Select(id => new BsonDocument("_id", id)), new InsertManyOptions { IsOrdered = ordered });
        }
        catch (MongoBulkWriteException<BsonDocument> error)
        {
            return new BsonArray(error.WriteErrors.Select(one => new BsonArray { one.Index, one.Code }));
        }
        return new BsonArray();
    }

    private static void BulkOrdered(Context context)
    {
        var collection = context.Fresh("bulk_ordered");
        Equal(WriteErrors(collection, new[] { 1, 2, 1, 3 }, true), new BsonArray { new BsonArray { 2, 11000 } });
        Equal(Ids(collection), new BsonArray { 1, 2 });
        var result = collection.BulkWrite(new WriteModel<BsonDocument>[]
        {
            new InsertOneModel<BsonDocument>(Doc("{_id: 3, n: 1}")),
            new UpdateOneModel<BsonDocument>("{_id: 3}", "{$inc: {n: 1}}"),
            new ReplaceOneModel<BsonDocument>("{_id: 4}", Doc("{n: 9}")) { IsUpsert = true },
            new DeleteOneModel<BsonDocument>("{_id: 1}"),
        });
        Equal(new BsonArray { result.InsertedCount, result.MatchedCount, result.ModifiedCount, result.DeletedCount },
            new BsonArray { 1L, 1L, 1L, 1L });
        Equal(new BsonArray(result.Upserts.Select(one => new BsonArray { one.Index, one.Id })),
            new BsonArray { new BsonArray { 2, 4 } });
    }

    private static void BulkUnordered(Context context)
    {
        var collection = context.Fresh("bulk_unordered");
        Equal(WriteErrors(collection, new[] { 1, 2, 1, 3, 2, 4 }, false),
            new BsonArray { new BsonArray { 2, 11000 }, new BsonArray { 4, 11000 } });
        Equal(Ids(collection), new BsonArray { 1, 2, 3, 4 });
    }

    private static void FindAndModify(Context context)
    {
        var collection = context.Fresh("modify");
        collection.InsertOne(Doc("{_id: 1, n: 1}"));
        var after = new FindOneAndUpdateOptions<BsonDocument> { ReturnDocument = ReturnDocument.After, IsUpsert = true };
        Equal(collection.FindOneAndUpdate<BsonDocument>("{_id: 1}", "{$inc: {n: 1}}"), Doc("{_id: 1, n: 1}"));
        Equal(collection.FindOneAndUpdate("{_id: 1}", "{$inc: {n: 1}}", after), Doc("{_id: 1, n: 3}"));
        Equal(collection.FindOneAndUpdate("{_id: 2}", "{$inc: {n: 1}}", after), Doc("{_id: 2, n: 1}"));
        Equal(collection.FindOneAndReplace<BsonDocument>("{_id: 2}", Doc("{n: 7}")), Doc("{_id: 2, n: 1}"));
        var options = new FindOneAndDeleteOptions<BsonDocument> { Sort = "{n: -1}", Projection = "{_id: 0}" };
        Equal(collection.FindOneAndDelete("{}", options), Doc("{n: 7}"));
        True(collection.FindOneAndDelete<BsonDocument>("{_id: 9}") == null, "deleted what is not there");
    }

    private static void UniqueIndex(Context context)
    {
        var collection = context.Fresh("unique");
        collection.InsertMany(new[] { Doc("{_id: 1, mail: 'a'}"), Doc("{_id: 2, mail: 'b'}") });
        var unique = new CreateIndexOptions { Unique = true };
        Equal(collection.Indexes.CreateOne(new CreateIndexModel<BsonDocument>("{mail: 1}", unique)), "mail_1");
        Fails(11000, () => collection.InsertOne(Doc("{_id: 3, mail: 'a'}")));
        Fails(11000, () => collection.UpdateOne("{_id: 2}", "{$set: {mail: 'a'}}"));
        collection.InsertMany(new[] { Doc("{_id: 3, mail: 'c', kind: 1}"), Doc("{_id: 4, mail: 'd', kind: 1}") });
        Fails(11000, () => collection.Indexes.CreateOne(new CreateIndexModel<BsonDocument>("{kind: 1}", unique)));
        Equal(IndexNames(collection), new BsonArray { "_id_", "mail_1" });
    }

    private static void Session(Context context)
    {
        var collection = context.Fresh("session");
        using var own = context.Client.StartSession();
        collection.InsertOne(own, Doc("{_id: 1}"));
        Equal(collection.Find(own, "{}").ToList().Count, 1);
        Equal(collection.CountDocuments(own, "{}"), 1L);
        True(own.OperationTime != null, "the replies had no operationTime");
    }

    private static void RetryableWrite(Context context)
    {
        var collection = context.Fresh("retryable");
        collection.InsertOne(Doc("{_id: 1, n: 0}"));
        collection.UpdateOne("{_id: 1}", "{$inc: {n: 1}}");
        lock (context.Commands)
        {
            True(context.Commands.Last(command => command.CommandName == "update").Command.Contains("txnNumber"),
                "the driver did not send the write as a retryable one");
        }
        using var own = context.Client.StartSession();
        for (int i = 0; i < 2; ++i)
        {
            var reply = context.Db.RunCommand<BsonDocument>(own, Doc(
                "{update: 'retryable', updates: [{q: {_id: 1}, u: {$inc: {n: 1}}}], txnNumber: NumberLong(1000)}"));
            Equal(new BsonArray { reply["n"], reply["nModified"] }, new BsonArray { 1, 1 });
        }
        Equal(collection.Find("{_id: 1}").Single()["n"], 2);
    }

    public static readonly (string, Action<Context>)[] First = { ("connect", Connect), ("restart", Restart) };

    public static readonly (string, Action<Context>)[] Scenarios =
    {
        ("crud_cursor", Cursor), ("bulk_ordered", BulkOrdered), ("bulk_unordered", BulkUnordered),
        ("find_and_modify", FindAndModify), ("unique_index", UniqueIndex), ("session", Session),
        ("retryable_write", RetryableWrite),
    };
}
