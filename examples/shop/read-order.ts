import { z } from 'zod';

const wanted = z.object({ cents: z.number().int().min(1).max(1_000_000) });

/** Reads the body of a request; undefined for anything that is not an order. Who orders is in the token. */
export function readOrder(body = ''): z.infer<typeof wanted> | undefined {
  try {
    return wanted.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
