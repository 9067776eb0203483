import { parseJsonOrText } from './parse-body.ts';
import type { Envelope } from './record.ts';

/** A payload that was inside envelopes. */
export interface OpenedBody {
  readonly envelope: Envelope;
  readonly body: unknown;
}

/**
 * What records have in common whose body is made of a text. A class and not a literal: a batch makes thousands,
 * and most handlers look at few fields, so each is made when it is first asked for. Parsing the body is the
 * dearest of them.
 */
export abstract class TextRecord {
  abstract readonly rawBody: string;
  readonly envelope: Envelope | undefined;
  #body: { readonly value: unknown } | undefined;

  constructor(opened: OpenedBody | undefined) {
    if (opened === undefined) return;
    this.envelope = opened.envelope;
    this.#body = { value: opened.body };
  }

  get body(): unknown {
    this.#body ??= { value: parseJsonOrText(this.rawBody) };
    return this.#body.value;
  }

  /** For what a schema makes of it. */
  set body(value: unknown) {
    this.#body = { value };
  }
}
