/**
 * What docs/durable.md uses of AWS's SDK for durable executions, with the types of its version 2.4.0. The package itself needs Node 22.
 */
declare module '@aws/durable-execution-sdk-js' {
  type Duration =
    | { readonly days: number }
    | { readonly hours: number }
    | { readonly minutes: number }
    | { readonly seconds: number };

  interface DurableContext {
    step<Output>(name: string | undefined, step: () => Promise<Output>): Promise<Output>;
    wait(duration: Duration): Promise<void>;
  }

  export function withDurableExecution<Event, Result>(
    handler: (event: Event, context: DurableContext) => Promise<Result>,
  ): (event: Event, context: unknown) => Promise<Result>;
}
