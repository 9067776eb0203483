import type {
  BatchExecuteStatementOutput,
  BatchGetItemOutput,
  BatchStatementResponse,
} from '@aws-sdk/client-dynamodb';
import type { Operation, Operations } from '../../../src/stores/dynamodb/transport.ts';
import type { Random } from '../virtual-world/random.ts';
import type { SimProcess } from '../virtual-world/sim-process.ts';
import type { World } from '../virtual-world/world.ts';
import { insertOf, updateOf } from './item-expressions.ts';
import { Network } from './network.ts';
import { type Item, keyOf, parseStatement, type Statement } from './partiql.ts';
import type { SimDynamoDBTable, Written } from './sim-dynamodb-table.ts';
import type { SimTransactions, Transacted } from './sim-transactions.ts';

/** Codes of one statement's own failure: passing, passing but possibly done, and lasting. */
const STATEMENT_FAILURES = [
  { code: 'ThrottlingError', isDone: false },
  { code: 'ProvisionedThroughputExceeded', isDone: false },
  { code: 'TransactionConflict', isDone: false },
  { code: 'InternalServerError', isDone: false },
  { code: 'InternalServerError', isDone: true },
  { code: 'ItemCollectionSizeLimitExceeded', isDone: false },
] as const;

const EXCEPTIONS = [
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'TransactionConflictException',
  'InternalServerError',
] as const;

const TOO_LARGE = 'Item size to update has exceeded the maximum allowed size';

/** How a client reports that there is no answer, and how often it sends a request before it does. */
export interface Way {
  readonly mostSendings: number;
  unanswered(): Error;
  aborted(): Error;
}

/**
 * DynamoDB as processes reach it: knows the few operations and statements that the store sends, and refuses what
 * DynamoDB would refuse. What it does not know ends the run: a simulation must not guess.
 */
export class SimDynamoDB {
  readonly #world: World;
  readonly #table: SimDynamoDBTable;
  readonly #transactions: SimTransactions;
  readonly #network: Network;
  readonly #random: Random;

  constructor(world: World, table: SimDynamoDBTable, transactions: SimTransactions, way: Way) {
    this.#world = world;
    this.#table = table;
    this.#transactions = transactions;
    this.#random = world.random.fork('client');
    const { mostSendings } = way;
    this.#network = new Network(
      world,
      { arrivesLate: true, mostSendings },
      {
        unanswered: () => way.unanswered(),
        refused: () => exception(this.#random.pick(EXCEPTIONS), 'refused'),
        failed: () => Object.assign(exception('InternalServerError', 'failed'), { $fault: 'server' }),
        aborted: () => way.aborted(),
      },
    );
  }

  request(
    process: SimProcess,
    operation: string,
    input: unknown,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    try {
      return this.#request(process, operation as Operation, input as never, signal);
    } catch (thrown) {
      this.#world.report('simulation-itself', String(thrown));
      throw thrown;
    }
  }

