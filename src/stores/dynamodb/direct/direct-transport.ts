import { type Clock, wait } from '../../../claims/clock.ts';
import type { Transport } from '../transport.ts';
import { outputOf } from './answers.ts';
import { connectionTo } from './connection.ts';
import { RequestError } from './request-error.ts';
import { type Credentials, signedHeaders } from './signed-headers.ts';

export interface DirectSetup {
  /** Where requests go, and the region of their signatures. */
  readonly endpoint: { readonly url: URL; readonly region: string };
  /** Asked for each sending, so that credentials which the environment renews are followed. A plain value costs no turn of the event loop. */
  readonly credentials: () => Credentials | Promise<Credentials>;
  /** Of one request, the first sending included. */
  readonly maxAttempts: number;
  readonly clock: Clock;
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
}

const LIMITS = { connectMs: 2_500, silentMs: 3_000, answerBytes: 64 * 1_024 * 1_024 };

/** Requests to DynamoDB by Node's own HTTP client, without AWS's SDK. */
export function directTransport(setup: DirectSetup): Transport {
  const { endpoint, clock, random, maxAttempts } = setup;
  const connection = connectionTo(endpoint.url, LIMITS);

  async function sendOnce(target: string, body: string, signal: AbortSignal | undefined): Promise<never> {
    const given = setup.credentials();
    const credentials = given instanceof Promise ? await given : given;
    const headers = signedHeaders(
      { host: endpoint.url.host, target, body },
      { credentials, region: endpoint.region, time: new Date(clock.now()) },
    );
    const answer = await connection.post(headers, body, signal);
    return outputOf(answer, (text) => text) as never;
  }

  return {
    async send(operation, input, signal) {
      const target = `DynamoDB_20120810.${operation}`;
      const body = JSON.stringify(input);
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await sendOnce(target, body, signal);
        } catch (thrown) {
          if (!(thrown instanceof RequestError)) throw thrown;
          thrown.$metadata.attempts = attempt;
          if (attempt >= maxAttempts || !isPassing(thrown)) throw thrown;
        }
        await wait(clock, random() * 25 * 2 ** (attempt - 1), signal);
      }
    },
  };
}

function isPassing({ name, $metadata, isPassing: mayPass }: RequestError): boolean {
  return (
    mayPass ||
    /^(Throttling|ProvisionedThroughput|RequestLimit|TransactionInProgress|TimeoutError|NetworkError)/.test(
      name,
    ) ||
    ($metadata.httpStatusCode ?? 0) >= 500
  );
}
