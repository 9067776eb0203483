import type { AgentName } from '../../../test/support/components/agents.ts';
import type { NodeVersion } from '../../../test/support/components/node.ts';

/** An APM agent, loaded as its vendor documents. */
export interface Agent {
  /** Of the component; `programs/wrappers.cjs` may have a wrapper of this name. */
  readonly name: AgentName;
  /** The package that users install. */
  readonly module: string;
  /** The Node that it needs; by default the one that runs the tests. */
  readonly node?: NodeVersion;
  /** `NODE_OPTIONS` for an ES module and for CommonJS. */
  readonly nodeOptions: { readonly esm: string; readonly cjs: string };
  /** Settings with which it reports to the collector at this address, and connects to nothing else. */
  env(collector: string): Readonly<Record<string, string>>;
  /** The header by which it passes its trace on; left out if it leaves AWS's requests as they are. */
  readonly header?: string;
  readonly report: Report;
  /** How a program has spans of its own for its requests; left out if it has none. */
  readonly ownSpans?: OwnSpans;
}

/** Spans of `batchlatch/opentelemetry`, or subsegments of `powertools({ tracer })`, as an agent reports them. */
export interface OwnSpans {
  /** Further settings, with which the agent reports spans of OpenTelemetry's API. */
  readonly env?: Readonly<Record<string, string>>;
  /** The part of a report that only the span of a claims request to the table has, once. Default: the span's name. */
  readonly of?: (table: string) => string;
  /** Whether our own span passes its trace on, by the agent's header. Default false. */
  readonly passesTrace?: boolean;
  /** The part of a report that each span of the agent's HTTP instrumentation has, and no span of ours. */
  readonly http: RegExp;
}

interface Report {
  /** Finds what was reported in what the collector got and the program printed. Default: what the collector got. */
  readonly in?: (collected: string, printed: string) => string;
  /** The report of a request to `host`, or a part of it. Default: the host and its port. */
  readonly of?: (host: string) => string;
}

/** What Lambda tells a function, for agents that work in another way there. */
export const IN_LAMBDA = {
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x',
  AWS_LAMBDA_FUNCTION_NAME: 'orders',
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  LAMBDA_TASK_ROOT: '/var/task',
  _HANDLER: 'orders.handler',
  _X_AMZN_TRACE_ID: 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=557abcec3ee5a047;Sampled=1',
} as const;
