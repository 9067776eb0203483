import { createBatchProcessor, s3 } from 'batchlatch';
import { observer } from '../orders/observer.ts';
import { note } from './note.ts';

/** Notes every version of a file that is put into the bucket of invoices, each once. */
export const handler = createBatchProcessor(
  ({ body: { bucket, key, size } }, { signal }) => note('invoice file', key, { bucket, size }, signal),
  { source: s3(), observer },
);
