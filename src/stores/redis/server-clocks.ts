/**
 * The least by which the clock of each slot's server is ahead of this machine's: the server's time minus the
 * arrival of its answer. The time of sending would give too much: a client may hold a command for half a
 * minute, and later calls would be accepted that much later. Only the latest answer counts, because a server
 * that has taken over a slot has another clock.
 */
export class ServerClocks {
  readonly #known: { readonly sending: number; readonly aheadMs: number }[] = [];
  #sendings = 0;

  /** Returns 0 before the first answer. */
  aheadMs(slot: number): number {
    return this.#known[slot]?.aheadMs ?? 0;
  }

  /** Must be called before a script is sent. Returns a function that notes its answer. */
  send(slot: number): (aheadMs: number) => void {
    const sending = (this.#sendings += 1);
    return (aheadMs) => {
      if (sending > (this.#known[slot]?.sending ?? 0)) this.#known[slot] = { sending, aheadMs };
    };
  }
}
