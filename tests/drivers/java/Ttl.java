import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.UpdateOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.bson.Document;

/** Expiry by last write, as a user of Cosmos DB's API for MongoDB writes it. */
final class Ttl {
    private Ttl() {}

    private static void indexReply(Harness h) {
        h.fresh("reply");
        Document first = h.createTtlIndex("reply", 10);
        Harness.equal(first.get("numIndexesBefore"), 1);
        Harness.equal(first.get("numIndexesAfter"), 2);
        Harness.equal(first.get("createdCollectionAutomatically"), true);
        Harness.equal(first.get("ok"), 1.0);
        Document again = h.createTtlIndex("reply", 10);
        Harness.equal(again.get("numIndexesBefore"), 2);
        Harness.equal(again.get("numIndexesAfter"), 2);
        Harness.equal(again.get("note"), "all indexes already exist");
        Harness.fails(85, () -> h.createTtlIndex("reply", 11));
    }

    private static void indexValues(Harness h) {
        MongoCollection<Document> collection = h.fresh("values");
        for (Object value : Arrays.<Object>asList(0, -2, 2147483648L, Double.NaN, Double.POSITIVE_INFINITY)) {
            Harness.fails(67, () -> h.createTtlIndex("values", value));
        }
        IndexOptions options = new IndexOptions().expireAfter(10L, TimeUnit.SECONDS);
        Harness.fails(67, () -> collection.createIndex(Document.parse("{_ts: 1, a: 1}"), options));
        for (Number value : Arrays.<Number>asList(-1, 1, 3.9, 2147483647L)) {
            h.createTtlIndex("values", value);
            List<Document> indexes = collection.listIndexes().into(new ArrayList<>());
            Harness.equal(indexes.get(1).get("key"), new Document("_ts", 1));
            Harness.equal(indexes.get(1).get("expireAfterSeconds"), value.intValue());
            collection.dropIndex("_ts_1");
        }
        Harness.equal(collection.createIndex(new Document("_ts", 1), options), "_ts_1");
    }

    private static void validDocuments(Harness h) {
        MongoCollection<Document> collection = h.fresh("valid");
        h.createTtlIndex("valid", 1000);
        collection.insertOne(new Document("_id", 1).append("location", "Paris").append("ttl", 20.0));
        collection.insertOne(new Document("_id", 2).append("location", "Paris").append("ttl", 20));
        collection.insertOne(new Document("_id", 3).append("location", "Paris").append("ttl", 20L));
        h.advance(10);
        Harness.equal(Harness.ids(collection), List.of(1, 2, 3));
        h.advance(10);
        Harness.equal(Harness.ids(collection), List.of());
        Harness.equal(Crud.count(h, "valid", "{}"), 0);
    }

    private static void invalidDocuments(Harness h) {
        MongoCollection<Document> collection = h.fresh("invalid");
        h.createTtlIndex("invalid", 60);
        collection.insertOne(new Document("_id", 1).append("location", "Paris").append("ttl", 20.5));
        collection.insertOne(new Document("_id", 2).append("location", "Paris").append("ttl", 2147483649L));
        h.advance(30);
        Harness.equal(Harness.ids(collection), List.of(1, 2));
        h.advance(30);
        Harness.equal(Harness.ids(collection), List.of());
    }

    private static void table(Harness h) {
        List<MongoCollection<Document>> collections = new ArrayList<>();
        for (Integer rule : Arrays.asList(null, -1, 40)) {
            String name = "table_" + collections.size();
            MongoCollection<Document> collection = h.fresh(name);
            if (rule != null) {
                h.createTtlIndex(name, rule);
            }
            collection.insertMany(List.of(Document.parse("{_id: 'absent'}"), Document.parse("{_id: 'never', ttl: -1}"),
                    Document.parse("{_id: 'twenty', ttl: 20}")));
            collections.add(collection);
        }
        List<String> every = List.of("absent", "never", "twenty");
        List<String> two = List.of("absent", "never");
        List<String> one = List.of("never");
        check(h, collections, 10, List.of(every, every, every));
        check(h, collections, 15, List.of(every, two, two));
        check(h, collections, 20, List.of(every, two, one));
        check(h, collections, 3600, List.of(every, two, one));
    }

    private static void check(Harness h, List<MongoCollection<Document>> collections, int seconds, Object expected) {
        h.advance(seconds);
        List<Object> found = new ArrayList<>();
        for (MongoCollection<Document> collection : collections) {
            found.add(Harness.ids(collection));
        }
        Harness.equal(found, expected);
    }

    private static Document change(Harness h, int seconds) {
        return h.run("{collMod: 'change', index: {keyPattern: {_ts: 1}, expireAfterSeconds: " + seconds + "}}");
    }

