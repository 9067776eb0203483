import type { RowLister, RowQuery } from '../conditional/row-lister.ts';
import type { WriterSetup } from './batch-writer.ts';
import { type IndexReader, indexReader } from './index-reader.ts';
import type { ItemWriter } from './item-writer.ts';
import { meteredTransport } from './metered-transport.ts';
import type { OverdueIndex } from './overdue-index.ts';
import type { Row, RowFormat } from './row.ts';
import { type Reading, scanReader } from './scan-reader.ts';

export interface ListerSetup extends WriterSetup {
  readonly format: RowFormat;
  readonly index: OverdueIndex | undefined;
  /** Reads rows by their keys, strongly consistently. */
  readonly readerOf: (setup: WriterSetup) => Pick<ItemWriter, 'read'>;
}

/**
 * Lists claims by the index where the table has one that holds the state, and by a scan otherwise. One for each call: it
 * sums up what its requests cost.
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

  return {
    async list(query, position, signal) {
      const page = isInIndex(query)
        ? await (indexed ?? scan).list(query, position, signal)
        : await scan.list(query, position, signal);
      return priced(page);
    },
    async count(query, position, signal) {
      if (indexed === undefined || !isInIndex(query)) return undefined;
      const counted = await indexed.count(query, position, signal);
      return counted && priced(counted);
    },
  };
}

function isInIndex({ state }: RowQuery<Row>): boolean {
  return state === 'in-progress' || state === 'overdue' || state === 'parked';
}
