/**
 * By how much the clock of each slot's server is ahead of this machine's, at least: the server's time minus that of its
 * answer's arrival. That of the sending would say too much: a client may keep a command for half a minute, and every later
 * call would be accepted that much later. Of two answers the one to the later sending counts: a server that has taken
 * over a slot has a clock of its own.
 */
export class ServerClocks {
  readonly #known: { readonly sending: number; readonly aheadMs: number }[] = [];
  #sendings = 0;

  /** 0 before the first answer. */
  aheadMs(slot: number): number {
    return this.#known[slot]?.aheadMs ?? 0;
  }

  /** To be called before a script is sent; the returned function notes its answer. */
  send(slot: number): (aheadMs: number) => void {
    const sending = (this.#sendings += 1);
    return (aheadMs) => {
      if (sending > (this.#known[slot]?.sending ?? 0)) this.#known[slot] = { sending, aheadMs };
    };
  }
}
