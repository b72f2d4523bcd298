'use strict';
// Runs the scenarios in order and reports each one to the launcher; holds what all of them share.
const assert = require('assert');
const fs = require('fs');

// Asks the launcher for a restart of the server and waits for it.
function restartServer() {
  fs.writeSync(1, '@restart\n');
  assert.ok(fs.readFileSync(process.env.MAYFLY_ANSWERS).length > 0, 'the launcher did not answer');
}

// The server error that the promise must be rejected with.
async function failure(promise, code) {
  try {
    await promise;
  } catch (error) {
    assert.strictEqual(error.code, code, `code ${error.code} (${error.message}), expected ${code}`);
    return error;
  }
  return assert.fail(`succeeded, expected error ${code}`);
}

class Context {
  constructor(client, commands) {
    this.client = client;
    this.commands = commands;
    this.db = client.db('drivers');
  }

  async fresh(name) {
    await this.db.collection(name).drop().catch((error) => {
      if (error.code !== 26) throw error;
    });
    return this.db.collection(name);
  }

  admin(command) {
    return this.client.db('admin').command(command);
  }

  advance(seconds) {
    return this.admin({ setClock: { advanceMS: seconds * 1000 } });
  }

  // Stops and starts the removal of expired documents; hiding goes on.
  removal(on) {
    return this.admin({ setParameter: 1, ttlMonitorEnabled: on });
  }

  async ids(collection) {
    const documents = await collection.find({}, { sort: { _id: 1 }, projection: { _id: 1 } }).toArray();
    return documents.map((document) => document._id);
  }
}

async function runAll(scenarios) {
  let failed = 0;
  for (const [name, scenario] of Object.entries(scenarios)) {
    try {
      await scenario();
      fs.writeSync(1, `ok ${name}\n`);
    } catch (error) {
      failed += 1;
      const where = (error.stack || '').split('\n').find((line) => /(ttl|crud)\.js/.test(line)) || '';
      const text = String(error.message).replace(/\s+/g, ' ');
      fs.writeSync(1, `not ok ${name}: ${text} ${where.trim()}\n`);
    }
  }
  return failed;
}

module.exports = { Context, failure, restartServer, runAll };
