/** What a client asks for. The caller is not part of it: the token says who it is. */
export interface Payment {
  readonly orderId: string;
  readonly amountCents: number;
}

const MOST_CENTS = 1_000_000;

/** Reads the body of a request, every part of it bounded; undefined for anything that is not a payment. */
export function readPayment(body: string | undefined): Payment | undefined {
  const { orderId, amountCents } = membersOf(body ?? '');
  if (typeof orderId !== 'string' || !/^[\w-]{1,64}$/.test(orderId)) return undefined;
  if (typeof amountCents !== 'number' || !Number.isSafeInteger(amountCents)) return undefined;
  if (amountCents < 1 || amountCents > MOST_CENTS) return undefined;
  return { orderId, amountCents };
}

function membersOf(body: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(body) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
