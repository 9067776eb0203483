import type { ConsumedCapacity } from '@aws-sdk/client-dynamodb';
import type { RowLister, RowPage, RowQuery } from '../rows/row-lister.ts';
import type { ClaimsTable } from './claims-table.ts';
import { indexReader, isIndexPosition, MissingIndexError } from './index-reader.ts';
import type { Row } from './row.ts';
import { scanReader } from './scan-reader.ts';
import type { Transport } from './transport.ts';

/** Lists by the index if it holds the state, else by a scan. One per call: it sums up the call's cost. */
export function claimLister(table: ClaimsTable): RowLister<Row> {
  const { index } = table;
  const transport = meteredTransport(table.transport);
  const metered = { ...table, transport };
  const scan = scanReader(metered);
  const indexed = index && indexReader(metered, index);

  /** Returns undefined to read rows instead. The first page decides; the later ones continue the same way. */
  async function byIndex<Page extends Pick<RowPage, 'readUnits'>>(
    read: (reader: Required<RowLister<Row>>) => Promise<Page | undefined>,
    { state }: RowQuery<Row>,
    position: unknown,
  ): Promise<Page | undefined> {
    const isFirst = position === undefined;
    if (indexed === undefined || !isInIndex(state) || !(isFirst || isIndexPosition(position)))
      return undefined;
    try {
      const page = await read(indexed);
      return page && priced(page);
    } catch (thrown) {
      if (thrown instanceof MissingIndexError && index?.isNamed === false && isFirst) return undefined;
      throw thrown;
    }
  }

  function priced<Page>(page: Page): Page {
    const readUnits = transport.units();
    return readUnits === undefined ? page : { ...page, readUnits };
  }

  return {
    async list(query, position, signal) {
      const page = await byIndex((reader) => reader.list(query, position, signal), query, position);
      if (page !== undefined) return page;
      const scanned = priced(await scan(query, position, signal));
      return index !== undefined && isInIndex(query.state)
        ? { ...scanned, missingIndex: index.name }
        : scanned;
    },
    count: (query, position, signal) =>
      byIndex((reader) => reader.count(query, position, signal), query, position),
  };
}

function isInIndex(state: RowQuery<Row>['state']): boolean {
  return state === 'in-progress' || state === 'overdue' || state === 'parked';
}

/** Requests the consumed capacity. `units`: the sum so far; undefined if no answer reported any. */
function meteredTransport(transport: Transport): Transport & { units(): number | undefined } {
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
