// Expiry by last write, as a user of Cosmos DB's API for MongoDB writes it.
using MongoDB.Bson;
using MongoDB.Driver;
using static Mayfly.Drivers.Check;

namespace Mayfly.Drivers;

public static class Ttl
{
    private static void IndexReply(Context context)
    {
        context.Fresh("reply");
        BsonDocument Create(int seconds) => context.Run(
            $"{{createIndexes: 'reply', indexes: [{{key: {{_ts: 1}}, name: '_ts_1', expireAfterSeconds: {seconds}}}]}}");
        var first = Create(10);
        Equal(new BsonArray { first["numIndexesBefore"], first["numIndexesAfter"] }, new BsonArray { 1, 2 });
        Equal(first["createdCollectionAutomatically"], true);
        True(first["ok"] == 1, "ok");
        var again = Create(10);
        Equal(new BsonArray { again["numIndexesBefore"], again["numIndexesAfter"] }, new BsonArray { 2, 2 });
        Equal(again["note"], "all indexes already exist");
        Fails(85, () => Create(11));
    }

    private static void IndexValues(Context context)
    {
        var collection = context.Fresh("values");
        void Create(BsonValue value, string key = "{_ts: 1}") => context.Db.RunCommand<BsonDocument>(new BsonDocument
        {
            { "createIndexes", "values" },
            { "indexes", new BsonArray { new BsonDocument
                { { "key", Doc(key) }, { "name", "_ts_1" }, { "expireAfterSeconds", value } } } },
        });
        foreach (var value in new BsonValue[] { 0, -2, 2147483648L, double.NaN, double.PositiveInfinity })
        {
            Fails(67, () => Create(value));
        }
        Fails(67, () => Create(10, "{_ts: 1, a: 1}"));
        foreach (var value in new BsonValue[] { -1, 1, 3.9, 2147483647L, BsonDecimal128.Create(5m) })
        {
            Create(value);
            var index = collection.Indexes.List().ToList()[1];
            Equal(index["key"], Doc("{_ts: 1}"));
            Equal(index["expireAfterSeconds"], (int)Math.Truncate(value.ToDouble()));
            collection.Indexes.DropOne("_ts_1");
        }
        var options = new CreateIndexOptions { ExpireAfter = TimeSpan.FromSeconds(10) };
        Equal(collection.Indexes.CreateOne(new CreateIndexModel<BsonDocument>("{_ts: 1}", options)), "_ts_1");
    }

    private static void ValidDocuments(Context context)
    {
        var collection = context.Fresh("valid");
        CreateTtlIndex(collection, 1000);
        foreach (var (id, ttl) in new (int, BsonValue)[] { (1, 20.0), (2, 20), (3, 20L) })
        {
            collection.InsertOne(new BsonDocument { { "_id", id }, { "location", "Paris" }, { "ttl", ttl } });
        }
        context.Advance(10);
        Equal(Ids(collection), new BsonArray { 1, 2, 3 });
        context.Advance(10);
        Equal(Ids(collection), new BsonArray());
        Equal(collection.CountDocuments("{}"), 0L);
    }

    private static void InvalidDocuments(Context context)
    {
        var collection = context.Fresh("invalid");
        CreateTtlIndex(collection, 60);
        collection.InsertOne(new BsonDocument { { "_id", 1 }, { "location", "Paris" }, { "ttl", 20.5 } });
        collection.InsertOne(new BsonDocument { { "_id", 2 }, { "location", "Paris" }, { "ttl", 2147483649L } });
        context.Advance(30);
        Equal(Ids(collection), new BsonArray { 1, 2 });
        context.Advance(30);
        Equal(Ids(collection), new BsonArray());
    }

    private static void Table(Context context)
    {
        var collections = new int?[] { null, -1, 40 }.Select((rule, number) =>
        {
            var collection = context.Fresh($"table_{number}");
            if (rule is int seconds) CreateTtlIndex(collection, seconds);
            collection.InsertMany(new[]
                { Doc("{_id: 'absent'}"), Doc("{_id: 'never', ttl: -1}"), Doc("{_id: 'twenty', ttl: 20}") });
            return collection;
        }).ToList();
        var every = new BsonArray { "absent", "never", "twenty" };
        var two = new BsonArray { "absent", "never" };
        var one = new BsonArray { "never" };
        foreach (var (seconds, expected) in new[]
        {
            (10, new BsonArray { every, every, every }), (15, new BsonArray { every, two, two }),
            (20, new BsonArray { every, two, one }), (3600, new BsonArray { every, two, one }),
        })
        {
            context.Advance(seconds);
            Equal(new BsonArray(collections.Select(Ids)), expected);
        }
    }

