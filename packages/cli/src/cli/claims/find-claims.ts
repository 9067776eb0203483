import { type Claim, type ClaimAdmin, type ClaimPage, findClaims, inspectClaim } from 'batchlatch/operations';
import { isOfOneRow } from '../../console/of-one-row.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { UsageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { collect, tellNewer } from './collect.ts';

/** The options that name claims by hash, record id or any text. */
export interface Named {
  readonly hash?: string;
  readonly recordId?: string;
  readonly search?: string;
}

/** The result of a search for named claims. */
export interface Found {
  readonly claims: readonly Claim[];
  /** The names without a claim, as they were given. */
  readonly missing: readonly string[];
  /** The keys whose rows cannot be read as claims, such as rows of a newer format. */
  readonly notRead: readonly { readonly name: string; readonly error: Error }[];
  /** The rows of a newer format that a search met. */
  readonly newer?: NonNullable<ClaimPage['newer']>;
}

/** Returns whether keys or one of the options are given. Throws a `UsageError` for more than one. */
export function areNamed(keys: readonly string[], { hash, recordId, search: text }: Named): boolean {
  const others = [hash, recordId, text].filter((option) => option !== undefined).length;
  const ways = others + (keys.length > 0 ? 1 : 0);
  if (ways > 1) {
    throw new UsageError('Name claims in one way: by KEY, or by one option such as --hash or --record-id.');
  }
  return ways === 1;
}

export async function findNamed(
  store: ClaimAdmin,
  keys: readonly string[],
  { hash, recordId, search: text }: Named,
  context: Context,
): Promise<Found> {
  if (hash !== undefined) return search(store, { keyHash: asHash(hash) }, `hash ${hash}`, context);
  if (recordId !== undefined) return search(store, { recordId }, `record ${recordId}`, context);
  if (text !== undefined) return search(store, { text }, text, context);
  const claims: Claim[] = [];
  const missing: string[] = [];
  const notRead: { readonly name: string; readonly error: Error }[] = [];
  for (const key of new Set(keys)) {
    try {
      const claim = await inspectClaim(store, key, { signal: context.signal });
      if (claim === undefined) missing.push(key);
      else claims.push(claim);
    } catch (error) {
      if (!(error instanceof Error && isOfOneRow(error))) throw error;
      notRead.push({ name: key, error });
    }
  }
  return { claims, missing, notRead };
}

/** Prints the keys whose rows cannot be read. */
export function tellNotRead({ notRead }: Pick<Found, 'notRead'>, { screen }: Pick<Context, 'screen'>): void {
  for (const { name, error } of notRead) {
    screen.note(`Not read: ${escapeControls(name)}: ${escapeControls(error.message)}`);
  }
}

async function search(
  store: ClaimAdmin,
  which: { readonly keyHash: string } | { readonly recordId: string } | { readonly text: string },
  shown: string,
  context: Context,
): Promise<Found> {
  const { claims, newer } = await collect(
    (page) => findClaims(store, which, { ...page, signal: context.signal }),
    // A hash belongs to one key; several claims may have one record, or one part of a key.
    'keyHash' in which ? 1 : Number.POSITIVE_INFINITY,
    context,
  );
  tellNewer(newer, context.screen);
  const missing = claims.length === 0 && newer === undefined ? [shown] : [];
  return { claims, missing, notRead: [], ...(newer !== undefined && { newer }) };
}

function asHash(text: string): string {
  if (/^[0-9a-f]{16}$/i.test(text)) return text.toLowerCase();
  throw new UsageError('--hash must be 16 hexadecimal digits, as log lines show them in `key`.');
}
