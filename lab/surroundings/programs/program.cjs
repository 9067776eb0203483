const { run } = require('./run.cjs');

void run(async (name) => require(name));
