import { createBatchProcessor, sns } from 'batchlatch';
import { observer } from '../orders/observer.ts';
import { note } from './note.ts';

/** Notes the shipments that a topic announces. SNS has no answer for parts: a rejection brings the notification again. */
export const handler = createBatchProcessor(
  ({ body: { shipmentId, carrier } }, { signal }) => note('shipment', shipmentId, { carrier }, signal),
  { source: sns<{ shipmentId?: string; carrier?: string }>(), observer },
);
