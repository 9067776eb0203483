import type { Context, SQSEvent } from 'aws-lambda';
import { type Host, hostedBy, type HostReport } from '../attempts/host.ts';
import { hasCode } from '../claims/errors.ts';
import { failedItems } from './failed-items.ts';

/** How a call of the handler ended. */
export interface CallResult {
  /** Ids of its messages, in their order. */
  readonly ids: readonly string[];
  /** Of them, those that it acknowledged. */
  readonly acknowledged: readonly string[];
  /** And those that come again. */
  readonly failed: ReadonlySet<string>;
  /** What handlers of its messages threw, as far as it is known. */
  readonly errors: readonly unknown[];
  /** The claim store did not answer for some. */
  readonly storeFailed: boolean;
  /** The claim store answered for all. */
  readonly storeAnswered: boolean;
  /** The call itself failed. */
  readonly thrown?: { readonly error: unknown };
}

export interface HandlerCall {
  readonly handler: (event: SQSEvent, context: Context) => Promise<unknown>;
  readonly event: SQSEvent;
  readonly context: Context;
  readonly deadline: Host['deadline'];
  /**
   * Nothing must change the visibility of its messages from now on but the handler; those that fail, by their ids, come again when the
   * queue says, unless the handler says otherwise.
   */
  readonly release: (failed: readonly string[]) => Promise<void>;
}

/** Calls the handler as Lambda does. Never rejects. */
export async function callHandler(call: HandlerCall): Promise<CallResult> {
  const { handler, event, deadline, release } = call;
  const ids = event.Records.map(({ messageId }) => messageId);
  let report: HostReport | undefined;
  const beforeHandBack: Host['beforeHandBack'] = (ofRecords) => {
    report = ofRecords;
    return release(ofRecords.handedBack);
  };
  const context = hostedBy({ deadline, beforeHandBack }, call.context);
  let failed: ReadonlySet<string>;
  let thrown: { readonly error: unknown } | undefined;
  try {
    failed = failedItems(await handler(event, context), ids);
  } catch (error) {
    failed = new Set(ids);
    thrown = { error };
  } finally {
    deadline.cancel();
  }
  if (report === undefined) await release([...failed]); // a handler of another making
  // Without a claim store that is configured every call fails, and every message would become a dead letter.
  const storeFailed = report?.storeFailed ?? hasCode(thrown?.error, 'BATCHLATCH_CONFIGURATION');
  return {
    ids,
    acknowledged: ids.filter((id) => !failed.has(id)),
    failed,
    errors: [...(report?.errors ?? []), ...(thrown === undefined ? [] : [thrown.error])],
    storeFailed,
    storeAnswered: report !== undefined && !storeFailed,
    ...(thrown !== undefined && { thrown }),
  };
}
