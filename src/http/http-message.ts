/** A request as far as idempotency looks at it, whatever carried it. */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** All values of one header, its name in lower case. */
  header(name: string): readonly string[];
  /** The body's bytes, or that there are more than `maxBytes` of them. */
  body(maxBytes: number): Promise<Uint8Array | 'too large'>;
}

/** A response as it is kept. */
export interface HttpResponse {
  readonly status: number;
  /** A name may come several times, as `set-cookie` does. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Whether `body` is base64 of bytes that are no text. */
  readonly isBase64Encoded: boolean;
}

/** What belongs to one connection, or to one moment, and is made anew for a replay. */
const NOT_KEPT = new Set([
  'connection',
  'content-length',
  'date',
  'idempotency-replayed',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers that mean the same in a replay: not those of the connection, those it names, `Date` or `Content-Length`. */
export function keptHeaders(headers: HttpResponse['headers']): HttpResponse['headers'] {
  const ofConnection = new Set(
    headers
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) => value.split(',').map((name) => name.trim().toLowerCase())),
  );
  return headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return !NOT_KEPT.has(lower) && !ofConnection.has(lower);
  });
}
