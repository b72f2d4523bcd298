import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.model.DeleteOneModel;
import com.mongodb.client.model.FindOneAndDeleteOptions;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.InsertManyOptions;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReturnDocument;
import com.mongodb.client.model.UpdateOneModel;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.event.CommandStartedEvent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bson.Document;

/** Connections, documents, cursors, bulk writes, sessions. */
final class Crud {
    private Crud() {}

    /** How many documents match, by $group as countDocuments does it (the method is younger than driver 3.6). */
    static int count(Harness h, String collection, String filter) {
        Document group = Document.parse("{$group: {_id: 1, n: {$sum: 1}}}");
        Document found = h.db.getCollection(collection)
                .aggregate(List.of(new Document("$match", Document.parse(filter)), group)).first();
        return found == null ? 0 : found.getInteger("n");
    }

    private static List<Document> documents(int... ids) {
        List<Document> result = new ArrayList<>();
        for (int id : ids) {
            result.add(new Document("_id", id));
        }
        return result;
    }

    private static void connect(Harness unused) {
        for (String uri : System.getenv("MAYFLY_URIS").split("\n")) {
            try (Connection client = new Connection(uri, new Harness.Recorder(new ArrayList<>()))) {
                Harness.equal(client.database("admin").runCommand(new Document("ping", 1)).get("ok"), 1.0);
                Document hello = client.database("admin").runCommand(new Document("hello", 1));
                Harness.equal(hello.get("isWritablePrimary"), true);
                Harness.equal(hello.get("setName"), "globaldb");
            }
        }
    }

