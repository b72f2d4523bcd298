import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.event.CommandListener;
import java.util.concurrent.TimeUnit;

/** A client by the API of the current driver. */
final class Connection implements AutoCloseable {
    static final boolean RETRIES_WRITES_BY_DEFAULT = true;

    private final MongoClient client;

    Connection(String uri, CommandListener listener) {
        client = MongoClients.create(MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(uri))
                .applyToClusterSettings(cluster -> cluster.serverSelectionTimeout(20, TimeUnit.SECONDS))
                .addCommandListener(listener)
                .build());
    }

    MongoDatabase database(String name) {
        return client.getDatabase(name);
    }

    ClientSession startSession() {
        return client.startSession();
    }

    @Override
    public void close() {
        client.close();
    }
}
