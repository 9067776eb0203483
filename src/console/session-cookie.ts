import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The secret of one run of the console: in the address once, then in a cookie. */
export class SessionCookie {
  /** 32 random bytes. */
  readonly token: string = randomBytes(32).toString('base64url');
  readonly #cookie = randomBytes(32).toString('base64url');
  readonly #name: string;
  #ticket: string | undefined;

  constructor(port: number) {
    // Cookies do not know ports: two consoles must not take each other's.
    this.#name = `batchlatch_${port}`;
  }

  /** A token that is taken once, for an address that other users of the machine may see in the list of processes. */
  ticket(): string {
    return (this.#ticket = randomBytes(32).toString('base64url'));
  }

  /** Whether this is the token of the address, or the last ticket. */
  isToken(given: string): boolean {
    if (isSame(given, this.token)) return true;
    if (this.#ticket === undefined || !isSame(given, this.#ticket)) return false;
    this.#ticket = undefined;
    return true;
  }

  /** The header that hands the cookie over; it holds another secret than the address, which stays in histories. */
  header(): string {
    return `${this.#name}=${this.#cookie}; HttpOnly; SameSite=Strict; Path=/`;
  }

  /** Whether a request comes with the cookie. */
  isIn({ headers: { cookie = '' } }: Pick<IncomingMessage, 'headers'>): boolean {
    return cookie
      .split(';')
      .map((pair) => pair.trim())
      .some((pair) => {
        const end = pair.indexOf('=');
        return pair.slice(0, end) === this.#name && isSame(pair.slice(end + 1), this.#cookie);
      });
  }
}

/** Hashed first: the comparison takes as long for every length, and tells nothing by its time. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other));
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