  #request(
    process: SimProcess,
    operation: Operation,
    input: never,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    switch (operation) {
      case 'BatchExecuteStatement':
        return this.#executeBatch(process, input, signal);
      case 'BatchGetItem':
        return this.#getBatch(process, input, signal);
      case 'GetItem':
        return this.#get(process, input, signal);
      case 'PutItem':
        return this.#writeOne(process, insertOf(input), signal);
      case 'TransactWriteItems':
        return this.#transact(process, input, signal);
      case 'UpdateItem':
        return this.#writeOne(process, updateOf(input), signal);
      case 'DeleteItem':
      case 'Query':
      case 'Scan':
        throw new Error(`The simulated DynamoDB does not know ${operation}`);
    }
  }

  #get(
    process: SimProcess,
    { Key, ConsistentRead }: Operations['GetItem']['input'],
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const key = keyOf(Key ?? {});
    return this.#network.exchange(
      process,
      {
        name: `GetItem ${key}`,
        items: 1,
        apply: () => this.#table.read(key, ConsistentRead === true),
        answer: ([Item]) => ({ ...(Item !== undefined && { Item }) }),
      },
      signal,
    );
  }

  #executeBatch(
    process: SimProcess,
    input: Operations['BatchExecuteStatement']['input'],
    signal: AbortSignal | undefined,
  ): Promise<BatchExecuteStatementOutput> {
    const statements = (input.Statements ?? []).map(({ Statement, Parameters }) =>
      parseStatement(Statement ?? '', Parameters ?? []),
    );
    const keys = statements.map(({ key }) => key);
    return this.#network.exchange<BatchStatementResponse, BatchExecuteStatementOutput>(
      process,
      {
        name: `BatchExecuteStatement ${statements.map(shown).join(', ')}`,
        items: statements.length,
        apply: (index) => this.#execute(statements[index] as Statement, process),
        answer: (Responses) => {
          refuseUnless(isValid(keys, 25), 'at most 25 statements, each for another item');
          return { Responses };
        },
      },
      signal,
    );
  }

  #execute(statement: Statement, process: SimProcess): BatchStatementResponse {
    const failure = this.#drawFailure();
    if (failure !== undefined) {
      if (failure.isDone) this.#table.write(statement, process);
      return { Error: { Code: failure.code, Message: 'simulated' } };
    }
    const written = this.#table.write(statement, process);
    if (written.status === 'done') return {};
    if (written.status === 'too-large') return { Error: { Code: 'ValidationError', Message: TOO_LARGE } };
    const Code = written.status === 'exists' ? 'DuplicateItem' : 'ConditionalCheckFailed';
    return { Error: { Code: Code as 'DuplicateItem', Message: 'simulated', ...this.#oldItem(written) } };
  }

  #getBatch(
    process: SimProcess,
    input: Operations['BatchGetItem']['input'],
    signal: AbortSignal | undefined,
  ): Promise<BatchGetItemOutput> {
    const [tableName, request] = Object.entries(input.RequestItems ?? {})[0] ?? [];
    if (tableName === undefined || request === undefined) throw new Error('A BatchGetItem without a table');
    const { Keys = [], ConsistentRead } = request;
    const keys = Keys.map(keyOf);
    return this.#network.exchange<Item | 'unprocessed' | undefined, BatchGetItemOutput>(
      process,
      {
        name: `BatchGetItem ${keys.join(', ')}`,
        items: keys.length,
        apply: (index) =>
          this.#isItemRefused()
            ? 'unprocessed'
            : this.#table.read(keys[index] as string, ConsistentRead === true),
        answer: (read) => {
          refuseUnless(isValid(keys, 100), 'at most 100 keys, none of them twice');
          const unprocessed = Keys.filter((_, index) => read[index] === 'unprocessed');
          return {
            Responses: { [tableName]: this.#random.shuffled(read.filter((one) => typeof one === 'object')) },
            UnprocessedKeys: unprocessed.length === 0 ? {} : { [tableName]: { Keys: unprocessed } },
          };
        },
      },
      signal,
    );
  }

  #writeOne(process: SimProcess, statement: Statement, signal: AbortSignal | undefined): Promise<unknown> {
    return this.#network.exchange<Written | { readonly status: 'failed'; readonly code: string }, unknown>(
      process,
      {
        name: shown(statement),
        items: 1,
        apply: () => {
          const failure = this.#drawFailure();
          if (failure === undefined || failure.isDone) {
            const written = this.#table.write(statement, process);
            if (failure === undefined) return written;
          }
          return { status: 'failed', code: `${failure.code}Exception` };
        },
        answer: ([written]) => {
          if (written === undefined || written.status === 'done') return {};
          if (written.status === 'failed') throw exception(written.code, 'simulated');
          if (written.status === 'too-large') throw exception('ValidationException', TOO_LARGE);
          const refused = exception('ConditionalCheckFailedException', 'The conditional request failed');
          throw Object.assign(refused, this.#oldItem(written));
        },
      },
      signal,
    );
  }

  #transact(
    process: SimProcess,
    input: Operations['TransactWriteItems']['input'],
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const key = keyOf(input.TransactItems?.[0]?.Update?.Key ?? {});
    return this.#network.exchange<Transacted, unknown>(
      process,
      {
        name: `TransactWriteItems ${key} and ${(input.TransactItems ?? []).length - 1} of its handler's`,
        items: 1,
        apply: () => this.#transactions.apply(input, process),
        answer: ([transacted], attempts) => {
          const $metadata = { attempts };
          if (transacted === undefined || transacted.status === 'done') return { $metadata };
          if (transacted.status === 'failed') {
            throw Object.assign(exception(transacted.name, 'simulated'), { $metadata });
          }
          throw Object.assign(exception('TransactionCanceledException', 'cancelled'), {
            $metadata,
            CancellationReasons: transacted.codes.map((Code) => ({ Code })),
          });
        },
      },
      signal,
    );
  }

  /** Emulators do not send the old item along. */
  #oldItem({ item }: { readonly item: Item | undefined }): { Item?: Item } {
    return item === undefined || this.#random.chance(0.2) ? {} : { Item: item };
  }

  #drawFailure(): (typeof STATEMENT_FAILURES)[number] | undefined {
    return this.#isItemRefused() ? this.#random.pick(STATEMENT_FAILURES) : undefined;
  }

  #isItemRefused(): boolean {
    const isRefused = !this.#world.isCalm && this.#random.chance(this.#world.scenario.faults.itemRefused);
    if (isRefused) this.#world.count('items refused');
    return isRefused;
  }
}

function isValid(keys: readonly string[], most: number): boolean {
  return keys.length > 0 && keys.length <= most && new Set(keys).size === keys.length;
}

function refuseUnless(isFine: boolean, expected: string): void {
  if (!isFine) throw exception('ValidationException', expected);
}

function exception(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

function shown(statement: Statement): string {
  if (statement.kind === 'insert') return `INSERT ${statement.key}`;
  return `UPDATE ${statement.key} to ${statement.set['status']?.S ?? 'a longer lease'}`;
}
