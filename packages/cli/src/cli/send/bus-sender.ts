import type { PutEventsCommandInput, PutEventsCommandOutput } from '@aws-sdk/client-eventbridge';
import type { OutgoingEvent } from './outgoing-event.ts';
import type { Sender } from './send-batch.ts';

/** The bus that events go to. */
export interface BusDestination {
  readonly putEvents: (
    input: PutEventsCommandInput,
  ) => Promise<Pick<PutEventsCommandOutput, 'FailedEntryCount' | 'Entries'>>;
  /** Its name or its ARN. */
  readonly bus: string;
}

/** What EventBridge says of an event that it would take later. */
const LATER = /Throttl|Internal|Unavailable/;

/** Sends events to a bus: ten in a request, at most. */
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
