import type { Order } from '../../../examples/orders/order.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

/** What is wrong with a message. */
export type Peculiarity =
  /** An order like most. */
  | 'none'
  /** The same order as another message: the shop sent it twice. */
  | 'sent-again'
  /** Cut off in the middle: no JSON. */
  | 'not-json'
  | 'no-order-id'
  /** An amount below zero: the handler says that no retry helps. */
  | 'bad-amount'
  | 'always-declined'
  | 'declined-twice'
  /** Its first attempt ends the process it runs in. */
  | 'kills-its-process'
  /** Its first attempt ends its process after it was charged, in the transaction that holds the charge. */
  | 'kills-after-its-charge';

/** A message before it is sent. */
export interface OrderMessage {
  readonly body: string;
  /** Undefined where the body has none that can be read. */
  readonly orderId: string | undefined;
  readonly peculiarity: Peculiarity;
}

/** Fewer messages would not hold one of each kind. */
export const FEWEST_MESSAGES = 20;

const SENT_AGAIN_SHARE = 0.05;
const MALFORMED_SHARE = 0.02;
const malformed = ['not-json', 'no-order-id', 'bad-amount'] as const;
const troubled = ['always-declined', 'declined-twice', 'kills-its-process'] as const;

/**
 * Makes `count` messages in a random order, the same for the same seed: one in twenty is sent again, one in
 * fifty is malformed, one is always declined, one declined twice, one kills its process, and, where charges are made in a
 * transaction, one kills it after its charge. What fails is in the first third, because it is delivered five times and nothing is over before that.
 */
export function makeOrderMessages(
  count: number,
  seed: number,
  { hasTransactions = false }: { readonly hasTransactions?: boolean } = {},
): OrderMessage[] {
  const random = seededRandom(seed);
  const failing = hasTransactions ? [...troubled, 'kills-after-its-charge' as const] : troubled;
  const sentAgain = Math.round(count * SENT_AGAIN_SHARE);
  const broken = Math.max(malformed.length, Math.round(count * MALFORMED_SHARE));
  const fine = count - sentAgain - broken - failing.length;

  const peculiarities: readonly Peculiarity[] = random.shuffled([
    ...Array.from({ length: fine }, () => 'none' as const),
    ...Array.from({ length: broken }, (_, index) => malformed[index % malformed.length] ?? 'not-json'),
    ...failing,
  ]);
  const originals = peculiarities.map((peculiarity, index) => makeMessage(index + 1, peculiarity, random));
  const copies = random
    .shuffled(originals.filter(isPlain))
    .slice(0, sentAgain)
    .map((original): OrderMessage => ({ ...original, peculiarity: 'sent-again' }));
  const plain = random.shuffled([...originals.filter(isPlain), ...copies]);
  const special = originals.filter((message) => !isPlain(message));
  const firstPart = Math.ceil(plain.length / 3);
  return [...random.shuffled([...special, ...plain.slice(0, firstPart)]), ...plain.slice(firstPart)];
}

function isPlain({ peculiarity }: OrderMessage): boolean {
  return peculiarity === 'none';
}

function makeMessage(number: number, peculiarity: Peculiarity, random: SeededRandom): OrderMessage {
  const order: Order = {
    orderId: `order-${String(number).padStart(4, '0')}`,
    customerId: `customer-${1 + random.integer(200)}`,
    amountCents: 100 + random.integer(20_000),
    currency: 'EUR',
  };
  const { orderId, ...anonymous } = order;
  switch (peculiarity) {
    case 'not-json': {
      const whole = JSON.stringify(order);
      return { body: whole.slice(0, whole.length / 2), orderId: undefined, peculiarity };
    }
    case 'no-order-id':
      return { body: JSON.stringify(anonymous), orderId: undefined, peculiarity };
    case 'bad-amount':
      return { body: JSON.stringify({ ...order, amountCents: -order.amountCents }), orderId, peculiarity };
    case 'none':
    case 'sent-again':
    case 'always-declined':
    case 'declined-twice':
    case 'kills-its-process':
    case 'kills-after-its-charge':
      return { body: JSON.stringify(order), orderId, peculiarity };
  }
}
