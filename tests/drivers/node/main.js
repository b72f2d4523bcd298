'use strict';
const { MongoClient } = require('mongodb');
const { Context, runAll } = require('./harness');
const ttl = require('./ttl');
const crud = require('./crud');

async function main() {
  const client = new MongoClient(process.env.MAYFLY_URI, { monitorCommands: true, serverSelectionTimeoutMS: 20000 });
  const commands = [];
  client.on('commandStarted', (event) => commands.push(event));
  const { connect, restart, ...rest } = crud;
  const context = new Context(client, commands);
  const scenarios = {};
  for (const [name, scenario] of Object.entries({ connect, restart, ...ttl, ...rest })) {
    scenarios[name] = () => scenario.call(context);
  }
  try {
    await client.connect();
    return await runAll(scenarios);
  } finally {
    await client.close();
  }
}

main().then((failed) => process.exit(failed ? 1 : 0), (error) => {
  console.log(error);
  process.exit(1);
});
