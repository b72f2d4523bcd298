'use strict';
// Connections, documents, cursors, bulk writes, sessions.
const assert = require('assert');
const { Long, MongoClient } = require('mongodb');
const { failure, restartServer } = require('./harness');

async function connect() {
  for (const uri of process.env.MAYFLY_URIS.split('\n')) {
    const client = new MongoClient(uri, { serverSelectionTimeoutMS: 10000 });
    try {
      await client.connect();
      assert.strictEqual((await client.db('admin').command({ ping: 1 })).ok, 1, uri);
      const hello = await client.db('admin').command({ hello: 1 });
      assert.strictEqual(hello.isWritablePrimary, true, uri);
      assert.strictEqual(hello.setName, 'globaldb', uri);
    } finally {
      await client.close();
    }
  }
}

async function restart() {
  const collection = await this.fresh('restart');
  await collection.createIndex({ n: 1 }, { unique: true });
  await collection.createIndex({ _ts: 1 }, { expireAfterSeconds: 100 });
  await collection.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: i, n: i, text: 'x'.repeat(100) })));
  restartServer();
  assert.strictEqual(await collection.countDocuments({}), 500);
  assert.strictEqual((await collection.findOne({ n: 499 })).text.length, 100);
  const names = (await collection.listIndexes().toArray()).map((index) => index.name);
  assert.deepStrictEqual(names, ['_id_', 'n_1', '_ts_1']);
  await failure(collection.insertOne({ _id: 500, n: 7 }), 11000);
  await collection.insertOne({ _id: 500, n: 500 });
  assert.strictEqual(await collection.countDocuments({}), 501);
  await this.advance(101);
  assert.strictEqual(await collection.countDocuments({}), 0);
}

async function crud_cursor() {
  const collection = await this.fresh('cursor');
  const documents = Array.from({ length: 1000 }, (_, i) => ({ _id: i, n: i % 10, text: `document ${i}` }));
  assert.strictEqual((await collection.insertMany(documents)).insertedCount, 1000);
  this.commands.length = 0;
  const found = await collection.find({}, { batchSize: 100, sort: { _id: 1 } }).toArray();
  assert.deepStrictEqual(found, documents);
  const batches = this.commands.filter((command) => command.commandName === 'getMore').length;
  assert.ok(batches >= 9 && batches <= 10, `${batches} getMore`);
  const some = await collection.find({ n: { $gte: 8 } }, { batchSize: 7 }).sort({ _id: -1 }).skip(1).limit(50).toArray();
  assert.strictEqual(some.length, 50);
  assert.strictEqual(some[0]._id, 998);
  const sums = await collection.aggregate(
    [{ $match: { n: { $lt: 3 } } }, { $group: { _id: '$n', n: { $sum: 1 } } }, { $sort: { _id: 1 } }]).toArray();
  assert.deepStrictEqual(sums, [{ _id: 0, n: 100 }, { _id: 1, n: 100 }, { _id: 2, n: 100 }]);
  const left = collection.find({}, { batchSize: 10 });
  await left.next();
  await left.close();
  assert.strictEqual((await collection.updateMany({ n: 3 }, { $inc: { n: 100 } })).modifiedCount, 100);
  assert.strictEqual((await collection.replaceOne({ _id: 0 }, { text: 'new' })).modifiedCount, 1);
  assert.deepStrictEqual(await collection.findOne({ _id: 0 }), { _id: 0, text: 'new' });
  assert.strictEqual((await collection.deleteMany({ n: 103 })).deletedCount, 100);
  assert.strictEqual(await collection.countDocuments({}), 900);
}

async function bulk_ordered() {
  const collection = await this.fresh('bulk_ordered');
  const error = await failure(
    collection.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 1 }, { _id: 3 }], { ordered: true }), 11000);
  const errors = [].concat(error.writeErrors);
  assert.deepStrictEqual(errors.map((one) => [one.index, one.code]), [[2, 11000]]);
  assert.deepStrictEqual(await this.ids(collection), [1, 2]);
  const result = await collection.bulkWrite([
    { insertOne: { document: { _id: 3, n: 1 } } },
    { updateOne: { filter: { _id: 3 }, update: { $inc: { n: 1 } } } },
    { replaceOne: { filter: { _id: 4 }, replacement: { n: 9 }, upsert: true } },
    { deleteOne: { filter: { _id: 1 } } },
  ]);
  assert.deepStrictEqual(
    [result.insertedCount, result.matchedCount, result.modifiedCount, result.upsertedCount, result.deletedCount],
    [1, 1, 1, 1, 1]);
  assert.strictEqual(result.upsertedIds[2], 4);
}

