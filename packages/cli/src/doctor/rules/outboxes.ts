import type { LambdaFunction, Table } from '../../template/model.ts';
import { allows } from '../allows.ts';
import { isNamed } from '../claims-table-of.ts';
import type { Examination } from '../examination.ts';
import { knowsUrl, wiredQueues } from '../queues-with-functions.ts';
import type { Rules } from './rule.ts';

/** Rules for outboxes in DynamoDB and the consumers of their messages. They see templates only. */
export const OUTBOX_RULES: Rules = {
  'outbox-without-relay': {
    severity: 'error',
    what: "an outbox whose table's stream invokes no function",
    why: 'Its messages are sent by the sweep alone, a minute late or more, or not at all.',
    fix: "a mapping of the table's stream to a function with `relay(sender)`",
    docs: 'outbox-dynamodb.md#deploy',
  },
  'outbox-without-sweep': {
    severity: 'error',
    what: 'an outbox without a function on a schedule that may delete its rows',
    why: 'Messages that the stream gives up stay in the table, and nobody is told.',
    fix: 'a function with `sweepOutbox(sender)` on the schedule `rate(1 minute)`',
    docs: 'outbox-dynamodb.md#deploy',
  },
  'outbox-consumer-message-ids': {
    severity: 'warning',
    what: 'a consumer of messages from an outbox whose keys are message ids',
    why: 'A message that is sent twice has two message ids, so the second copy runs too.',
    fix: '`key: outboxId()`, or routes',
    docs: 'outbox.md#second-copies',
  },
};

export function checkOutboxes(examination: Examination): void {
  if (examination.model.origin !== 'template') return;
  for (const table of outboxTables(examination)) {
    examination.checked('outbox', table);
    const relays = relaysOf(examination, table);
    const sweeps = sweepsOf(examination, table);
    checkConsumers(examination, table, [...(relays ?? []), ...(sweeps ?? [])]);
    if (relays?.length === 0) {
      examination.report('outbox-without-relay', table, {
        message: `The stream of ${table.name} invokes no function.`,
        fix: [
          '# in the events of a function with relay(sender):',
          `Rows: { Type: DynamoDB, Properties: { Stream: !GetAtt ${table.id}.StreamArn, … } }`,
        ],
        fixBelongsTo: 'none',
      });
    }
    if (sweeps?.length === 0) {
      examination.report('outbox-without-sweep', table, {
        message: `No function on a schedule sends what the stream of ${table.name} leaves.`,
        fix: [
          '# in the events of a function with sweepOutbox(sender):',
          'Schedule: { Type: Schedule, Properties: { Schedule: rate(1 minute) } }',
        ],
        fixBelongsTo: 'none',
      });
    }
  }
}

/** Returns the tables that functions name as their outbox, and those with the key and index of one. */
function outboxTables({ model }: Examination): readonly Table[] {
  return model.tables.filter(
    (table) => model.functions.some((lambda) => namesOutbox(lambda, table)) || looksLikeOutbox(table),
  );
}

function namesOutbox({ environment }: LambdaFunction, table: Table): boolean {
  const named = environment.value?.get('OUTBOX_TABLE_NAME');
  return named !== undefined && isNamed(table, named);
}

function looksLikeOutbox({ key, indexKeys }: Table): boolean {
  const names = key.value?.map(({ name }) => name).join(' ');
  return names === 'lane position' && indexKeys.value?.includes('unsent') === true;
}

/** Returns the functions that the table's stream invokes; undefined if that cannot be told. */
function relaysOf(examination: Examination, table: Table): readonly LambdaFunction[] | undefined {
  const streams = examination.model.mappings.filter(({ kind }) => kind === 'dynamodb');
  const own = streams.filter(({ source }) => source.value === table.id);
  const relays = own.map((mapping) => examination.functionOf(mapping)).filter(isKnown);
  if (relays.length > 0) return relays;
  const unknown = own[0] ?? streams.find(({ source }) => source.value === undefined);
  if (unknown === undefined) return [];
  const what = own.length > 0 ? 'function' : 'stream';
  examination.cannotJudge(`${table.name}, its relay: the ${what} of ${unknown.name} cannot be told`);
  return undefined;
}

/** Returns the functions on a schedule that may delete rows; undefined if that cannot be told. */
function sweepsOf(examination: Examination, table: Table): readonly LambdaFunction[] | undefined {
  const schedules = examination.model.triggers.filter(({ kind }) => kind === 'Schedule');
  const scheduled = schedules.map((trigger) => examination.functionOf(trigger)).filter(isKnown);
  const verdicts = scheduled.map((lambda) => mayDelete(lambda, table));
  const sweeps = scheduled.filter((_, index) => verdicts[index] === true);
  if (sweeps.length > 0) return sweeps;
  const unread = scheduled.find((_, index) => verdicts[index] === undefined);
  // An imported function, or one of another template, may be the sweep.
  const elsewhere = schedules.find(
    (trigger) => examination.functionOf(trigger) === undefined && trigger.queueId === undefined,
  );
  const unknown = unread ?? elsewhere;
  if (unknown === undefined) return [];
  const what = unread === undefined ? 'function' : 'permissions';
  examination.cannotJudge(`${table.name}, its sweep: the ${what} of ${unknown.name} cannot be told`);
  return undefined;
}

function mayDelete({ role }: LambdaFunction, table: Table): boolean | undefined {
  return role.value && allows(role.value, 'dynamodb:PartiQLDelete', table, 'dynamodb');
}

function isKnown(lambda: LambdaFunction | undefined): lambda is LambdaFunction {
  return lambda !== undefined;
}

/** Checks the consumers of the queues whose URLs the relay and the sweep know. */
function checkConsumers(examination: Examination, table: Table, senders: readonly LambdaFunction[]): void {
  for (const { queue, lambda } of wiredQueues(examination)) {
    if (!senders.some((sender) => knowsUrl(sender, queue))) continue;
    const { key } = lambda.options;
    if (key === undefined) {
      examination.cannotJudge(
        `${lambda.name}, its keys for messages of ${table.name}: only its code tells, or ` +
          '`Metadata: { batchlatch: { key } }`',
      );
    } else if (key === 'messageId') {
      examination.report('outbox-consumer-message-ids', lambda, {
        message: `${lambda.name} receives messages of ${table.name}, and its keys are message ids.`,
        fix: `# in the code of ${lambda.id}: createBatchProcessor(handler, { key: outboxId() })`,
        fixBelongsTo: 'none',
      });
    }
  }
}
