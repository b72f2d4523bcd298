import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoClient;
import com.mongodb.MongoClientOptions;
import com.mongodb.MongoClientURI;
import com.mongodb.client.MongoDatabase;
import com.mongodb.event.CommandListener;
import com.mongodb.session.ClientSession;

/** A client by the API of driver 3.6. */
final class Connection implements AutoCloseable {
    /** This driver retries writes only when it is asked to. */
    static final boolean RETRIES_WRITES_BY_DEFAULT = false;

    private final MongoClient client;

    Connection(String uri, CommandListener listener) {
        MongoClientOptions.Builder options =
                MongoClientOptions.builder().serverSelectionTimeout(20000).addCommandListener(listener);
        client = new MongoClient(new MongoClientURI(uri, options));
    }

    MongoDatabase database(String name) {
        return client.getDatabase(name);
    }

    ClientSession startSession() {
        return client.startSession(ClientSessionOptions.builder().build());
    }

    @Override
    public void close() {
        client.close();
    }
}
