'use strict';
// Expiry by last write, as a user of Cosmos DB's API for MongoDB writes it.
const assert = require('assert');
const { Double, Int32, Long } = require('mongodb');
const { failure } = require('./harness');

async function ttl_index_reply() {
  await this.fresh('reply');
  const create = (seconds) =>
    this.db.command({ createIndexes: 'reply', indexes: [{ key: { _ts: 1 }, name: '_ts_1', expireAfterSeconds: seconds }] });
  const first = await create(10);
  assert.strictEqual(first.numIndexesBefore, 1);
  assert.strictEqual(first.numIndexesAfter, 2);
  assert.strictEqual(first.createdCollectionAutomatically, true);
  assert.strictEqual(first.ok, 1);
  const again = await create(10);
  assert.strictEqual(again.numIndexesBefore, 2);
  assert.strictEqual(again.numIndexesAfter, 2);
  assert.strictEqual(again.note, 'all indexes already exist');
  await failure(create(11), 85);
}

async function ttl_index_values() {
  const collection = await this.fresh('values');
  for (const value of [0, -2, 2147483648, NaN, Infinity]) {
    await failure(collection.createIndex({ _ts: 1 }, { expireAfterSeconds: value }), 67);
  }
  await failure(collection.createIndex({ _ts: 1, a: 1 }, { expireAfterSeconds: 10 }), 67);
  for (const value of [-1, new Int32(1), new Double(3.9), Long.fromNumber(2147483647)]) {
    assert.strictEqual(await collection.createIndex({ _ts: 1 }, { expireAfterSeconds: value }), '_ts_1');
    const [, index] = await collection.listIndexes().toArray();
    assert.deepStrictEqual(index.key, { _ts: 1 });
    assert.strictEqual(index.expireAfterSeconds, Math.trunc(Number(value)));
    await collection.dropIndex('_ts_1');
  }
}

async function ttl_valid_documents() {
  const collection = await this.fresh('valid');
  await collection.createIndex({ _ts: 1 }, { expireAfterSeconds: 1000 });
  await collection.insertOne({ _id: 1, location: 'Paris', ttl: new Double(20.0) });
  await collection.insertOne({ _id: 2, location: 'Paris', ttl: new Int32(20) });
  await collection.insertOne({ _id: 3, location: 'Paris', ttl: Long.fromNumber(20) });
  await this.advance(10);
  assert.deepStrictEqual(await this.ids(collection), [1, 2, 3]);
  await this.advance(10);
  assert.deepStrictEqual(await this.ids(collection), []);
  assert.strictEqual(await collection.countDocuments({}), 0);
}

async function ttl_invalid_documents() {
  const collection = await this.fresh('invalid');
  await collection.createIndex({ _ts: 1 }, { expireAfterSeconds: 60 });
  await collection.insertOne({ _id: 1, location: 'Paris', ttl: new Double(20.5) });
  await collection.insertOne({ _id: 2, location: 'Paris', ttl: Long.fromNumber(2147483649) });
  await this.advance(30);
  assert.deepStrictEqual(await this.ids(collection), [1, 2]);
  assert.strictEqual((await collection.findOne({ _id: 1 })).ttl, 20.5);
  await this.advance(30);
  assert.deepStrictEqual(await this.ids(collection), []);
}

async function ttl_table() {
  const rules = { off: undefined, never: -1, seconds: 40 };
  const collections = {};
  for (const [name, rule] of Object.entries(rules)) {
    const collection = await this.fresh(`table_${name}`);
    if (rule !== undefined) await collection.createIndex({ _ts: 1 }, { expireAfterSeconds: rule });
    await collection.insertMany([{ _id: 'absent' }, { _id: 'never', ttl: -1 }, { _id: 'twenty', ttl: 20 }]);
    collections[name] = collection;
  }
  const check = async (off, never, seconds) => {
    assert.deepStrictEqual(await this.ids(collections.off), off);
    assert.deepStrictEqual(await this.ids(collections.never), never);
    assert.deepStrictEqual(await this.ids(collections.seconds), seconds);
  };
  const all = ['absent', 'never', 'twenty'];
  await this.advance(10);
  await check(all, all, all);
  await this.advance(15);
  await check(all, ['absent', 'never'], ['absent', 'never']);
  await this.advance(20);
  await check(all, ['absent', 'never'], ['never']);
  await this.advance(3600);
  await check(all, ['absent', 'never'], ['never']);
}

