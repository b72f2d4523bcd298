// Documents, cursors, bulk writes, sessions, and what the shell asks on its own.
function bulkErrors(operation) {
  const error = fails(11000, operation);
  return [].concat(error.writeErrors).map((one) => [one.index, one.code]);
}

crudScenarios = {
  connect() {
    for (const uri of process.env.MAYFLY_URIS.split('\n')) {
      const other = new Mongo(uri).getDB('admin');
      equal(other.runCommand({ ping: 1 }).ok, 1);
      const hello = other.hello();
      equal([hello.isWritablePrimary, hello.setName], [true, 'globaldb']);
    }
    db.version();
    db.getMongo().getDBs();
    db.adminCommand({ connectionStatus: 1 });
    rs.status();
    rs.hello();
  },

  restart() {
    const collection = fresh('restart');
    collection.createIndex({ n: 1 }, { unique: true });
    collection.createIndex({ _ts: 1 }, { expireAfterSeconds: 100 });
    collection.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: i, n: i, text: 'x'.repeat(100) })));
    restartServer();
    equal(collection.countDocuments({}), 500);
    equal(collection.findOne({ n: 499 }).text.length, 100);
    equal(collection.getIndexes().map((index) => index.name), ['_id_', 'n_1', '_ts_1']);
    fails(11000, () => collection.insertOne({ _id: 500, n: 7 }));
    collection.insertOne({ _id: 500, n: 500 });
    equal(collection.countDocuments({}), 501);
    advance(101);
    equal(collection.countDocuments({}), 0);
  },

  crud_cursor() {
    const collection = fresh('cursor');
    const documents = Array.from({ length: 1000 }, (_, i) => ({ _id: i, n: i % 10, text: `document ${i}` }));
    collection.insertMany(documents);
    equal(collection.find().sort({ _id: 1 }).batchSize(100).toArray(), documents);
    const some = collection.find({ n: { $gte: 8 } }).sort({ _id: -1 }).skip(1).limit(50).batchSize(7).toArray();
    equal([some.length, some[0]._id], [50, 998]);
    const stages = [{ $match: { n: { $lt: 3 } } }, { $group: { _id: '$n', n: { $sum: 1 } } }, { $sort: { _id: 1 } }];
    equal(collection.aggregate(stages).toArray(), [0, 1, 2].map((i) => ({ _id: i, n: 100 })));
    const left = collection.find().batchSize(10);
    left.next();
    left.close();
    equal(collection.updateMany({ n: 3 }, { $inc: { n: 100 } }).modifiedCount, 100);
    equal(collection.replaceOne({ _id: 0 }, { text: 'new' }).modifiedCount, 1);
    equal(collection.findOne({ _id: 0 }), { _id: 0, text: 'new' });
    equal(collection.deleteMany({ n: 103 }).deletedCount, 100);
    equal(collection.countDocuments({}), 900);
    assert.ok(collection.stats().count === 900);
    assert.ok(db.getCollectionNames().includes('cursor'));
    assert.ok(collection.find({ _id: 1 }).explain().queryPlanner);
  },

  bulk_ordered() {
    const collection = fresh('bulk_ordered');
    equal(bulkErrors(() => collection.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 1 }, { _id: 3 }])), [[2, 11000]]);
    equal(ids(collection), [1, 2]);
    const result = collection.bulkWrite([
      { insertOne: { document: { _id: 3, n: 1 } } },
      { updateOne: { filter: { _id: 3 }, update: { $inc: { n: 1 } } } },
      { replaceOne: { filter: { _id: 4 }, replacement: { n: 9 }, upsert: true } },
      { deleteOne: { filter: { _id: 1 } } },
    ]);
    equal([result.insertedCount, result.matchedCount, result.modifiedCount, result.upsertedCount, result.deletedCount],
      [1, 1, 1, 1, 1]);
    equal(result.upsertedIds[2], 4);
  },

  bulk_unordered() {
    const collection = fresh('bulk_unordered');
    const documents = [{ _id: 1 }, { _id: 2 }, { _id: 1 }, { _id: 3 }, { _id: 2 }, { _id: 4 }];
    equal(bulkErrors(() => collection.insertMany(documents, { ordered: false })), [[2, 11000], [4, 11000]]);
    equal(ids(collection), [1, 2, 3, 4]);
  },

  find_and_modify() {
    const collection = fresh('modify');
    collection.insertOne({ _id: 1, n: 1 });
    const increment = { $inc: { n: 1 } };
    equal(collection.findOneAndUpdate({ _id: 1 }, increment), { _id: 1, n: 1 });
    equal(collection.findOneAndUpdate({ _id: 1 }, increment, { returnDocument: 'after' }), { _id: 1, n: 3 });
    equal(collection.findAndModify({ query: { _id: 2 }, update: increment, new: true, upsert: true }), { _id: 2, n: 1 });
    equal(collection.findOneAndReplace({ _id: 2 }, { n: 7 }), { _id: 2, n: 1 });
    equal(collection.findOneAndDelete({}, { sort: { n: -1 }, projection: { _id: 0 } }), { n: 7 });
    equal(collection.findOneAndDelete({ _id: 9 }), null);
  },

  unique_index() {
    const collection = fresh('unique');
    collection.insertMany([{ _id: 1, mail: 'a' }, { _id: 2, mail: 'b' }]);
    equal(collection.createIndex({ mail: 1 }, { unique: true }), 'mail_1');
    const error = fails(11000, () => collection.insertOne({ _id: 3, mail: 'a' }));
    assert.ok(/E11000 duplicate key error collection: drivers\.unique index: mail_1/.test(error.message), error.message);
    fails(11000, () => collection.updateOne({ _id: 2 }, { $set: { mail: 'a' } }));
    collection.insertMany([{ _id: 3, mail: 'c', kind: 1 }, { _id: 4, mail: 'd', kind: 1 }]);
    fails(11000, () => collection.createIndex({ kind: 1 }, { unique: true }));
    equal(collection.getIndexes().map((index) => index.name), ['_id_', 'mail_1']);
  },

  session() {
    fresh('session');
    const own = db.getMongo().startSession();
    const collection = own.getDatabase('drivers').session;
    collection.insertOne({ _id: 1 });
    equal(collection.find().toArray().length, 1);
    equal(collection.countDocuments({}), 1);
    assert.ok(own.getOperationTime(), 'the replies had no operationTime');
    own.endSession();
  },

  retryable_write() {
    const collection = fresh('retryable');
    collection.insertOne({ _id: 1, n: 0 });
    collection.updateOne({ _id: 1 }, { $inc: { n: 1 } });
    const own = db.getMongo().startSession();
    const command = {
      update: 'retryable', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }], txnNumber: NumberLong('1000'),
    };
    for (let i = 0; i < 2; i += 1) {
      const reply = own.getDatabase('drivers').runCommand(command);
      equal([reply.n, reply.nModified], [1, 1]);
    }
    own.endSession();
    equal(collection.findOne({ _id: 1 }).n, 2);
  },
};
