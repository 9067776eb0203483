import { createHash } from 'node:crypto';
import type { AttributeValue, DynamoDB } from '@aws-sdk/client-dynamodb';
import { keyHash, type SeenClaim } from 'batchlatch/operations';
import type { SeenRow } from '../outbox-rows/change-rows.ts';
import type { ActionLog, UnrecordedAction } from '../console/action-log.ts';
import type { ActionJson, EventJson } from '../console/api.ts';

/** The methods of `DynamoDB` of `@aws-sdk/client-dynamodb` that the log calls. */
type ActionsClient = Pick<DynamoDB, 'batchExecuteStatement' | 'query'>;

export interface ActionsTableOptions {
  readonly client: ActionsClient;
  readonly tableName: string;
  readonly retentionDays: number;
  readonly now: () => number;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

type Item = Readonly<Record<string, AttributeValue>>;

/** The most statements of a request of DynamoDB. */
const AT_ONCE = 25;
/** Two items for each action: its begin and its end. */
const MOST_SHOWN = 200;
const ACTIONS = 'actions';
const DAY_MS = 86_400_000;

/**
 * The actions of a team in a table of their own. Items are only inserted, so the console's role needs no
 * permission to change or delete one. A `log` is the list of all actions, that of one key, or the claims of
 * one action as they were seen.
 */
export class ActionsTable implements ActionLog {
  readonly #options: ActionsTableOptions;

  constructor(options: ActionsTableOptions) {
    this.#options = options;
  }

  async recent(): Promise<readonly ActionJson[]> {
    const actions = new Map<string, ActionJson>();
    // Newest first, and the end of an action before its begin.
    for (const action of await this.#read<ActionJson>(ACTIONS)) {
      if (!actions.has(action.job)) actions.set(action.job, action);
    }
    return [...actions.values()];
  }

  async eventsOf(key: string): Promise<readonly EventJson[]> {
    return (await this.#read<EventJson>(logOf(key))).toReversed();
  }

  /** Inserts an item for the plan, refused if it exists. A retry after a lost answer is a second time. */
  async isFirst(plan: string): Promise<boolean> {
    const log = `plan ${createHash('sha256').update(plan).digest('hex')}`;
    return this.#insert([{ log, at: 'once', value: {} }]);
  }

  /** Inserts the action and, in an item that no list reads, what was seen: at most 300 KB. */
  async begin(action: ActionJson, seenBefore: readonly (SeenClaim | SeenRow)[] = []): Promise<void> {
    const { at, job } = action;
    const seen = seenBefore.map((one) =>
      'key' in one ? [one.key, one.status, one.owner, one.attempt] : [one.outboxId, one.state, one.version],
    );
    await this.#insert([
      { log: ACTIONS, at: `${at} ${job} begin`, value: action },
      ...(seen.length > 0 ? [{ log: `seen ${job}`, at, value: seen }] : []),
    ]);
  }

  async end(action: ActionJson, unrecorded: readonly UnrecordedAction[] = []): Promise<void> {
    const events = unrecorded.map(({ key, event }) => {
      return { log: logOf(key), at: `${action.at} ${action.job}`, value: event };
    });
    try {
      await this.#insert([{ log: ACTIONS, at: `${action.at} ${action.job} end`, value: action }, ...events]);
    } catch (error) {
      // The claims are changed, and the begin of the action is stored with what was seen.
      const { job } = action;
      this.#options.log({
        level: 'error',
        message: 'The end of an action is not recorded',
        job,
        error: String(error),
      });
    }
  }

  async #read<Value>(log: string): Promise<readonly Value[]> {
    const { client, tableName } = this.#options;
    const { Items = [] } = await client.query({
      TableName: tableName,
      KeyConditionExpression: '#log = :log',
      ExpressionAttributeNames: { '#log': 'log', '#value': 'value' },
      ExpressionAttributeValues: { ':log': { S: log } },
      ProjectionExpression: '#value',
      ScanIndexForward: false,
      Limit: MOST_SHOWN * 2,
    });
    return Items.map(({ value }) => JSON.parse(value?.S ?? 'null') as Value);
  }

  /** Resolves to whether all items are new. */
  async #insert(
    items: readonly { readonly log: string; readonly at: string; readonly value: object }[],
  ): Promise<boolean> {
    const { client, tableName, retentionDays, now } = this.#options;
    const expiresAt = String(Math.ceil((now() + retentionDays * DAY_MS) / 1_000));
    let areNew = true;
    for (let start = 0; start < items.length; start += AT_ONCE) {
      const Statements = items.slice(start, start + AT_ONCE).map(({ log, at, value }) =>
        statement(tableName, {
          log: { S: log },
          at: { S: at },
          value: { S: JSON.stringify(value) },
          expiresAt: { N: expiresAt },
        }),
      );
      const { Responses = [] } = await client.batchExecuteStatement({ Statements });
      // A retry of a request whose answer was lost finds its own item: the key has the id of the job.
      const errors = Responses.flatMap(({ Error: one }) => one ?? []);
      const error = errors.find(({ Code }) => Code !== 'DuplicateItem');
      if (error !== undefined) {
        throw new Error(
          `The action cannot be recorded in table ${tableName}: ${error.Code} ${error.Message}`,
        );
      }
      areNew &&= errors.length === 0;
    }
    return areNew;
  }
}

function statement(tableName: string, item: Item): { Statement: string; Parameters: AttributeValue[] } {
  const names = Object.keys(item).map((name) => `'${name}': ?`);
  return {
    Statement: `INSERT INTO "${tableName}" VALUE {${names.join(', ')}}`,
    Parameters: Object.values(item),
  };
}

function logOf(key: string): string {
  return `key ${keyHash(key)}`;
}
