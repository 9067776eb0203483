import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * Has the secret of a page's session. It is no cookie: browsers send cookies to every port of this machine.
 */
const SESSION_HEADER = 'x-batchlatch-session';

/** Tickets that are kept; an older one is no longer taken. */
const MOST_TICKETS = 20;

/**
 * The secrets of one run of the console. A page gives the token of the address, or a ticket of it, and gets
 * another secret, which it keeps in the storage of its tab and sends with each request: addresses stay in
 * histories.
 */
export class SessionSecrets {
  /** 32 random bytes. */
  readonly token: string = newSecret();
  readonly #secret = newSecret();
  readonly #addresses = new Set<string>();
  readonly #downloads = new Set<string>();

  /**
   * Returns a token that is taken once, for an address that other users of the machine may see in the list
   * of processes.
   */
  addressTicket(): string {
    return keep(this.#addresses, newSecret());
  }

  /** Returns a ticket that is taken once, for a download: a link sends no header. */
  downloadTicket(): string {
    return keep(this.#downloads, newSecret());
  }

  /**
   * Takes the token of the address, or a ticket of one; returns the secret of the session, or undefined for
   * any other.
   */
  signIn(token: string): string | undefined {
    return isSame(token, this.token) || this.#addresses.delete(token) ? this.#secret : undefined;
  }

  /** Takes the ticket of a download. */
  isDownload(ticket: string): boolean {
    return this.#downloads.delete(ticket);
  }

  /** Whether a request has the secret of the session. */
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

/** Hashed first: the comparison takes as long for every length, and tells nothing by its time. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
