import { type Interposed, type JsonCall, type JsonProxy, startJsonProxy } from './json-proxy.ts';

/** The members of requests to SQS that tests look at. */
interface SqsInput {
  readonly QueueUrl?: string;
  readonly Entries?: readonly {
    readonly Id: string;
    readonly ReceiptHandle: string;
    readonly VisibilityTimeout?: number;
  }[];
  readonly VisibilityTimeout?: number;
  readonly WaitTimeSeconds?: number;
}

/** The same of answers. */
interface SqsAnswer {
  readonly Messages?: readonly { readonly MessageId: string; readonly ReceiptHandle: string }[];
  readonly Successful?: readonly { readonly Id: string }[];
  readonly Failed?: readonly { readonly Id: string; readonly Code: string; readonly SenderFault: boolean }[];
}

export type SqsCall = JsonCall<SqsInput>;
export type SqsInterposed = Interposed<SqsInput, SqsAnswer>;

/** A queue service behind a proxy. */
export interface SqsProxy extends JsonProxy<SqsInput, SqsAnswer> {
  /** Every call, in the order of arrival. */
  readonly calls: readonly SqsCall[];
  /** The URL of a queue by way of this proxy. */
  through(queueUrl: string): string;
}

/** For clients that speak AWS's JSON protocol, as the SDK does. */
export async function startSqsProxy(target: string): Promise<SqsProxy> {
  const proxy = await startJsonProxy<SqsInput, SqsAnswer>(target);
  const calls: SqsCall[] = [];
  /** URLs of queues as the service calls them. */
  const known = new Map<string, string>();
  const interpose: SqsProxy['interpose'] = (interposed) =>
    proxy.interpose((call, ask) => {
      calls.push(call);
      return interposed(call, (input = call.input) => {
        const QueueUrl = known.get(input.QueueUrl ?? '');
        return ask(QueueUrl === undefined ? input : { ...input, QueueUrl });
      });
    });
  interpose((_call, ask) => ask());
  return {
    ...proxy,
    calls,
    interpose,
    through(queueUrl) {
      const own = new URL(new URL(queueUrl).pathname, proxy.endpoint).href;
      known.set(own, queueUrl);
      return own;
    },
  };
}

/** What is said in seconds is said to the queue in `factor` times less, as if its time went faster. */
export function atPace(factor: number, interposed: SqsInterposed): SqsInterposed {
  const seconds = (own: number): number => Math.ceil(own / factor);
  return (call, ask) =>
    interposed(call, (input = call.input) => {
      const { VisibilityTimeout, WaitTimeSeconds, Entries } = input;
      return ask({
        ...input,
        ...(VisibilityTimeout !== undefined && { VisibilityTimeout: seconds(VisibilityTimeout) }),
        ...(WaitTimeSeconds !== undefined && { WaitTimeSeconds: seconds(WaitTimeSeconds) }),
        ...(Entries !== undefined && {
          Entries: Entries.map((entry) =>
            entry.VisibilityTimeout === undefined
              ? entry
              : { ...entry, VisibilityTimeout: seconds(entry.VisibilityTimeout) },
          ),
        }),
      });
    });
}
