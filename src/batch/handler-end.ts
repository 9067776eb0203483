/** How one run of a handler ended, as far as the batch waited for it. */
export type HandlerEnd = HandlerReturn | HandlerAbandoned;
export type HandlerReturn =
  | { readonly kind: 'returned'; readonly result: unknown }
  /** `wasAborted`: after it had been told to stop; `error` is then the reason, with what it threw as cause. */
  | { readonly kind: 'threw'; readonly error: unknown; readonly wasAborted: boolean }
  /** It was not called: the key has failed too often already, a person has to look first, or the body does not fit. */
  | { readonly kind: 'refused'; readonly error: Error };
/** It was told to stop and did not end in time. `late` resolves when it does end, which may be never. */
interface HandlerAbandoned {
  readonly kind: 'abandoned';
  readonly error: Error;
  readonly late: Promise<HandlerReturn>;
}
