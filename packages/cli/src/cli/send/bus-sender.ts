import type { PutEventsCommandInput, PutEventsCommandOutput } from '@aws-sdk/client-eventbridge';
import type { OutgoingEvent } from './outgoing-event.ts';
import type { Sender } from '../../sending/send-batch.ts';

/** The bus that events go to. */
export interface BusDestination {
  readonly putEvents: (
    input: PutEventsCommandInput,
  ) => Promise<Pick<PutEventsCommandOutput, 'FailedEntryCount' | 'Entries'>>;
  /** Name or ARN. */
  readonly bus: string;
}

/** The error codes of EventBridge that are worth a retry. */
const LATER = /Throttl|Internal|Unavailable/;

/** Returns a sender to a bus: at most ten events in a request. */
export function busSender(
  { putEvents, bus }: BusDestination,
  sleep: Sender<OutgoingEvent>['sleep'],
): Sender<OutgoingEvent> {
  return {
    async request(events) {
      const { Entries = [] } = await putEvents({
        Entries: events.map(({ entry }) => ({ ...entry, EventBusName: bus })),
      });
      return Entries.flatMap(({ ErrorCode, ErrorMessage = '' }, index) =>
        ErrorCode === undefined
          ? []
          : [{ index, code: ErrorCode, reason: ErrorMessage, isFinal: !LATER.test(ErrorCode) }],
      );
    },
    sleep,
  };
}