    private static void changeRule(Harness h) {
        MongoCollection<Document> collection = h.fresh("change");
        h.createTtlIndex("change", 20);
        h.withoutRemoval(() -> {
            collection.insertOne(new Document("_id", 1));
            h.advance(30);
            Harness.equal(Crud.count(h, "change", "{}"), 0);
            Document reply = change(h, 1000);
            Harness.equal(reply.get("expireAfterSeconds_old", Number.class).intValue(), 20);
            Harness.equal(reply.get("expireAfterSeconds_new", Number.class).intValue(), 1000);
            Harness.equal(Crud.count(h, "change", "{}"), 1);
            change(h, 25);
            Harness.equal(Crud.count(h, "change", "{}"), 0);
            change(h, -1);
            Harness.equal(Crud.count(h, "change", "{}"), 1);
        });
    }

    private static void dropRule(Harness h) {
        MongoCollection<Document> collection = h.fresh("drop");
        h.createTtlIndex("drop", 20);
        h.withoutRemoval(() -> {
            collection.insertMany(List.of(new Document("_id", 1), Document.parse("{_id: 2, ttl: 5}")));
            h.advance(30);
            Harness.equal(Harness.ids(collection), List.of());
            Harness.equal(h.run("{dropIndexes: 'drop', index: '_ts_1'}").get("nIndexesWas"), 2);
            Harness.equal(Harness.ids(collection), List.of(1, 2));
        });
    }

    private static void reads(Harness h) {
        MongoCollection<Document> collection = h.fresh("reads");
        h.createTtlIndex("reads", 20);
        collection.insertMany(List.of(new Document("_id", 1), new Document("_id", 2), new Document("_id", 3),
                Document.parse("{_id: 4, ttl: -1}"), Document.parse("{_id: 5, ttl: -1}")));
        h.advance(30);
        Harness.equal(Harness.ids(collection), List.of(4, 5));
        Harness.equal(collection.find(new Document("_id", 1)).first(), null);
        Harness.equal(h.run("{count: 'reads'}").get("n"), 2);
        Harness.equal(h.run("{count: 'reads', query: {_id: {$lt: 5}}}").get("n"), 1);
        Harness.equal(Crud.count(h, "reads", "{}"), 2);
        Harness.equal(collection.distinct("_id", Integer.class).into(new ArrayList<>()), List.of(4, 5));
        Harness.equal(collection.aggregate(List.of(Document.parse("{$group: {_id: null, n: {$sum: 1}}}")))
                .into(new ArrayList<>()), List.of(Document.parse("{_id: null, n: 2}")));
        Document change = Document.parse("{$set: {a: 1}}");
        Harness.equal(collection.updateOne(new Document("_id", 1), change).getMatchedCount(), 0L);
        Harness.equal(collection.deleteOne(new Document("_id", 2)).getDeletedCount(), 0L);
        UpdateOptions upsert = new UpdateOptions().upsert(true);
        Harness.equal(collection.updateOne(new Document("_id", 3), change, upsert).getUpsertedId().asInt32().getValue(), 3);
        collection.insertOne(new Document("_id", 1));
        Harness.equal(Harness.ids(collection), List.of(1, 3, 4, 5));
    }

    private static long removed(Harness h) {
        Document metrics = h.admin("{serverStatus: 1}").get("metrics", Document.class);
        return metrics.get("ttl", Document.class).get("deletedDocuments", Number.class).longValue();
    }

    private static void removal(Harness h) {
        MongoCollection<Document> collection = h.fresh("removal");
        h.createTtlIndex("removal", 20);
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < 50; ++i) {
            documents.add(new Document("_id", i));
        }
        collection.insertMany(documents);
        long before = removed(h);
        h.advance(30);
        Harness.equal(h.admin("{ttlRunNow: 1}").get("removed", Number.class).longValue() >= 0, true);
        Harness.equal(Crud.count(h, "removal", "{}"), 0);
        Harness.equal(removed(h) >= before + 50, true);
    }

    static Map<String, Harness.Scenario> scenarios() {
        Map<String, Harness.Scenario> result = new LinkedHashMap<>();
        result.put("ttl_index_reply", Ttl::indexReply);
        result.put("ttl_index_values", Ttl::indexValues);
        result.put("ttl_valid_documents", Ttl::validDocuments);
        result.put("ttl_invalid_documents", Ttl::invalidDocuments);
        result.put("ttl_table", Ttl::table);
        result.put("ttl_change_rule", Ttl::changeRule);
        result.put("ttl_drop_rule", Ttl::dropRule);
        result.put("ttl_reads", Ttl::reads);
        result.put("ttl_removal", Ttl::removal);
        return result;
    }
}