async function bulk_unordered() {
  const collection = await this.fresh('bulk_unordered');
  const documents = [{ _id: 1 }, { _id: 2 }, { _id: 1 }, { _id: 3 }, { _id: 2 }, { _id: 4 }];
  const error = await failure(collection.insertMany(documents, { ordered: false }), 11000);
  const errors = [].concat(error.writeErrors);
  assert.deepStrictEqual(errors.map((one) => [one.index, one.code]), [[2, 11000], [4, 11000]]);
  assert.deepStrictEqual(await this.ids(collection), [1, 2, 3, 4]);
}

// Driver 4 wraps the document in the command's reply.
const value = (result) => (result && 'lastErrorObject' in result ? result.value : result);

async function find_and_modify() {
  const collection = await this.fresh('modify');
  await collection.insertOne({ _id: 1, n: 1 });
  const increment = { $inc: { n: 1 } };
  assert.deepStrictEqual(value(await collection.findOneAndUpdate({ _id: 1 }, increment)), { _id: 1, n: 1 });
  assert.deepStrictEqual(
    value(await collection.findOneAndUpdate({ _id: 1 }, increment, { returnDocument: 'after' })), { _id: 1, n: 3 });
  assert.deepStrictEqual(
    value(await collection.findOneAndUpdate({ _id: 2 }, increment, { returnDocument: 'after', upsert: true })),
    { _id: 2, n: 1 });
  assert.deepStrictEqual(value(await collection.findOneAndReplace({ _id: 2 }, { n: 7 })), { _id: 2, n: 1 });
  assert.deepStrictEqual(
    value(await collection.findOneAndDelete({}, { sort: { n: -1 }, projection: { _id: 0 } })), { n: 7 });
  assert.strictEqual(value(await collection.findOneAndDelete({ _id: 9 })), null);
}

async function unique_index() {
  const collection = await this.fresh('unique');
  await collection.insertMany([{ _id: 1, mail: 'a' }, { _id: 2, mail: 'b' }]);
  assert.strictEqual(await collection.createIndex({ mail: 1 }, { unique: true }), 'mail_1');
  const error = await failure(collection.insertOne({ _id: 3, mail: 'a' }), 11000);
  assert.deepStrictEqual(error.keyPattern, { mail: 1 });
  assert.deepStrictEqual(error.keyValue, { mail: 'a' });
  await failure(collection.updateOne({ _id: 2 }, { $set: { mail: 'a' } }), 11000);
  await collection.insertOne({ _id: 3, mail: 'c', kind: 1 });
  await collection.insertOne({ _id: 4, mail: 'd', kind: 1 });
  await failure(collection.createIndex({ kind: 1 }, { unique: true }), 11000);
  assert.deepStrictEqual((await collection.listIndexes().toArray()).map((index) => index.name), ['_id_', 'mail_1']);
}

async function session() {
  const collection = await this.fresh('session');
  const own = this.client.startSession();
  try {
    await collection.insertOne({ _id: 1 }, { session: own });
    assert.strictEqual((await collection.find({}, { session: own }).toArray()).length, 1);
    assert.strictEqual(await collection.countDocuments({}, { session: own }), 1);
    assert.ok(own.operationTime, 'the replies had no operationTime');
  } finally {
    await own.endSession();
  }
}

async function retryable_write() {
  const collection = await this.fresh('retryable');
  await collection.insertOne({ _id: 1, n: 0 });
  this.commands.length = 0;
  await collection.updateOne({ _id: 1 }, { $inc: { n: 1 } });
  const [sent] = this.commands.filter((command) => command.commandName === 'update');
  assert.ok(sent.command.txnNumber !== undefined, 'the driver did not send the write as a retryable one');
  const own = this.client.startSession();
  try {
    const command = { update: 'retryable', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }], txnNumber: Long.fromNumber(1000) };
    for (let i = 0; i < 2; i += 1) {
      const reply = await this.db.command(command, { session: own });
      assert.deepStrictEqual([reply.n, reply.nModified], [1, 1]);
    }
  } finally {
    await own.endSession();
  }
  assert.strictEqual((await collection.findOne({ _id: 1 })).n, 2);
}

module.exports = {
  connect, restart, crud_cursor, bulk_ordered, bulk_unordered, find_and_modify, unique_index, session, retryable_write,
};