    private static void ChangeRule(Context context)
    {
        var collection = context.Fresh("change");
        CreateTtlIndex(collection, 20);
        BsonDocument Change(int seconds) => context.Run(
            $"{{collMod: 'change', index: {{keyPattern: {{_ts: 1}}, expireAfterSeconds: {seconds}}}}}");
        context.WithoutRemoval(() =>
        {
            collection.InsertOne(Doc("{_id: 1}"));
            context.Advance(30);
            Equal(collection.CountDocuments("{}"), 0L);
            var reply = Change(1000);
            Equal(new BsonArray { reply["expireAfterSeconds_old"].ToInt64(), reply["expireAfterSeconds_new"].ToInt64() },
                new BsonArray { 20, 1000 });
            Equal(collection.CountDocuments("{}"), 1L);
            Change(25);
            Equal(collection.CountDocuments("{}"), 0L);
            Change(-1);
            Equal(collection.CountDocuments("{}"), 1L);
        });
    }

    private static void DropRule(Context context)
    {
        var collection = context.Fresh("drop");
        CreateTtlIndex(collection, 20);
        context.WithoutRemoval(() =>
        {
            collection.InsertMany(new[] { Doc("{_id: 1}"), Doc("{_id: 2, ttl: 5}") });
            context.Advance(30);
            Equal(Ids(collection), new BsonArray());
            Equal(context.Run("{dropIndexes: 'drop', index: '_ts_1'}")["nIndexesWas"], 2);
            Equal(Ids(collection), new BsonArray { 1, 2 });
        });
    }

    private static void Reads(Context context)
    {
        var collection = context.Fresh("reads");
        CreateTtlIndex(collection, 20);
        collection.InsertMany(new[] { Doc("{_id: 1}"), Doc("{_id: 2}"), Doc("{_id: 3}"), Doc("{_id: 4, ttl: -1}"), Doc("{_id: 5, ttl: -1}") });
        context.Advance(30);
        Equal(Ids(collection), new BsonArray { 4, 5 });
        True(collection.Find("{_id: 1}").FirstOrDefault() == null, "found by _id");
        Equal(context.Run("{count: 'reads'}")["n"], 2);
        Equal(context.Run("{count: 'reads', query: {_id: {$lt: 5}}}")["n"], 1);
        Equal(collection.CountDocuments("{}"), 2L);
        Equal(collection.EstimatedDocumentCount(), 2L);
        Equal(new BsonArray(collection.Distinct<int>("_id", "{}").ToList()), new BsonArray { 4, 5 });
        var groups = collection.Aggregate().Group("{_id: null, n: {$sum: 1}}").ToList();
        Equal(new BsonArray(groups), new BsonArray { Doc("{_id: null, n: 2}") });
        Equal(collection.UpdateOne("{_id: 1}", "{$set: {a: 1}}").MatchedCount, 0L);
        Equal(collection.DeleteOne("{_id: 2}").DeletedCount, 0L);
        var upsert = collection.UpdateOne("{_id: 3}", "{$set: {a: 1}}", new UpdateOptions { IsUpsert = true });
        Equal(upsert.UpsertedId, 3);
        collection.InsertOne(Doc("{_id: 1}"));
        Equal(Ids(collection), new BsonArray { 1, 3, 4, 5 });
    }

    private static void Removal(Context context)
    {
        long Removed() => context.Admin("{serverStatus: 1}")["metrics"]["ttl"]["deletedDocuments"].ToInt64();
        var collection = context.Fresh("removal");
        CreateTtlIndex(collection, 20);
        collection.InsertMany(Enumerable.Range(0, 50).Select(i => new BsonDocument("_id", i)));
        long before = Removed();
        context.Advance(30);
        True(context.Admin("{ttlRunNow: 1}")["removed"].ToInt64() >= 0, "removed");
        Equal(collection.CountDocuments("{}"), 0L);
        True(Removed() >= before + 50, "metrics.ttl.deletedDocuments did not count them");
    }

    public static readonly (string, Action<Context>)[] Scenarios =
    {
        ("ttl_index_reply", IndexReply), ("ttl_index_values", IndexValues), ("ttl_valid_documents", ValidDocuments),
        ("ttl_invalid_documents", InvalidDocuments), ("ttl_table", Table), ("ttl_change_rule", ChangeRule),
        ("ttl_drop_rule", DropRule), ("ttl_reads", Reads), ("ttl_removal", Removal),
    };
}
