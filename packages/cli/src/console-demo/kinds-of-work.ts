import type { Trouble } from './trouble.ts';

/** A kind of work with its own queue, dead-letter queue and namespace. */
export interface KindOfWork {
  /** The namespace of its keys, and the name of its queue. */
  readonly namespace: string;
  /** The name of the id in a body. */
  readonly idName: string;
  /** The prefix of ids. */
  readonly idPrefix: string;
  /** The names of the functions or workers that do it. */
  readonly workers: readonly string[];
  /** The name of the function whose processes die. */
  readonly dying: string;
  body(id: string, drawn: number): object;
  result(id: string): object;
  /** The names and messages of its errors. */
  readonly errors: Readonly<
    Record<'not-answered' | 'declined' | 'always-declined' | 'out-of-stock', readonly [string, string]>
  >;
}

const ORDERS: KindOfWork = {
  namespace: 'orders',
  idName: 'orderId',
  idPrefix: 'o-',
  workers: ['charge-orders-1', 'charge-orders-2'],
  dying: 'charge-orders-3',
  body: (orderId, drawn) => ({
    orderId,
    customerId: `c-${1 + (drawn % 200)}`,
    amountCents: 100 + (drawn % 20_000),
    currency: 'EUR',
  }),
  result: (id) => ({ chargeId: `ch_${id.slice(2)}` }),
  errors: {
    'not-answered': ['TimeoutError', 'the payment provider did not answer'],
    declined: ['CardDeclined', 'the card was declined'],
    'always-declined': ['CardDeclined', 'the card is blocked'],
    'out-of-stock': ['OutOfStock', 'the warehouse has none left'],
  },
};

const MAILS: KindOfWork = {
  namespace: 'mails',
  idName: 'mailId',
  idPrefix: 'm-',
  workers: ['send-mails'],
  dying: 'send-mails',
  body: (mailId, drawn) => ({
    mailId,
    to: `customer-${1 + (drawn % 200)}@example.com`,
    template: 'order-confirmed',
  }),
  result: (id) => ({ sentAs: `<${id}@example.com>` }),
  errors: {
    'not-answered': ['SmtpError', '421 try again later'],
    declined: ['MailboxUnknown', '550 no such mailbox'],
    'always-declined': ['MailboxUnknown', '550 no such domain'],
    'out-of-stock': ['TemplateError', 'the template order-confirmed has no subject'],
  },
};

/** The kinds of work in the demo. One of three work items is a mail. */
export const KINDS: readonly KindOfWork[] = [ORDERS, MAILS];

/** Returns the kind of work of a number. */
export function kindOf(number: number): KindOfWork {
  return number % 3 === 0 ? MAILS : ORDERS;
}

export function idOf({ idPrefix }: KindOfWork, number: number): string {
  return `${idPrefix}${number}`;
}

/** Returns the number in an id, or 0. */
export function numberIn(id: string): number {
  return Number(/\d{1,15}$/.exec(id)?.[0] ?? 0);
}

/** Returns the key that the processor derives for a work item. */
export function keyOf({ namespace }: KindOfWork, id: string): string {
  return `${namespace}#v1:${id}`;
}

/** Returns an attempt's error, or undefined for success. `isForGood`: the key waits for a person. */
export function failureOf(
  { errors }: KindOfWork,
  trouble: Trouble,
  attempt: number,
  mostReceives: number,
): { readonly name: string; readonly message: string; readonly isForGood: boolean } | undefined {
  const failing = (kind: keyof typeof errors): ReturnType<typeof failureOf> => {
    const [name, message] = errors[kind];
    return { name, message, isForGood: kind === 'declined' || kind === 'always-declined' };
  };
  switch (trouble) {
    case 'not-answered':
    case 'declined':
      return attempt === 1 ? failing(trouble) : undefined;
    case 'always-declined':
      return failing(trouble);
    case 'out-of-stock':
      return attempt <= mostReceives ? failing(trouble) : undefined;
    case 'none':
    case 'slow':
    case 'sent-again':
    case 'kills-its-process':
    case 'not-json':
      return undefined;
  }
}
