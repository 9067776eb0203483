import { SITE_PAGES } from './site-pages.ts';

/** A page in the menu by its path, with another text than its heading. */
export interface Entry {
  readonly to: string;
  readonly text?: string;
  readonly below?: Entries;
}
export type Entries = readonly (string | Entry)[];

/** A group of the menu; its heading is a link if it has an overview. */
export interface Group {
  readonly overview?: string;
  readonly pages: Entries;
}

/** The menu by purpose. The pages below an entry are folded away, until one of them is read. */
export const GROUPS: Readonly<Record<string, Group>> = {
  Start: {
    pages: [
      { to: 'docs/quick-start.md', text: 'Your first queue in five minutes' },
      { to: 'docs/create.md', text: 'Make a project' },
      { to: 'docs/faq.md', text: 'Questions' },
      { to: 'docs/comparison.md', text: 'Comparison' },
    ],
  },
  'How to': {
    overview: 'docs/how-to/README.md',
    pages: [
      'docs/how-to/charge-once.md',
      'docs/how-to/rate-limits.md',
      'docs/how-to/postgres-exactly-once.md',
      'docs/how-to/large-files.md',
      'docs/how-to/send-from-a-web-handler.md',
      'docs/how-to/fan-out.md',
      'docs/how-to/several-types.md',
      'docs/how-to/change-a-schema.md',
      'docs/how-to/order-per-customer.md',
      'docs/how-to/multi-tenant.md',
      'docs/how-to/poison-messages.md',
      'docs/how-to/release-stuck.md',
      'docs/how-to/alerts.md',
      'docs/how-to/read-a-trace.md',
      'docs/how-to/deploy-safely.md',
      'docs/how-to/off-lambda.md',
      { to: 'docs/recipes/testing.md', text: 'Test a handler' },
      { to: 'docs/custom-store.md', text: 'Write a store of your own' },
      {
        to: 'docs/moving.md',
        text: 'Move from another library',
        below: [
          { to: 'docs/migrating-from-powertools.md', text: 'From Powertools' },
          { to: 'docs/migrating-from-sqs-consumer.md', text: 'From sqs-consumer' },
          { to: 'docs/migrating-from-middy.md', text: 'From middy' },
          { to: 'docs/migrating-from-switch.md', text: 'From a switch or message-queue-toolkit' },
          { to: 'docs/migrating-from-own-code.md', text: 'From code of your own' },
        ],
      },
      {
        to: 'docs/recipes/README.md',
        text: 'Use it beside other tools',
        below: SITE_PAGES.filter((page) => /^docs\/recipes\/(?!README|testing)/.test(page)),
      },
    ],
  },
  Explanation: {
    pages: [
      { to: 'docs/concepts.md', text: 'Claims, leases, fencing' },
      { to: 'docs/glossary.md', text: 'Glossary' },
      { to: 'docs/simulation.md', text: 'Simulation' },
      'docs/playground.md',
      'docs/outcomes.md',
      { to: 'docs/exactly-once.md', text: 'Exactly once' },
      {
        to: 'docs/failures.md',
        text: 'When something fails',
        below: [
          { to: 'docs/policies/visibility.md', text: 'Retries' },
          { to: 'docs/policies/permanent-failures.md', text: 'Permanent failures' },
          { to: 'docs/policies/dead-letter.md', text: 'Dead-letter queue' },
          { to: 'docs/policies/crashes.md', text: 'Crashes' },
          { to: 'docs/policies/reading.md', text: 'Crashes in reading' },
          { to: 'docs/policies/conflicts.md', text: 'Conflicts' },
          { to: 'docs/policies/heartbeat.md', text: 'Heartbeat' },
          { to: 'docs/policies/interruptions.md', text: 'Interruptions' },
          { to: 'docs/policies/store-outages.md', text: 'Outages of the store' },
          { to: 'docs/policies/payload-validation.md', text: 'Other payloads' },
          { to: 'docs/policies/schema.md', text: 'Schemas' },
          { to: 'docs/policies/retention.md', text: 'Retention' },
        ],
      },
      'docs/scaling.md',
      { to: 'docs/costs.md', below: [{ to: 'docs/costs-calculator.md', text: 'Costs calculator' }] },
    ],
  },
  Reference: {
    pages: [
      'docs/options.md',
      'docs/keys.md',
      {
        to: 'docs/sources.md',
        below: [
          'docs/sources/sqs.md',
          'docs/sources/kinesis.md',
          'docs/sources/dynamodb-streams.md',
          { to: 'docs/sources/streams.md', text: 'Checkpoints of streams' },
          'docs/sources/kafka.md',
          'docs/sources/eventbridge.md',
          { to: 'docs/sources/eventbridge-bus.md', text: 'EventBridge, custom bus' },
          'docs/sources/sns.md',
          'docs/sources/s3.md',
          { to: 'docs/sources/asynchronous.md', text: 'Asynchronous invocations' },
          'docs/sources/pipes.md',
          { to: 'docs/sources/decode.md', text: '`decode`' },
          { to: 'docs/sources/avro-and-protobuf.md', text: 'Avro and Protobuf' },
        ],
      },
      {
        to: 'docs/stores.md',
        below: [
          'docs/stores/dynamodb.md',
          { to: 'docs/stores/overdue-index.md', text: 'Index of overdue claims' },
          'docs/stores/dynamodb-requests.md',
          'docs/stores/postgres.md',
          { to: 'docs/stores/redis.md', text: 'Redis' },
          'docs/stores/memory.md',
          'docs/long-results.md',
        ],
      },
      { to: 'docs/observing.md', text: 'Events, metrics, traces' },
      'docs/errors.md',
      { to: 'docs/cli.md', text: 'Command line' },
      'docs/worker.md',
      'docs/sender.md',
      'docs/outbox.md',
      'docs/functions.md',
      { to: 'docs/http.md', text: 'HTTP requests' },
      'docs/durable.md',
      { to: 'docs/cdk.md', text: 'AWS CDK' },
      'docs/testing-entry.md',
    ],
  },
  Operating: {
    pages: [
      'docs/deploying.md',
      'docs/doctor.md',
      'docs/settings-calculator.md',
      { to: 'docs/dev.md', text: '`dev` and `invoke`' },
      'docs/sam-local.md',
      'docs/console.md',
      {
        to: 'docs/operations.md',
        text: 'Operations on claims',
        below: [
          { to: 'docs/operations/list.md', text: 'List' },
          { to: 'docs/operations/show.md', text: 'Show' },
          { to: 'docs/operations/release.md', text: 'Release' },
          { to: 'docs/operations/resolve.md', text: 'Resolve' },
          { to: 'docs/operations/park.md', text: 'Park' },
          { to: 'docs/operations/forget.md', text: 'Forget' },
          'docs/operations/changes.md',
          { to: 'docs/operations/statistics.md', text: 'Count' },
          { to: 'docs/operations/copy.md', text: 'Copy to another store' },
        ],
      },
      {
        to: 'docs/dead-letters.md',
        text: 'Dead-letter queues',
        below: [
          { to: 'docs/operations/peek.md', text: 'Look at dead letters' },
          { to: 'docs/operations/redrive.md', text: 'Redrive' },
        ],
      },
      'docs/dashboards.md',
      { to: 'docs/mcp.md', text: 'MCP server' },
      'docs/apm-agents.md',
      'docs/versions.md',
    ],
  },
};

/** For readers who want to know how it works. */
export const INSIDE: Entries = [
  'docs/architecture.md',
  'docs/testing.md',
  'docs/model.md',
  { to: 'docs/decisions/README.md', below: SITE_PAGES.filter((page) => /^docs\/decisions\/\d/.test(page)) },
  'docs/dependencies.md',
  'docs/releases.md',
  'CHANGELOG.md',
  { to: 'CONTRIBUTING.md', text: 'Contributing' },
  { to: 'SECURITY.md', text: 'Security' },
];
