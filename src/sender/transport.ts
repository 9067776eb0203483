import { connectionsTo } from '../aws/connect.ts';
import type { Connections } from '../aws/connections.ts';
import { directSender, type DirectSetup, type Limits } from '../aws/direct-sender.ts';
import { withMethods } from '../aws/sdk/command-client.ts';
import type { Service } from '../aws/service.ts';
import { bounded } from '../base/bounded.ts';
import type { Clock } from '../base/clock.ts';
import { SEND_REQUEST_MS } from '../base/limits.ts';
import type { QueueEndpoint } from '../aws/queue-endpoint.ts';
import { type SdkClient, senderFromEnvironment } from '../aws/sdk/sender-from-environment.ts';

/** Sends the input of one operation, and resolves with its output. */
export type SendInput = (input: object) => Promise<object>;

/** An operation of a service. */
export interface Operation {
  readonly service: Service;
  /** Such as `SendMessageBatch`. */
  readonly name: string;
  readonly sdk: SdkClient;
}

export interface TransportSetup {
  readonly clock: Clock;
  readonly random: () => number;
}

const LIMITS: Limits = {
  requestMs: SEND_REQUEST_MS,
  sockets: 24,
  connectMs: 2_500,
  silentMs: 8_000, // a mebibyte may take long to upload
  // A connection that froze with its process may be dead, and a message lost in it is `unknown`.
  idleMs: 10_000,
  answerBytes: 1_048_576,
};

/** All senders of a process share their connections to a host. */
const connections = new Map<string, Connections>();

/** Sends without AWS's SDK if the environment allows. `SendQueue` retries, because it knows the order. */
export function fromEnvironment(
  { service, name, sdk }: Operation,
  setup: TransportSetup,
  endpoint?: QueueEndpoint,
): SendInput {
  return senderFromEnvironment<SendInput>(
    {
      caller: 'createSender',
      service,
      ...(endpoint !== undefined && { endpoint }),
      sdk: { ...sdk, maxAttempts: 1 },
      direct: (found) => direct(service, name, found),
      throughSdk: (client) => throughClient(client, { service, name, sdk }, setup.clock),
    },
    setup,
  );
}

function direct(service: Service, operation: string, setup: DirectSetup): SendInput {
  const { url } = setup.endpoint;
  let shared = connections.get(url.origin);
  if (shared === undefined) connections.set(url.origin, (shared = connectionsTo(url, LIMITS)));
  const credentials: DirectSetup['credentials'] = () => {
    const given = setup.credentials();
    return 'then' in given ? given.catch(throwAsLookup) : given;
  };
  const send = directSender(service, { ...setup, credentials, maxAttempts: 1 }, LIMITS, shared);
  return (input) => send(operation, input);
}

/** Renames an error that STS answered: it would be taken for the target's refusal of the message. */
function throwAsLookup(thrown: unknown): never {
  if (!(thrown instanceof Error) || !('$metadata' in thrown)) throw thrown;
  const error = new Error(`${thrown.name}: ${thrown.message}`, { cause: thrown });
  throw Object.assign(error, { name: 'CredentialsProviderError' });
}

/** Sends through a client of AWS's SDK, with a time limit: the client has none. */
export function throughClient(client: object, { service, name, sdk }: Operation, clock: Clock): SendInput {
  const method = `${name[0]?.toLowerCase()}${name.slice(1)}`;
  type Method = (input: object, options: object) => Promise<object>;
  const limited = bounded(
    withMethods<Record<string, Method>>(client, [method], sdk),
    { [method]: { ms: SEND_REQUEST_MS, signalAt: 1, signalIn: 'abortSignal' } },
    (why, limitMs) => service.unanswered(why, undefined, limitMs),
    clock,
  );
  return (input) => (limited[method] as Method)(input, {});
}

/** The differences of a service, as far as senders need them. */
export function sendingService(
  title: string,
  name: Service['name'],
  target: string,
  more: Partial<Service> = {},
): Service {
  return {
    title,
    name,
    target,
    firstDelayMs: 100,
    maxAttempts: 1,
    tellingMembers: [],
    unanswered: (_why, cause, limitMs = SEND_REQUEST_MS) =>
      Object.assign(new Error(`${title} did not answer within ${limitMs / 1_000} seconds`, { cause }), {
        name: 'TimeoutError',
      }),
    noCredentials: () =>
      Object.assign(new Error('AWS credentials were not found in time'), {
        name: 'CredentialsProviderError',
      }),
    ...more,
  };
}