// Runs the body while nothing is removed, so that what is hidden can come back.
async function withoutRemoval(context, body) {
  await context.removal(false);
  try {
    await body();
  } finally {
    await context.removal(true);
  }
}

async function ttl_change_rule() {
  const collection = await this.fresh('change');
  await collection.createIndex({ _ts: 1 }, { expireAfterSeconds: 20 });
  const change = (seconds) =>
    this.db.command({ collMod: 'change', index: { keyPattern: { _ts: 1 }, expireAfterSeconds: seconds } });
  await withoutRemoval(this, async () => {
    await collection.insertOne({ _id: 1 });
    await this.advance(30);
    assert.strictEqual(await collection.countDocuments({}), 0);
    const reply = await change(1000);
    assert.strictEqual(Number(reply.expireAfterSeconds_old), 20);
    assert.strictEqual(Number(reply.expireAfterSeconds_new), 1000);
    assert.strictEqual(await collection.countDocuments({}), 1);
    await change(25);
    assert.strictEqual(await collection.countDocuments({}), 0);
    await change(-1);
    assert.strictEqual(await collection.countDocuments({}), 1);
  });
}

async function ttl_drop_rule() {
  const collection = await this.fresh('drop');
  await collection.createIndex({ _ts: 1 }, { expireAfterSeconds: 20 });
  await withoutRemoval(this, async () => {
    await collection.insertMany([{ _id: 1 }, { _id: 2, ttl: 5 }]);
    await this.advance(30);
    assert.deepStrictEqual(await this.ids(collection), []);
    const reply = await this.db.command({ dropIndexes: 'drop', index: '_ts_1' });
    assert.strictEqual(reply.nIndexesWas, 2);
    assert.deepStrictEqual(await this.ids(collection), [1, 2]);
  });
}

async function ttl_reads() {
  const collection = await this.fresh('reads');
  await collection.createIndex({ _ts: 1 }, { expireAfterSeconds: 20 });
  await collection.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }, { _id: 4, ttl: -1 }, { _id: 5, ttl: -1 }]);
  await this.advance(30);
  assert.deepStrictEqual(await this.ids(collection), [4, 5]);
  assert.strictEqual(await collection.findOne({ _id: 1 }), null);
  assert.strictEqual((await this.db.command({ count: 'reads' })).n, 2);
  assert.strictEqual((await this.db.command({ count: 'reads', query: { _id: { $lt: 5 } } })).n, 1);
  assert.strictEqual(await collection.countDocuments({}), 2);
  assert.strictEqual(await collection.estimatedDocumentCount(), 2);
  assert.deepStrictEqual(await collection.distinct('_id'), [4, 5]);
  const groups = await collection.aggregate([{ $group: { _id: null, n: { $sum: 1 } } }]).toArray();
  assert.deepStrictEqual(groups, [{ _id: null, n: 2 }]);
  assert.strictEqual((await collection.updateOne({ _id: 1 }, { $set: { a: 1 } })).matchedCount, 0);
  assert.strictEqual((await collection.deleteOne({ _id: 2 })).deletedCount, 0);
  assert.strictEqual((await collection.updateOne({ _id: 3 }, { $set: { a: 1 } }, { upsert: true })).upsertedId, 3);
  await collection.insertOne({ _id: 1 });
  assert.deepStrictEqual(await this.ids(collection), [1, 3, 4, 5]);
}

async function ttl_removal() {
  const removed = async () => Number((await this.admin({ serverStatus: 1 })).metrics.ttl.deletedDocuments);
  const collection = await this.fresh('removal');
  await collection.createIndex({ _ts: 1 }, { expireAfterSeconds: 20 });
  await collection.insertMany(Array.from({ length: 50 }, (_, i) => ({ _id: i })));
  const before = await removed();
  await this.advance(30);
  const reply = await this.admin({ ttlRunNow: 1 });
  assert.ok(Number(reply.removed) >= 0, JSON.stringify(reply));
  assert.strictEqual(await collection.countDocuments({}), 0);
  assert.ok((await removed()) >= before + 50, 'metrics.ttl.deletedDocuments did not count them');
}

module.exports = {
  ttl_index_reply, ttl_index_values, ttl_valid_documents, ttl_invalid_documents, ttl_table, ttl_change_rule,
  ttl_drop_rule, ttl_reads, ttl_removal,
};
