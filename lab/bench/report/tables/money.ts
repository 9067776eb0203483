import { MEMORY_MB } from '../../bill.ts';
import type { Figures } from '../../figures.ts';
import { PRICES, PRICES_AS_OF, PRICES_REGION } from '../../prices.ts';
import { dollars, number, percent, table } from '../format.ts';
import { MIX_TITLES, TITLES } from '../lookup.ts';
import { billsOf, startsUsd } from '../money.ts';

/** US dollars for a million records: a row for each contender, once for each size of batch. */
export function moneyTable(figures: Figures): string {
  return table(
    ['batch', '', 'DynamoDB writes', 'DynamoDB reads', 'Lambda compute', 'Lambda requests', 'SQS', 'total'],
    billsOf(figures).map(({ workload, contender, bill }) => [
      number(workload.size),
      TITLES[contender],
      dollars(bill.writes),
      dollars(bill.reads),
      dollars(bill.compute),
      dollars(bill.invocations),
      dollars(bill.queue),
      `**${dollars(bill.total)}**`,
    ]),
    2,
  );
}

/** How much of it is whose, in a sentence or two. */
export function moneyText(figures: Figures): string {
  const bills = billsOf(figures).filter(({ workload }) => workload.size === 10);
  const own = bills.find(({ contender }) => contender === 'batchlatch')?.bill;
  const peer = bills.find(({ contender }) => contender === 'powertools')?.bill;
  if (own === undefined || peer === undefined) return '';
  const starts = startsUsd(figures);
  const sentences = [
    `In batches of 10, DynamoDB's writes are ${percent(own.writes / own.total)} of batchlatch's bill, and no library ` +
      `that writes a claim and its end is spared them. What differs is Lambda's compute time: ${dollars(own.compute)} ` +
      `where Powertools' is ${dollars(peer.compute)}.`,
    starts === undefined
      ? ''
      : `A million cold starts, from the start of the process to the first answer on Node ${starts.node} over https ` +
        `and with a whole processor, as INIT has it, are $${starts.batchlatch.toFixed(2)} with batchlatch and ` +
        `$${starts.powertools.toFixed(2)} with Powertools.`,
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** What a bill rests on. */
export function pricesText(): string {
  const prices = Object.values(PRICES).map(
    ({ usd, per, source }) =>
      `[$${(usd * 1_000_000).toLocaleString('en-US')} for a million ${per}s](${source})`,
  );
  return (
    `List prices in ${PRICES_REGION}, looked up on ${PRICES_AS_OF}, without free tiers and discounts: ${prices.join(', ')}. ` +
    `Assumed: an x86 function of ${number(MEMORY_MB)} MB, whose share of a processor makes CPU time longer and leaves ` +
    `waiting as it is; a handler that does nothing, so that this is what comes on top of the work itself; Lambda ` +
    `receives and deletes ten messages with a request. Sending, storage, logs and starts are not in it. Units ` +
    `are counted in the requests; wall and CPU time are the medians above.`
  );
}

/** What DynamoDB charges for a record, in units. */
export function capacityTable({ capacity }: Figures): string {
  return table(
    ['batch', 'records', '', 'write units per record', 'read units per record', 'largest row'],
    capacity.map(({ workload, contender, writeUnits, readUnits, rowBytes }) => [
      number(workload.size),
      MIX_TITLES[workload.mix],
      TITLES[contender],
      number(writeUnits),
      number(readUnits),
      rowBytes === 0 ? '–' : `${number(rowBytes)} bytes`,
    ]),
    3,
  );
}
