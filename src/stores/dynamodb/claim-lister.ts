import type { RowLister, RowQuery } from '../rows/row-lister.ts';
import type { WriterSetup } from './batch-writer.ts';
import { type IndexReader, indexReader, isIndexPosition, MissingIndexError } from './index-reader.ts';
import type { ItemWriter } from './item-writer.ts';
import type { OverdueIndex } from './overdue-index.ts';
import type { Row, RowFormat } from './row.ts';
import { type Reading, scanReader } from './scan-reader.ts';
import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { Transport } from './transport.ts';

export interface ListerSetup extends WriterSetup {
  readonly format: RowFormat;
  readonly index: OverdueIndex | undefined;
  /** Reads rows by their keys, strongly consistently. */
  readonly readerOf: (setup: WriterSetup) => Pick<ItemWriter, 'read'>;
}

/**
 * Lists claims by the index where there is one that holds the state, and by a scan otherwise. One for each call: it sums up
 * what its requests cost.
 */
export function claimLister(setup: ListerSetup): RowLister<Row> {
  const transport = meteredTransport(setup.transport);
  const { index, readerOf } = setup;
  const metered = { ...setup, transport };
  const scan = scanReader(metered);
  const indexed: IndexReader | undefined =
    index && indexReader({ ...metered, index, reader: readerOf(metered) });

  function priced<Page extends Reading>(page: Page): Page {
    const readUnits = transport.units();
    return readUnits === undefined ? page : { ...page, readUnits };
  }

  /** Whether rows are to be read instead: the first page finds that out, and those after it go on in the same way. */
  function mayScan(thrown: unknown, position: unknown): boolean {
    return thrown instanceof MissingIndexError && index?.isNamed === false && position === undefined;
  }

  return {
    async list(query, position, signal) {
      if (index === undefined || indexed === undefined || !isInIndex(query)) {
        return priced(await scan.list(query, position, signal));
      }
      if (position === undefined || isIndexPosition(position)) {
        try {
          return priced(await indexed.list(query, position, signal));
        } catch (thrown) {
          if (!mayScan(thrown, position)) throw thrown;
        }
      }
      return priced({ ...(await scan.list(query, position, signal)), missingIndex: index.name });
    },
    async count(query, position, signal) {
      if (indexed === undefined || !isInIndex(query)) return undefined;
      if (position !== undefined && !isIndexPosition(position)) return undefined;
      try {
        const counted = await indexed.count(query, position, signal);
        return counted && priced(counted);
      } catch (thrown) {
        if (!mayScan(thrown, position)) throw thrown;
        return undefined;
      }
    },
  };
}

function isInIndex({ state }: RowQuery<Row>): boolean {
  return state === 'in-progress' || state === 'overdue' || state === 'parked';
}

/** A transport that has DynamoDB say what its requests cost. */
interface MeteredTransport extends Transport {
  /** Capacity units of all answers so far; undefined where none of them said. */
  units(): number | undefined;
}

function meteredTransport(transport: Transport): MeteredTransport {
  let units: number | undefined;
  return {
    async send(operation, input, signal) {
      const answer = await transport.send(operation, { ...input, ReturnConsumedCapacity: 'TOTAL' }, signal);
      const { ConsumedCapacity } = answer as {
        readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[];
      };
      for (const { CapacityUnits } of [ConsumedCapacity ?? []].flat()) {
        if (CapacityUnits !== undefined) units = (units ?? 0) + CapacityUnits;
      }
      return answer;
    },
    units: () => units,
  };
}
