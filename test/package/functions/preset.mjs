import { createBatchProcessor } from 'batchlatch';
import { twoDeliveries } from './two-deliveries.mjs';

void twoDeliveries((run, observer) => createBatchProcessor(run, { observer }));
