/**
 * The least by which the clock of each slot's server is ahead of this machine's: the server's time minus the
 * time at which its answer arrived. The time of sending would make it too large: a client may keep a command
 * for half a minute, and every later call would be accepted that much later. The answer to the latest command
 * counts, because a server that has taken over a slot has its own clock.
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
