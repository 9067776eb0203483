// CommonJS. Prints the stack of an error that the library throws.
const { createBatchProcessor } = require('batchlatch');

try {
  createBatchProcessor(() => undefined, { concurrency: 'three' });
} catch (error) {
  process.stdout.write(JSON.stringify(error.stack));
}
