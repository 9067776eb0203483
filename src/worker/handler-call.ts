import type { Context, SQSEvent } from 'aws-lambda';
import { type Host, hostedBy, type HostReport } from '../attempts/host.ts';
import { hasCode } from '../base/errors.ts';
import { failedItems } from './failed-items.ts';

/** How a call of the handler ended. */
export interface CallResult {
  /** Ids of the messages that it acknowledged. */
  readonly acknowledged: readonly string[];
  /** And those that it did not. */
  readonly failed: ReadonlySet<string>;
  /** Of these, those that stay here and run again. */
  readonly kept: ReadonlySet<string>;
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
  readonly host: Omit<Host, 'beforeHandBack'>;
  /** Which of the messages that are not acknowledged stay here and run again. */
  readonly keep: (report: HostReport) => ReadonlySet<string>;
  /**
   * Nothing must change the visibility of its messages from now on but the handler, except for those that are kept; those that fail, by
   * their ids, come again when the queue says, unless the handler says otherwise.
   */
  readonly release: (failed: readonly string[], kept: ReadonlySet<string>) => Promise<void>;
}

const NONE: ReadonlySet<string> = new Set();

/** Calls the handler as Lambda does. Never rejects. */
export async function callHandler(call: HandlerCall): Promise<CallResult> {
  const { handler, event, host, keep, release } = call;
  const ids = event.Records.map(({ messageId }) => messageId);
  let report: HostReport | undefined;
  let kept = NONE;
  const beforeHandBack: Host['beforeHandBack'] = async (ofRecords) => {
    report = ofRecords;
    kept = keep(ofRecords);
    await release(
      ofRecords.handedBack.filter((id) => !kept.has(id)),
      kept,
    );
    return kept;
  };
  const context = hostedBy({ ...host, beforeHandBack }, call.context);
  let failed: ReadonlySet<string>;
  let thrown: { readonly error: unknown } | undefined;
  try {
    failed = failedItems(await handler(event, context), ids);
  } catch (error) {
    failed = new Set(ids);
    thrown = { error };
  } finally {
    host.deadline.cancel();
  }
  if (report === undefined) await release([...failed], NONE); // a handler of another making
  // Without a claim store that is configured every call fails, and every message would become a dead letter.
  const storeFailed = report?.storeFailed ?? hasCode(thrown?.error, 'BATCHLATCH_CONFIGURATION');
  return {
    acknowledged: ids.filter((id) => !failed.has(id)),
    failed,
    kept,
    errors: [...(report?.errors ?? []), ...(thrown === undefined ? [] : [thrown.error])],
    storeFailed,
    storeAnswered: report !== undefined && !storeFailed,
    ...(thrown !== undefined && { thrown }),
  };
}
