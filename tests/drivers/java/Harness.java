import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.event.CommandFailedEvent;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import com.mongodb.event.CommandSucceededEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.bson.Document;

/** What the scenarios share: the client, fresh collections, the server's clock, expected failures, the launcher. */
final class Harness implements AutoCloseable {
    final List<CommandStartedEvent> commands = Collections.synchronizedList(new ArrayList<>());
    final Connection client;
    final MongoDatabase db;

    /** Keeps every command sent. */
    static final class Recorder implements CommandListener {
        private final List<CommandStartedEvent> commands;

        Recorder(List<CommandStartedEvent> commands) {
            this.commands = commands;
        }

        @Override
        public void commandStarted(CommandStartedEvent event) {
            commands.add(event);
        }

        @Override
        public void commandSucceeded(CommandSucceededEvent event) {}

        @Override
        public void commandFailed(CommandFailedEvent event) {}
    }

    interface Scenario {
        void run(Harness harness);
    }

    Harness(String uri) {
        client = new Connection(uri, new Recorder(commands));
        db = client.database("drivers");
    }

    @Override
    public void close() {
        client.close();
    }

    MongoCollection<Document> fresh(String name) {
        db.getCollection(name).drop();
        return db.getCollection(name);
    }

    Document run(String command) {
        return db.runCommand(Document.parse(command));
    }

    Document admin(String command) {
        return client.database("admin").runCommand(Document.parse(command));
    }

    void advance(int seconds) {
        admin("{setClock: {advanceMS: " + seconds * 1000 + "}}");
    }

    /** Nothing is removed while the body runs, so that what is hidden can come back. */
    void withoutRemoval(Runnable body) {
        admin("{setParameter: 1, ttlMonitorEnabled: false}");
        try {
            body.run();
        } finally {
            admin("{setParameter: 1, ttlMonitorEnabled: true}");
        }
    }

    Document createTtlIndex(String collection, Object seconds) {
        Document index = new Document("key", new Document("_ts", 1)).append("name", "_ts_1");
        index.append("expireAfterSeconds", seconds);
        return db.runCommand(
                new Document("createIndexes", collection).append("indexes", Collections.singletonList(index)));
    }

    static List<Object> ids(MongoCollection<Document> collection) {
        List<Object> result = new ArrayList<>();
        Document byId = new Document("_id", 1);
        for (Document document : collection.find().sort(byId).projection(byId)) {
            result.add(document.get("_id"));
        }
        return result;
    }

    static List<Object> indexNames(MongoCollection<Document> collection) {
        List<Object> result = new ArrayList<>();
        for (Document index : collection.listIndexes()) {
            result.add(index.get("name"));
        }
        return result;
    }

    static void equal(Object actual, Object expected) {
        if (!Objects.equals(actual, expected)) {
            throw new IllegalStateException(actual + ", expected " + expected);
        }
    }

    /** The server error that the operation must end with. */
    static void fails(int code, Runnable operation) {
        try {
            operation.run();
        } catch (MongoException error) {
            equal(error.getCode(), code);
            return;
        }
        throw new IllegalStateException("succeeded, expected error " + code);
    }

    /** The positions and codes of the write errors that the operation must end with. */
    static List<List<Integer>> writeErrors(Runnable operation) {
        List<List<Integer>> result = new ArrayList<>();
        try {
            operation.run();
        } catch (MongoBulkWriteException error) {
            error.getWriteErrors().forEach(one -> result.add(List.of(one.getIndex(), one.getCode())));
        }
        return result;
    }

    static void restartServer() {
        System.out.println("@restart");
        System.out.flush();
        try {
            equal(Files.readString(Path.of(System.getenv("MAYFLY_ANSWERS"))), "restarted\n");
        } catch (IOException error) {
            throw new IllegalStateException("the launcher did not answer", error);
        }
    }
}
