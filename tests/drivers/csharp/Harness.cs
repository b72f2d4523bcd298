// What the scenarios share: the client, fresh collections, the server's clock, expected failures, the launcher.
using MongoDB.Bson;
using MongoDB.Bson.IO;
using MongoDB.Driver;
using MongoDB.Driver.Core.Events;

namespace Mayfly.Drivers;

public sealed class CheckException(string message) : Exception(message);

public sealed class Context
{
    public MongoClient Client { get; }
    public IMongoDatabase Db { get; }
    public List<CommandStartedEvent> Commands { get; } = new();

    public Context(string uri)
    {
        var settings = MongoClientSettings.FromConnectionString(uri);
        settings.ServerSelectionTimeout = TimeSpan.FromSeconds(20);
        settings.ClusterConfigurator = cluster => cluster.Subscribe<CommandStartedEvent>(command =>
        {
            lock (Commands) Commands.Add(command);
        });
        Client = new MongoClient(settings);
        Db = Client.GetDatabase("drivers");
    }

    public IMongoCollection<BsonDocument> Fresh(string name)
    {
        Db.DropCollection(name);
        return Db.GetCollection<BsonDocument>(name);
    }

    public BsonDocument Run(string command) => Db.RunCommand<BsonDocument>(BsonDocument.Parse(command));

    public BsonDocument Admin(string command) =>
        Client.GetDatabase("admin").RunCommand<BsonDocument>(BsonDocument.Parse(command));

    public void Advance(int seconds) => Admin($"{{setClock: {{advanceMS: {seconds * 1000}}}}}");

    // Nothing is removed while the body runs, so that what is hidden can come back.
    public void WithoutRemoval(Action body)
    {
        Admin("{setParameter: 1, ttlMonitorEnabled: false}");
        try
        {
            body();
        }
        finally
        {
            Admin("{setParameter: 1, ttlMonitorEnabled: true}");
        }
    }

    public int Sent(string name)
    {
        lock (Commands) return Commands.Count(command => command.CommandName == name);
    }
}

public static class Check
{
    public static BsonDocument Doc(string json) => BsonDocument.Parse(json);

    public static void Equal(BsonValue actual, BsonValue expected)
    {
        var settings = new JsonWriterSettings { OutputMode = JsonOutputMode.RelaxedExtendedJson };
        string left = actual.ToJson(settings), right = expected.ToJson(settings);
        if (left != right) throw new CheckException($"{left}, expected {right}");
    }

    public static void True(bool condition, string what)
    {
        if (!condition) throw new CheckException(what);
    }

    // The server error that the operation must end with.
    public static void Fails(int code, Action operation)
    {
        try
        {
            operation();
        }
        catch (MongoCommandException error)
        {
            Equal(error.Code, code);
            return;
        }
        catch (MongoWriteException error)
        {
            Equal(error.WriteError.Code, code);
            return;
        }
        throw new CheckException($"succeeded, expected error {code}");
    }

    public static BsonArray Ids(IMongoCollection<BsonDocument> collection) =>
        new(collection.Find("{}").Sort("{_id: 1}").Project("{_id: 1}").ToList().Select(document => document["_id"]));

    public static BsonArray IndexNames(IMongoCollection<BsonDocument> collection) =>
        new(collection.Indexes.List().ToList().Select(index => index["name"]));

    public static void CreateTtlIndex(IMongoCollection<BsonDocument> collection, int seconds) =>
        collection.Database.RunCommand<BsonDocument>(new BsonDocument
        {
            { "createIndexes", collection.CollectionNamespace.CollectionName },
            { "indexes", new BsonArray { new BsonDocument
                { { "key", new BsonDocument("_ts", 1) }, { "name", "_ts_1" }, { "expireAfterSeconds", seconds } } } },
        });

    public static void RestartServer()
    {
        Console.WriteLine("@restart");
        Console.Out.Flush();
        True(File.ReadAllText(Environment.GetEnvironmentVariable("MAYFLY_ANSWERS")).Length > 0, "the launcher did not answer");
    }
}
