// What the scenarios share: fresh collections, the server's clock, expected failures, the launcher.
db = db.getSiblingDB('drivers');
admin = db.getSiblingDB('admin');
assert = require('assert');

function fresh(name) {
  db[name].drop();
  return db[name];
}

function advance(seconds) {
  admin.runCommand({ setClock: { advanceMS: seconds * 1000 } });
}

// Nothing is removed while the body runs, so that what is hidden can come back.
function withoutRemoval(body) {
  admin.runCommand({ setParameter: 1, ttlMonitorEnabled: false });
  try {
    body();
  } finally {
    admin.runCommand({ setParameter: 1, ttlMonitorEnabled: true });
  }
}

function ids(collection) {
  return collection.find({}, { _id: 1 }).sort({ _id: 1 }).toArray().map((document) => document._id);
}

function equal(actual, expected) {
  assert.deepStrictEqual(EJSON.serialize(actual, { relaxed: true }), EJSON.serialize(expected, { relaxed: true }));
}

// The server error that the operation must end with.
function fails(code, operation) {
  try {
    operation();
  } catch (error) {
    equal(error.code, code);
    return error;
  }
  return assert.fail(`succeeded, expected error ${code}`);
}

// Waits for the answer without blocking the shell's event loop, which watches the server meanwhile.
function restartServer() {
  const fs = require('fs');
  fs.writeSync(1, '@restart\n');
  const pipe = fs.openSync(process.env.MAYFLY_ANSWERS, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  let read = 0;
  while (read === 0) {
    sleep(20);
    try {
      read = fs.readSync(pipe, Buffer.alloc(64));
    } catch (error) {
      equal(error.code, 'EAGAIN');
    }
  }
  fs.closeSync(pipe);
}
