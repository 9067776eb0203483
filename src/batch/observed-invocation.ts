import type { Context } from 'aws-lambda';
import type { ObservedInvocation, ObservedRecord } from '../observe/observed.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { SourceBatch, SourceEntry } from '../sources/source.ts';
import type { Ledger } from './ledger.ts';
import { recordIdOf } from './plan.ts';
import { observedRecord } from './observed-record.ts';

/** What observers see of an invocation. */
export function observedInvocation(
  { lambda, functionName, batch }: ObservedSubject,
  ledger: Pick<Ledger, 'records'>,
): ObservedInvocation {
  return new Observed({ lambda, functionName, batch }, ledger);
}

interface ObservedSubject {
  readonly lambda: Context | undefined;
  readonly functionName: string | undefined;
  readonly batch: SourceBatch;
}

/** Its members beyond the first two are made when they are looked at: most observers never do. */
class Observed implements ObservedInvocation {
  readonly requestId?: string;
  readonly functionName?: string;
  readonly #delivered: readonly SourceEntry[];
  readonly #ledger: Pick<Ledger, 'records'>;
  #first: { readonly record: BatchRecord | undefined } | undefined;
  #places: Map<string, number> | undefined;

  constructor({ lambda, functionName, batch }: ObservedSubject, ledger: Pick<Ledger, 'records'>) {
    if (lambda?.awsRequestId !== undefined) this.requestId = lambda.awsRequestId;
    const name = lambda?.functionName ?? functionName;
    if (name !== undefined) this.functionName = name;
    this.#delivered = batch.entries;
    this.#ledger = ledger;
  }

  get source(): string {
    return this.#readable?.source ?? 'unknown';
  }

  get destination(): string | undefined {
    return this.#readable && observedRecord(this.#readable).destination;
  }

  /** The first record that can be read: where it comes from, all do. */
  get #readable(): BatchRecord | undefined {
    this.#first ??= { record: firstRecord(this.#delivered) };
    return this.#first.record;
  }

  get records(): number {
    return this.#delivered.length;
  }

  recordOf(recordId: string): ObservedRecord | undefined {
    this.#places ??= placesOf(this.#delivered);
    const place = this.#places.get(recordId);
    if (place === undefined) return undefined;
    const record =
      this.#ledger.records[place]?.record ?? deliveredRecord(this.#delivered[place] as SourceEntry);
    return record && observedRecord(record);
  }
}

function firstRecord(delivered: readonly SourceEntry[]): BatchRecord | undefined {
  for (const entry of delivered) {
    const record = deliveredRecord(entry);
    if (record !== undefined) return record;
  }
  return undefined;
}

function deliveredRecord({ read }: SourceEntry): BatchRecord | undefined {
  if ('record' in read) return read.record;
  return 'delivered' in read ? read.delivered : undefined;
}

function placesOf(delivered: readonly SourceEntry[]): Map<string, number> {
  const places = new Map<string, number>();
  delivered.forEach(({ itemIdentifier }, index) => {
    const recordId = recordIdOf(itemIdentifier, index);
    if (!places.has(recordId)) places.set(recordId, index);
  });
  return places;
}