    private static void restart(Harness h) {
        MongoCollection<Document> collection = h.fresh("restart");
        collection.createIndex(new Document("n", 1), new IndexOptions().unique(true));
        h.createTtlIndex("restart", 100);
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < 500; ++i) {
            documents.add(new Document("_id", i).append("n", i).append("text", "x".repeat(100)));
        }
        collection.insertMany(documents);
        Harness.restartServer();
        Harness.equal(afterRestart(() -> count(h, "restart", "{}")), 500);
        Harness.equal(collection.find(new Document("n", 499)).first().getString("text").length(), 100);
        Harness.equal(Harness.indexNames(collection), List.of("_id_", "n_1", "_ts_1"));
        Harness.fails(11000, () -> collection.insertOne(Document.parse("{_id: 500, n: 7}")));
        collection.insertOne(Document.parse("{_id: 500, n: 500}"));
        Harness.equal(count(h, "restart", "{}"), 501);
        h.advance(101);
        Harness.equal(count(h, "restart", "{}"), 0);
    }

    /** Driver 3.6 does not retry a read whose connection has gone: the application does, once. */
    private static int afterRestart(java.util.function.IntSupplier read) {
        try {
            return read.getAsInt();
        } catch (com.mongodb.MongoSocketException gone) {
            return read.getAsInt();
        }
    }

    private static void cursor(Harness h) {
        MongoCollection<Document> collection = h.fresh("cursor");
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < 1000; ++i) {
            documents.add(new Document("_id", i).append("n", i % 10).append("text", "document " + i));
        }
        collection.insertMany(documents);
        h.commands.clear();
        Harness.equal(collection.find().sort(new Document("_id", 1)).batchSize(100).into(new ArrayList<>()), documents);
        long batches = h.commands.stream().filter(event -> event.getCommandName().equals("getMore")).count();
        Harness.equal(batches == 9 || batches == 10, true);
        List<Document> some = collection.find(Document.parse("{n: {$gte: 8}}")).sort(new Document("_id", -1))
                .skip(1).limit(50).batchSize(7).into(new ArrayList<>());
        Harness.equal(some.size(), 50);
        Harness.equal(some.get(0).get("_id"), 998);
        List<Document> sums = collection.aggregate(List.of(Document.parse("{$match: {n: {$lt: 3}}}"),
                Document.parse("{$group: {_id: '$n', n: {$sum: 1}}}"), Document.parse("{$sort: {_id: 1}}")))
                .into(new ArrayList<>());
        Harness.equal(sums, List.of(Document.parse("{_id: 0, n: 100}"), Document.parse("{_id: 1, n: 100}"),
                Document.parse("{_id: 2, n: 100}")));
        try (MongoCursor<Document> left = collection.find().batchSize(10).iterator()) {
            left.next();
        }
        Document increment = Document.parse("{$inc: {n: 100}}");
        Harness.equal(collection.updateMany(new Document("n", 3), increment).getModifiedCount(), 100L);
        Document changed = new Document("text", "new");
        Harness.equal(collection.replaceOne(new Document("_id", 0), changed).getModifiedCount(), 1L);
        Harness.equal(collection.find(new Document("_id", 0)).first(), Document.parse("{_id: 0, text: 'new'}"));
        Harness.equal(collection.deleteMany(new Document("n", 103)).getDeletedCount(), 100L);
        Harness.equal(count(h, "cursor", "{}"), 900);
    }

    private static void bulkOrdered(Harness h) {
        MongoCollection<Document> collection = h.fresh("bulk_ordered");
        Harness.equal(Harness.writeErrors(() -> collection.insertMany(documents(1, 2, 1, 3))), List.of(List.of(2, 11000)));
        Harness.equal(Harness.ids(collection), List.of(1, 2));
        BulkWriteResult result = collection.bulkWrite(List.of(
                new InsertOneModel<>(Document.parse("{_id: 3, n: 1}")),
                new UpdateOneModel<>(new Document("_id", 3), Document.parse("{$inc: {n: 1}}")),
                new UpdateOneModel<>(new Document("_id", 4), Document.parse("{$set: {n: 9}}"), new UpdateOptions().upsert(true)),
                new DeleteOneModel<>(new Document("_id", 1))));
        Harness.equal(List.of(result.getInsertedCount(), result.getMatchedCount(), result.getModifiedCount(),
                result.getDeletedCount(), result.getUpserts().size()), List.of(1, 1, 1, 1, 1));
        Harness.equal(result.getUpserts().get(0).getIndex(), 2);
        Harness.equal(result.getUpserts().get(0).getId().asInt32().getValue(), 4);
    }

    private static void bulkUnordered(Harness h) {
        MongoCollection<Document> collection = h.fresh("bulk_unordered");
        InsertManyOptions unordered = new InsertManyOptions().ordered(false);
        Harness.equal(Harness.writeErrors(() -> collection.insertMany(documents(1, 2, 1, 3, 2, 4), unordered)),
                List.of(List.of(2, 11000), List.of(4, 11000)));
        Harness.equal(Harness.ids(collection), List.of(1, 2, 3, 4));
    }

    private static void findAndModify(Harness h) {
        MongoCollection<Document> collection = h.fresh("modify");
        collection.insertOne(Document.parse("{_id: 1, n: 1}"));
        Document one = new Document("_id", 1);
        Document two = new Document("_id", 2);
        Document increment = Document.parse("{$inc: {n: 1}}");
        FindOneAndUpdateOptions after = new FindOneAndUpdateOptions().returnDocument(ReturnDocument.AFTER).upsert(true);
        Harness.equal(collection.findOneAndUpdate(one, increment), Document.parse("{_id: 1, n: 1}"));
        Harness.equal(collection.findOneAndUpdate(one, increment, after), Document.parse("{_id: 1, n: 3}"));
        Harness.equal(collection.findOneAndUpdate(two, increment, after), Document.parse("{_id: 2, n: 1}"));
        Harness.equal(collection.findOneAndReplace(two, new Document("n", 7)), Document.parse("{_id: 2, n: 1}"));
        FindOneAndDeleteOptions last = new FindOneAndDeleteOptions().sort(new Document("n", -1));
        Harness.equal(collection.findOneAndDelete(new Document(), last.projection(new Document("_id", 0))), new Document("n", 7));
        Harness.equal(collection.findOneAndDelete(new Document("_id", 9)), null);
    }

    private static void uniqueIndex(Harness h) {
        MongoCollection<Document> collection = h.fresh("unique");
        collection.insertMany(List.of(Document.parse("{_id: 1, mail: 'a'}"), Document.parse("{_id: 2, mail: 'b'}")));
        IndexOptions unique = new IndexOptions().unique(true);
        Harness.equal(collection.createIndex(new Document("mail", 1), unique), "mail_1");
        Harness.fails(11000, () -> collection.insertOne(Document.parse("{_id: 3, mail: 'a'}")));
        Harness.fails(11000, () -> collection.updateOne(new Document("_id", 2), Document.parse("{$set: {mail: 'a'}}")));
        collection.insertMany(List.of(Document.parse("{_id: 3, mail: 'c', kind: 1}"),
                Document.parse("{_id: 4, mail: 'd', kind: 1}")));
        Harness.fails(11000, () -> collection.createIndex(new Document("kind", 1), unique));
        Harness.equal(Harness.indexNames(collection), List.of("_id_", "mail_1"));
    }

    private static void session(Harness h) {
        MongoCollection<Document> collection = h.fresh("session");
        try (var own = h.client.startSession()) {
            collection.insertOne(own, new Document("_id", 1));
            Harness.equal(collection.find(own).into(new ArrayList<>()).size(), 1);
            Harness.equal(own.getOperationTime() != null, true);
        }
    }

    private static void retryableWrite(Harness h) {
        MongoCollection<Document> collection = h.fresh("retryable");
        collection.insertOne(Document.parse("{_id: 1, n: 0}"));
        h.commands.clear();
        collection.updateOne(new Document("_id", 1), Document.parse("{$inc: {n: 1}}"));
        for (CommandStartedEvent event : h.commands) {
            Harness.equal(event.getCommand().containsKey("txnNumber"), Connection.RETRIES_WRITES_BY_DEFAULT);
        }
        Document update = Document.parse("{q: {_id: 1}, u: {$inc: {n: 1}}}");
        Document command = new Document("update", "retryable").append("updates", List.of(update)).append("txnNumber", 1000L);
        try (var own = h.client.startSession()) {
            for (int i = 0; i < 2; ++i) {
                Document reply = h.db.runCommand(own, command);
                Harness.equal(reply.get("n"), 1);
                Harness.equal(reply.get("nModified"), 1);
            }
        }
        Harness.equal(collection.find(new Document("_id", 1)).first().get("n"), 2);
    }

    static Map<String, Harness.Scenario> first() {
        Map<String, Harness.Scenario> result = new LinkedHashMap<>();
        result.put("connect", Crud::connect);
        result.put("restart", Crud::restart);
        return result;
    }

    static Map<String, Harness.Scenario> scenarios() {
        Map<String, Harness.Scenario> result = new LinkedHashMap<>();
        result.put("crud_cursor", Crud::cursor);
        result.put("bulk_ordered", Crud::bulkOrdered);
        result.put("bulk_unordered", Crud::bulkUnordered);
        result.put("find_and_modify", Crud::findAndModify);
        result.put("unique_index", Crud::uniqueIndex);
        result.put("session", Crud::session);
        result.put("retryable_write", Crud::retryableWrite);
        return result;
    }
}
