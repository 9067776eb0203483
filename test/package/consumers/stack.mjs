// An ES module. Prints the stack of an error that the library throws.
import { createBatchProcessor } from 'batchlatch';

try {
  createBatchProcessor(() => undefined, { concurrency: 'three' });
} catch (error) {
  process.stdout.write(JSON.stringify(error.stack));
}
