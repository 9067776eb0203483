import { inDynamoDB, type StoreAndAdmin } from '../../test/support/store-and-admin.ts';
import { randomUUID } from 'node:crypto';
import type { BatchStatementRequest, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type BatchEvent,
  type BatchProcessor,
  type ClaimStore,
  type Clock,
  createBatchProcessor,
} from 'batchlatch';
import { commit } from 'batchlatch/dynamodb';
import { createClaimMonitor } from 'batchlatch/monitor';
import { describeClaimStore, eventBridgeEvent, lambdaContext, sqsEvent } from 'batchlatch/testing';
import { chargeOrder } from '../../examples/orders/charge-order.ts';
import { handler as orderPlaced } from '../../examples/orders/order-placed.ts';
import { handler as ordersQueue } from '../../examples/orders/orders-queue.ts';
import { type DynamoDBCall, type Refusal, startDynamoDBProxy } from '../local/emulators/dynamodb-proxy.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { createOrdersTables, type OrdersTables } from '../../test/support/orders-stack.ts';
import { readChargedOrders, readClaims } from '../local/demo/stored-orders.ts';
import { at, readTemplate } from '../../test/sam/read-template.ts';
import { claimRequest, settlementOf } from '../../test/support/claim-builders.ts';
import { createClaimsTable, emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { dynamoDBLocal, startDynamoDBLocal } from '../../test/support/components/dynamodb-local.ts';
import { failStatements } from '../../test/support/sdk-traffic.ts';
import { storeBy, type TransportName, transports } from '../../test/support/transports.ts';

// DynamoDB Local has no policies. A proxy in front of it sees every request of the functions, their own clients
// included, tells which actions it needs, and refuses as IAM does what the policy in force does not allow.

/** An action on a table, by the table's name in the template: `dynamodb:PutItem on ChargesTable`. */
type Permission = string;

const granted = permissionsOf(readTemplate(), 'TablesPolicy', 'PolicyDocument');
const ofMonitor = permissionsOf(
  readTemplate(),
  'ClaimMonitorFunctionRole',
  'Policies',
  0,
  'PolicyDocument',
).filter((permission) => permission.startsWith('dynamodb:'));

/** What a person needs who operates the claims of a table with the index. */
const OF_OPERATORS: readonly Permission[] = [
  'dynamodb:Query on ClaimsTable/index/overdue',
  'dynamodb:Scan on ClaimsTable',
  'dynamodb:BatchGetItem on ClaimsTable',
  'dynamodb:UpdateItem on ClaimsTable',
  'dynamodb:DeleteItem on ClaimsTable',
];

describeWith([dynamoDBLocal], 'the permissions of the template', () => {
  let database: LocalService;
  let proxy: LocalService;
  let tables: OrdersTables;
  let ownClient: DynamoDBClient;
  let proxiedClient: DynamoDBClient;
  /** What IAM would be asked for, and what it would allow. */
  let asked: Set<Permission>;
  let allowed: ReadonlySet<Permission>;

  beforeAll(async () => {
    database = await startDynamoDBLocal();
    ownClient = emulatorClient(database.endpoint);
    // A claims table without TTL: the conformance suite's clock stands still in the past, where all is long expired.
    tables = {
      ...(await createOrdersTables(ownClient, randomUUID())),
      claims: await createClaimsTable(ownClient, { leaseUntil: 'leaseUntil' }),
    };
    proxy = await startDynamoDBProxy(database.endpoint, async (call) => authorize(call));
    proxiedClient = emulatorClient(proxy.endpoint);
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = proxy.endpoint;
    process.env['CLAIMS_TABLE_NAME'] = tables.claims;
    process.env['CHARGES_TABLE_NAME'] = tables.charges;
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    for (const client of [ownClient, proxiedClient]) client.destroy();
    for (const service of [proxy, database]) await service.stop();
  });
  beforeEach(() => {
    asked = new Set();
    allowed = new Set(granted);
  });

  it('are what its two functions need, and nothing more', async () => {
    const good = anOrder();
    const bad = anOrder({ amountCents: -1 });

    const first = await ordersQueue(sqsEvent([{ body: good }, { messageId: 'bad', body: bad }]));
    expect(first).toEqual({ batchItemFailures: [{ itemIdentifier: 'bad' }] });
    expect(await ordersQueue(sqsEvent([{ body: good, receiveCount: 2 }]))).toEqual(nothingFailed);
    expect(await ordersQueue(sqsEvent([{ body: good }]))).toEqual(nothingFailed);
    const event = eventBridgeEvent(anOrder());
    await orderPlaced(event, lambdaContext());
    await orderPlaced(event, lambdaContext());

    expect(asked).toEqual(new Set(granted));
  });

  describe('on the claims are what a store needs for all that functions have it do:', () => {
    const used = new Set<Permission>();

    describeClaimStore(
      { name: 'dynamoDBStore', create: (clock) => storeOfFunctions(clock) },
      recording(used, () => new Set(granted)),
    );

    it('nothing but these', () => {
      const onClaims = granted.filter((permission) => permission.endsWith('on ClaimsTable'));
      expect(used).toEqual(new Set(onClaims));
    });
  });

  describe('and five more are what it needs for all that people have it do:', () => {
    const used = new Set<Permission>();

    describeClaimStore(
      {
        name: 'dynamoDBStore',
        create: (clock) => storeOfPeople(clock),
        admin: (clock) => storeOfPeople(clock),
      },
      recording(used, () => new Set([...granted, ...OF_OPERATORS])),
    );

    it('nothing but these', () => {
      const onClaims = granted.filter((permission) => permission.endsWith('on ClaimsTable'));
      expect(used).toEqual(new Set([...onClaims, ...OF_OPERATORS]));
    });
  });

  describe('of the monitor', () => {
    beforeEach(async () => {
      const [hung, bad] = [claimRequest(`hung-${randomUUID()}`, { leaseMs: 1 }), claimRequest('bad')];
      const store = inDynamoDB({ client: ownClient, tableName: tables.claims, overdueIndex: true });
      await store.acquire([hung, bad]);
      await store.settle([settlementOf('park', bad)]);
    });
    const monitor = () =>
      createClaimMonitor({ admin: storeOfPeople(), tableName: tables.claims, write: () => undefined })();

    it('are what it needs, and nothing more', async () => {
      allowed = new Set(ofMonitor);
      const report = await monitor();
      expect(report).toMatchObject({ isWhole: true });
      expect(report.overdue).toBeGreaterThan(0);
      expect(report.parked).toBeGreaterThan(0);
      expect(asked).toEqual(allowed);
    });

    it.each(ofMonitor)('fail it, by their name, without %s', async (permission) => {
      const [action = ''] = permission.split(' ');
      allowed = new Set(ofMonitor.filter((one) => one !== permission));
      await expect(monitor()).rejects.toMatchObject(
        permission.includes('/index/')
          ? {
              code: 'BATCHLATCH_ACCESS_DENIED',
              message: expect.stringContaining(
                `The policy refuses ${action} on the index \`overdue\` of table \`${tables.claims}\`.`,
              ),
            }
          : refused(action),
      );
    });
  });

  describe.each(granted)('without %s', (permission) => {
    const [action = ''] = permission.split(' ');
    beforeEach(() => {
      allowed = new Set(granted.filter((one) => one !== permission));
    });

    it.each(transports)(
      'the error names the action, and nothing is acknowledged that is not stored, by the %s transport',
      async (transport) => {
        const { charge, errors } = chargingFunction(storeOf(transport));
        const order = anOrder();
        const answers = [
          await charge(sqsEvent([{ messageId: order.orderId, body: order }]), lambdaContext()),
          await charge(
            sqsEvent([{ messageId: order.orderId, body: order, receiveCount: 2 }]),
            lambdaContext(),
          ),
        ];

        const refusals = errors().filter(({ message }) => message.includes(action));
        expect(refusals).not.toEqual([]);
        for (const error of refusals) {
          // The charge is the handler's own request; what AWS says of it is the handler's error as it is.
          if (action === 'dynamodb:PutItem') expect(error.name).toBe('AccessDeniedException');
          else expect(error).toMatchObject(refused(action));
        }
        const handedBack = answers.filter(({ batchItemFailures }) => batchItemFailures.length > 0);
        expect(handedBack).not.toEqual([]);
        const claim = (await readClaims(ownClient, tables.claims)).find(({ key }) =>
          key.endsWith(order.orderId),
        );
        if (handedBack.length < answers.length) expect(claim?.status).toBe('COMPLETED');
        const charged = await readChargedOrders(ownClient, tables.charges);
        expect(charged.filter((orderId) => orderId === order.orderId).length).toBeLessThanOrEqual(1);
      },
    );
  });

  // AWS documents `AccessDenied` as an error of one statement too, inside an answer that succeeds.
  it.each([
    ['INSERT', 'dynamodb:PartiQLInsert'],
    ['UPDATE', 'dynamodb:PartiQLUpdate'],
  ])('are named as well when single %s statements are refused', async (verb, action) => {
    const client = emulatorClient(database.endpoint);
    failStatements(client, ({ Statement = '' }) =>
      Statement.startsWith(verb)
        ? { Code: 'AccessDenied', Message: refusalOf(action, tables.claims).message }
        : undefined,
    );
    const { charge, errors } = chargingFunction(inDynamoDB({ client, tableName: tables.claims }));
    const order = anOrder();
    expect(await charge(sqsEvent([{ messageId: order.orderId, body: order }]))).toEqual({
      batchItemFailures: [{ itemIdentifier: order.orderId }],
    });
    expect(errors()).toContainEqual(expect.objectContaining(refused(action)));
    client.destroy();
  });

  it("need UpdateItem on the claims besides, and the items' own actions, for a commit", async () => {
    const onClaims = 'dynamodb:UpdateItem on ClaimsTable';
    const { commitCharge, errors } = committingFunction();
    const event = sqsEvent([{ body: anOrder() }]);
    expect((await commitCharge(event)).batchItemFailures).toHaveLength(1);
    expect(errors()).toContainEqual(expect.objectContaining(refused('dynamodb:UpdateItem')));

    allowed = new Set([...granted, onClaims]);
    asked = new Set();
    expect(await commitCharge(event)).toEqual(nothingFailed);
    expect(asked).toContain(onClaims);
    expect(asked).toContain('dynamodb:PutItem on ChargesTable');
    expect([...asked].filter((permission) => !granted.includes(permission))).toEqual([onClaims]);
  });

  /** A function that commits its charge with its completion. */
  function committingFunction(): { commitCharge: BatchProcessor; errors: () => Error[] } {
    const events: BatchEvent[] = [];
    const commitCharge = createBatchProcessor<{ orderId: string }>(
      ({ body: { orderId } }, context) =>
        commit(context, [{ Put: { TableName: tables.charges, Item: { orderId, chargeId: 'only' } } }]),
      {
        key: ({ body }) => body.orderId,
        namespace: randomUUID(), // each stands for a function of its own
        store: storeOf('direct'),
        observer: { onEvent: (told) => events.push(told) },
      },
    );
    return {
      commitCharge,
      errors: () => events.flatMap((told) => ('error' in told ? [told.error as Error] : [])),
    };
  }

  function storeOf(transport: TransportName): ClaimStore {
    return storeBy(transport, proxy.endpoint, { tableName: tables.claims });
  }

  /** The store as functions have it: people, who list and change claims, have their own. */
  function storeOfFunctions(clock: Clock): ClaimStore {
    const options = { tableName: tables.claims, overdueIndex: true, clock };
    return storeBy('direct', proxy.endpoint, options);
  }

  function storeOfPeople(clock?: Clock): StoreAndAdmin {
    return inDynamoDB({
      client: proxiedClient,
      tableName: tables.claims,
      overdueIndex: true,
      ...(clock !== undefined && { clock }),
    });
  }

  /** Notes in `used` what the tests of the suite asked for. */
  function recording(used: Set<Permission>, allow: () => ReadonlySet<Permission>) {
    return {
      describe,
      it: (sentence: string, body: () => Promise<void>) =>
        it(sentence, async () => {
          allowed = allow();
          await body();
          for (const permission of asked) used.add(permission);
        }),
    };
  }

  /** What the store says of it. */
  function refused(action: string) {
    return {
      code: 'BATCHLATCH_ACCESS_DENIED',
      message: `The policy refuses ${action} on table \`${tables.claims}\`. Allow that action for the function's role.`,
    };
  }

  function authorize(call: DynamoDBCall): Refusal | undefined {
    for (const [action, resource] of neededFor(call)) {
      const [tableName = '', ...index] = resource.split('/');
      const table = tableName === tables.claims ? 'ClaimsTable' : 'ChargesTable';
      const permission = `${action} on ${[table, ...index].join('/')}`;
      asked.add(permission);
      if (!allowed.has(permission)) return refusalOf(action, resource);
    }
    return undefined;
  }

  /** A function that charges orders as the example does, and tells what went wrong. */
  function chargingFunction(store: ClaimStore): { charge: BatchProcessor; errors: () => Error[] } {
    const events: BatchEvent[] = [];
    const charge = createBatchProcessor<{ orderId: string; amountCents: number }>(
      ({ body }, { signal }) => chargeOrder({ ...body, customerId: 'customer', currency: 'EUR' }, signal),
      {
        key: ({ body }) => body.orderId,
        namespace: randomUUID(), // each stands for a function of its own
        store,
        observer: { onEvent: (event) => events.push(event) },
      },
    );
    return {
      charge,
      errors: () => events.flatMap((event) => ('error' in event ? [event.error as Error] : [])),
    };
  }
});

const nothingFailed = { batchItemFailures: [] };

function anOrder(members: { amountCents?: number } = {}): { orderId: string; amountCents: number } {
  return { orderId: `order-${randomUUID()}`, amountCents: 100, ...members };
}

/** What a policy of the template allows. */
function permissionsOf(template: unknown, resource: string, ...path: (string | number)[]): Permission[] {
  const statements = at(template, 'Resources', resource, 'Properties', ...path, 'Statement') as unknown[];
  return statements.flatMap((statement) => {
    const on = at(statement, 'Resource') as Record<string, unknown>;
    // { 'Fn::GetAtt': ['ClaimsTable', 'Arn'] }, or { 'Fn::Sub': '${ClaimsTable.Arn}/index/overdue' }
    const name = [on['Fn::GetAtt'] ?? on['Fn::Sub']].flat()[0];
    const named = String(name).replace(/^\$\{(\w+)\.Arn\}/, '$1');
    return [at(statement, 'Action')].flat().map((action) => `${String(action)} on ${named}`);
  });
}

const actionOfVerb: Readonly<Record<string, string>> = {
  INSERT: 'dynamodb:PartiQLInsert',
  UPDATE: 'dynamodb:PartiQLUpdate',
  DELETE: 'dynamodb:PartiQLDelete',
  SELECT: 'dynamodb:PartiQLSelect',
};

/**
 * The actions a call needs, each with its table.
 *
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ql-iam.html
 */
function neededFor({ operation, body }: DynamoDBCall): [action: string, tableName: string][] {
  const request = JSON.parse(body) as {
    TableName?: string;
    IndexName?: string;
    RequestItems?: Record<string, unknown>;
    Statements?: BatchStatementRequest[];
    TransactItems?: Record<string, { TableName: string }>[];
  };
  // A transaction has no action of its own, only those of its entries.
  if (request.TransactItems !== undefined) {
    return request.TransactItems.flatMap((item) =>
      Object.entries(item).map(([kind, { TableName }]): [string, string] => [
        `dynamodb:${kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`}`,
        TableName,
      ]),
    );
  }
  if (request.Statements !== undefined) {
    return request.Statements.map(({ Statement = '' }) => {
      const [, verb = '', tableName = ''] = /^(\w+).*?"([^"]+)"/.exec(Statement) ?? [];
      return [actionOfVerb[verb] ?? Statement, tableName];
    });
  }
  const { TableName = '', IndexName } = request;
  const resource = IndexName === undefined ? TableName : `${TableName}/index/${IndexName}`;
  const resources = Object.keys(request.RequestItems ?? { [resource]: undefined });
  return resources.map((one) => [`dynamodb:${operation}`, one]);
}

/** As IAM says it. */
function refusalOf(action: string, tableName: string): Refusal {
  return {
    name: 'AccessDeniedException',
    message:
      `User: arn:aws:sts::123456789012:assumed-role/orders/OrdersFunction is not authorized to perform: ${action} ` +
      `on resource: arn:aws:dynamodb:us-east-1:123456789012:table/${tableName} because no identity-based policy ` +
      `allows the ${action} action`,
  };
}
