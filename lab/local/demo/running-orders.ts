import type { SQSEvent } from 'aws-lambda';
import type { DevEvent } from '../../../packages/cli/src/dev/report/dev-event.ts';

/** Which invocation has which order. */
export class RunningOrders {
  readonly #events = new Map<string, SQSEvent>();
  #delivered = 0;

  /** How many records invocations have got so far, those that came again included. */
  get delivered(): number {
    return this.#delivered;
  }

  /** To be told of all that happens. */
  note(event: DevEvent): void {
    if (event.type === 'invoking') {
      const batch = event.event as SQSEvent;
      this.#delivered += batch.Records.length;
      this.#events.set(event.requestId, batch);
    }
    if (event.type === 'invoked') this.#events.delete(event.invocation.requestId);
  }

  /** The request id of an invocation that runs and has a message with this order. */
  requestOf(orderId: string): string | undefined {
    const member = `"orderId":${JSON.stringify(orderId)}`;
    for (const [requestId, { Records }] of this.#events) {
      if (Records.some(({ body }) => body.includes(member))) return requestId;
    }
    return undefined;
  }
}
