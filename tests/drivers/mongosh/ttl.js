// Expiry by last write, as Cosmos DB's public page types it into the shell.
ttlScenarios = {
  ttl_index_reply() {
    fresh('reply');
    const create = (seconds) =>
      db.runCommand({ createIndexes: 'reply', indexes: [{ key: { _ts: 1 }, name: '_ts_1', expireAfterSeconds: seconds }] });
    const first = create(10);
    equal([first.numIndexesBefore, first.numIndexesAfter], [1, 2]);
    equal([first.createdCollectionAutomatically, first.ok], [true, 1]);
    const again = create(10);
    equal([again.numIndexesBefore, again.numIndexesAfter, again.note], [2, 2, 'all indexes already exist']);
    fails(85, () => create(11));
  },

  ttl_index_values() {
    const collection = fresh('values');
    for (const value of [0, -2, 2147483648, NaN, Infinity]) {
      fails(67, () => collection.createIndex({ _ts: 1 }, { expireAfterSeconds: value }));
    }
    fails(67, () => collection.createIndex({ _ts: 1, a: 1 }, { expireAfterSeconds: 10 }));
    for (const [value, shown] of [[-1, -1], [Int32(1), 1], [Double(3.9), 3], [Long(2147483647), 2147483647]]) {
      equal(collection.createIndex({ _ts: 1 }, { expireAfterSeconds: value }), '_ts_1');
      const index = collection.getIndexes()[1];
      equal([index.key, index.expireAfterSeconds], [{ _ts: 1 }, shown]);
      collection.dropIndex('_ts_1');
    }
  },

  ttl_valid_documents() {
    const collection = fresh('valid');
    collection.createIndex({ _ts: 1 }, { expireAfterSeconds: 1000 });
    collection.insertOne({ _id: 1, location: 'Paris', ttl: Double(20.0) });
    collection.insertOne({ _id: 2, location: 'Paris', ttl: NumberInt(20) });
    collection.insertOne({ _id: 3, location: 'Paris', ttl: NumberLong('20') });
    advance(10);
    equal(ids(collection), [1, 2, 3]);
    advance(10);
    equal(ids(collection), []);
    equal(collection.countDocuments({}), 0);
  },

  ttl_invalid_documents() {
    const collection = fresh('invalid');
    collection.createIndex({ _ts: 1 }, { expireAfterSeconds: 60 });
    collection.insertOne({ _id: 1, location: 'Paris', ttl: 20.5 });
    collection.insertOne({ _id: 2, location: 'Paris', ttl: NumberLong('2147483649') });
    advance(30);
    equal(ids(collection), [1, 2]);
    advance(30);
    equal(ids(collection), []);
  },

  ttl_table() {
    const collections = [undefined, -1, 40].map((rule, number) => {
      const collection = fresh(`table_${number}`);
      if (rule !== undefined) collection.createIndex({ _ts: 1 }, { expireAfterSeconds: rule });
      collection.insertMany([{ _id: 'absent' }, { _id: 'never', ttl: -1 }, { _id: 'twenty', ttl: 20 }]);
      return collection;
    });
    const all = ['absent', 'never', 'twenty'];
    for (const [seconds, expected] of [
      [10, [all, all, all]],
      [15, [all, ['absent', 'never'], ['absent', 'never']]],
      [20, [all, ['absent', 'never'], ['never']]],
      [3600, [all, ['absent', 'never'], ['never']]],
    ]) {
      advance(seconds);
      equal(collections.map(ids), expected);
    }
  },

  ttl_change_rule() {
    const collection = fresh('change');
    collection.createIndex({ _ts: 1 }, { expireAfterSeconds: 20 });
    const change = (seconds) =>
      db.runCommand({ collMod: 'change', index: { keyPattern: { _ts: 1 }, expireAfterSeconds: seconds } });
    withoutRemoval(() => {
      collection.insertOne({ _id: 1 });
      advance(30);
      equal(collection.countDocuments({}), 0);
      const reply = change(1000);
      equal([Number(reply.expireAfterSeconds_old), Number(reply.expireAfterSeconds_new)], [20, 1000]);
      equal(collection.countDocuments({}), 1);
      change(25);
      equal(collection.countDocuments({}), 0);
      change(-1);
      equal(collection.countDocuments({}), 1);
    });
  },

  ttl_drop_rule() {
    const collection = fresh('drop');
    collection.createIndex({ _ts: 1 }, { expireAfterSeconds: 20 });
    withoutRemoval(() => {
      collection.insertMany([{ _id: 1 }, { _id: 2, ttl: 5 }]);
      advance(30);
      equal(ids(collection), []);
      equal(db.runCommand({ dropIndexes: 'drop', index: '_ts_1' }).nIndexesWas, 2);
      equal(ids(collection), [1, 2]);
    });
  },

  ttl_reads() {
    const collection = fresh('reads');
    collection.createIndex({ _ts: 1 }, { expireAfterSeconds: 20 });
    collection.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }, { _id: 4, ttl: -1 }, { _id: 5, ttl: -1 }]);
    advance(30);
    equal(ids(collection), [4, 5]);
    equal(collection.findOne({ _id: 1 }), null);
    equal(db.runCommand({ count: 'reads' }).n, 2);
    equal(db.runCommand({ count: 'reads', query: { _id: { $lt: 5 } } }).n, 1);
    equal(collection.countDocuments({}), 2);
    equal(collection.estimatedDocumentCount(), 2);
    equal(collection.distinct('_id'), [4, 5]);
    equal(collection.aggregate([{ $group: { _id: null, n: { $sum: 1 } } }]).toArray(), [{ _id: null, n: 2 }]);
    equal(collection.updateOne({ _id: 1 }, { $set: { a: 1 } }).matchedCount, 0);
    equal(collection.deleteOne({ _id: 2 }).deletedCount, 0);
    equal(collection.updateOne({ _id: 3 }, { $set: { a: 1 } }, { upsert: true }).upsertedCount, 1);
    collection.insertOne({ _id: 1 });
    equal(ids(collection), [1, 3, 4, 5]);
  },

  ttl_removal() {
    const removed = () => Number(db.serverStatus().metrics.ttl.deletedDocuments);
    const collection = fresh('removal');
    collection.createIndex({ _ts: 1 }, { expireAfterSeconds: 20 });
    collection.insertMany(Array.from({ length: 50 }, (_, i) => ({ _id: i })));
    const before = removed();
    advance(30);
    assert.ok(Number(admin.runCommand({ ttlRunNow: 1 }).removed) >= 0);
    equal(collection.countDocuments({}), 0);
    assert.ok(removed() >= before + 50, 'metrics.ttl.deletedDocuments did not count them');
  },
};
