// Runs the scenarios in order and reports each one to the launcher.
(() => {
  const { connect, restart, ...rest } = crudScenarios;
  let failed = 0;
  for (const [name, scenario] of Object.entries({ connect, restart, ...ttlScenarios, ...rest })) {
    try {
      scenario();
      print(`ok ${name}`);
    } catch (error) {
      failed += 1;
      print(`not ok ${name}: ${String(error.message).replace(/\s+/g, ' ')}`);
    }
  }
  process.exitCode = failed ? 1 : 0;
})();
