import type { Context } from 'aws-lambda';
import type { ObservedInvocation, ObservedRecord } from '../observe/observed.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { SourceEntry } from '../sources/source.ts';
import type { RoutingPolicy } from './context.ts';
import type { Ledger } from './ledger.ts';
import { observedRecord } from './observed-record.ts';
import { type PlannedRecord, recordIdOf, recordIn } from './plan.ts';

/** The request and function that identify an invocation. */
interface ObservedSubject {
  readonly lambda: Context | undefined;
  readonly functionName: string | undefined;
  /** Undefined: the processor has no routes. */
  readonly routing: Pick<RoutingPolicy, 'typeOf'> | undefined;
}

/** Computes `source`, `destination` and records on demand: most observers never read them. */
export class Observed implements ObservedInvocation {
  readonly requestId?: string;
  readonly functionName?: string;
  readonly records: number;
  readonly #routing: ObservedSubject['routing'];
  readonly #ledger: Pick<Ledger, 'delivered' | 'records'>;
  #first: SourceEntry | PlannedRecord | undefined;
  #places: Map<string, number> | undefined;

  constructor(
    { lambda, functionName, routing }: ObservedSubject,
    ledger: Pick<Ledger, 'delivered' | 'records'>,
  ) {
    this.#routing = routing;
    if (lambda?.awsRequestId !== undefined) this.requestId = lambda.awsRequestId;
    const name = lambda?.functionName ?? functionName;
    if (name !== undefined) this.functionName = name;
    this.records = ledger.delivered.length;
    this.#ledger = ledger;
  }

  get source(): string {
    return this.#readable?.source ?? 'unknown';
  }

  get destination(): string | undefined {
    return this.#readable && observedRecord(this.#readable).destination;
  }

  get fairGroups(): readonly string[] {
    const groups: string[] = [];
    for (const one of this.#all) {
      // The groups of FIFO queues are lanes. A message that comes again says nothing about other messages.
      const record = one.lane === undefined ? recordOf(one) : undefined;
      if (record?.messageGroupId !== undefined && record.receiveCount === 1)
        groups.push(record.messageGroupId);
    }
    return groups;
  }

  /** The first readable record. All records of an event have the same source. */
  get #readable(): BatchRecord | undefined {
    this.#first ??= this.#all.find((one) => recordOf(one) !== undefined);
    return this.#first && recordOf(this.#first);
  }

  recordOf(recordId: string): ObservedRecord | undefined {
    const record = this.#find(recordId);
    const found = record && recordOf(record);
    return found && observedRecord(found, this.typeOf(recordId));
  }

  typeOf(recordId: string): string | undefined {
    const record = this.#routing && this.#find(recordId);
    return record && this.#routing?.typeOf(record);
  }

  #find(recordId: string): SourceEntry | PlannedRecord | undefined {
    this.#places ??= placesOf(this.#all);
    return this.#all[this.#places.get(recordId) ?? -1];
  }

  /** The records as read, or as delivered if they are not read yet. */
  get #all(): readonly (SourceEntry | PlannedRecord)[] {
    const { delivered, records } = this.#ledger;
    return records.length > 0 ? records : delivered;
  }
}

function recordOf(one: SourceEntry | PlannedRecord): BatchRecord | undefined {
  return 'read' in one ? recordIn(one) : one.record;
}

function placesOf(all: readonly (SourceEntry | PlannedRecord)[]): Map<string, number> {
  const places = new Map<string, number>();
  all.forEach(({ itemIdentifier }, index) => {
    const recordId = recordIdOf(itemIdentifier, index);
    if (!places.has(recordId)) places.set(recordId, index);
  });
  return places;
}
