import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The header of the session secret. Browsers would send a cookie to every port of this machine. */
const SESSION_HEADER = 'x-batchlatch-session';

/** The most tickets that are kept; older ones become invalid. */
const MOST_TICKETS = 20;

/**
 * The secrets of one run of the console. A page exchanges the address's token, or a ticket for it, for the
 * session secret. It keeps that in its tab's storage and sends it with each request, because addresses stay
 * in browser histories.
 */
export class SessionSecrets {
  /** 32 random bytes. */
  readonly token: string = newSecret();
  readonly #secret = newSecret();
  readonly #addresses = new Set<string>();
  readonly #downloads = new Set<string>();

  /** Returns a single-use token for an address on a command line, where other users may see it. */
  addressTicket(): string {
    return keep(this.#addresses, newSecret());
  }

  /** Returns a single-use ticket for a download link, which cannot send a header. */
  downloadTicket(): string {
    return keep(this.#downloads, newSecret());
  }

  /** Returns the session secret for the token or an unused ticket; undefined for any other text. */
  signIn(token: string): string | undefined {
    return isSame(token, this.token) || this.#addresses.delete(token) ? this.#secret : undefined;
  }

  /** Whether this is an unused download ticket; uses it up. */
  isDownload(ticket: string): boolean {
    return this.#downloads.delete(ticket);
  }

  /** Whether a request has the session secret. */
  isIn({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
    const given = headers[SESSION_HEADER];
    return typeof given === 'string' && isSame(given, this.#secret);
  }
}

function keep(tickets: Set<string>, ticket: string): string {
  tickets.add(ticket);
  const [oldest] = tickets;
  if (tickets.size > MOST_TICKETS && oldest !== undefined) tickets.delete(oldest);
  return ticket;
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares hashes, so that the time does not depend on length or content. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
