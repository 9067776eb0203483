/**
 * Those parts of SST 4 that generated projects use, by the comments of its components. SST writes its own declarations into `.sst` when it
 * runs, for which it needs a network and an account.
 */
type Duration = `${number} second` | `${number} seconds` | `${number} minutes`;

type Retention = '1 day' | '1 week' | '2 weeks' | '1 month' | '3 months' | '1 year' | 'forever';

declare function $config(config: {
  app(input?: { readonly stage?: string }): {
    readonly name: string;
    readonly home: 'aws';
    readonly removal?: 'remove' | 'retain' | 'retain-all';
    readonly protect?: boolean;
  };
  run(): Promise<Readonly<Record<string, unknown>> | void>;
}): unknown;

declare const $app: { readonly stage: string };

declare namespace sst {
  class Secret {
    constructor(name: string);
    readonly value: string;
  }

  namespace aws {
    class Dynamo<Field extends string> {
      constructor(
        name: string,
        args: {
          readonly fields: Readonly<Record<Field, 'string' | 'number' | 'binary'>>;
          readonly primaryIndex: { readonly hashKey: NoInfer<Field>; readonly rangeKey?: NoInfer<Field> };
          readonly globalIndexes?: Readonly<
            Record<
              string,
              {
                readonly hashKey: NoInfer<Field>;
                readonly rangeKey?: NoInfer<Field>;
                readonly projection?: 'all' | 'keys-only';
              }
            >
          >;
          readonly ttl?: string;
          readonly deletionProtection?: true;
        },
      );
      readonly arn: string;
      readonly name: string;
    }

    class Queue {
      constructor(
        name: string,
        args?: {
          readonly visibilityTimeout?: Duration;
          readonly dlq?: string | { readonly queue: string; readonly retry: number };
          readonly transform?: { readonly queue?: { readonly messageRetentionSeconds?: number } };
        },
      );
      readonly arn: string;
      readonly url: string;
      subscribe(
        subscriber: {
          readonly handler: string;
          readonly runtime?: 'nodejs20.x' | 'nodejs22.x';
          readonly architecture?: 'arm64' | 'x86_64';
          readonly memory?: `${number} MB`;
          readonly timeout?: Duration;
          readonly logging?: false | { readonly format?: 'text' | 'json'; readonly retention?: Retention };
          readonly environment?: Readonly<Record<string, string>>;
          readonly permissions?: readonly {
            readonly actions: readonly string[];
            readonly resources: readonly string[];
          }[];
          readonly vpc?: {
            readonly privateSubnets: readonly string[];
            readonly securityGroups: readonly string[];
          };
        },
        args?: {
          readonly batch?: {
            readonly size?: number;
            readonly window?: Duration;
            readonly partialResponses?: boolean;
          };
        },
      ): void;
    }
  }
}
