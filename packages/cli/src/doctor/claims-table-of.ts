import type { LambdaFunction, Statement, Table } from '../template/model.ts';
import { allows } from './allows.ts';
import type { Examination } from './examination.ts';

/** The permissions that a store needs with its default options (docs/deploying.md). */
export const BATCHED: readonly string[] = [
  'dynamodb:PartiQLInsert',
  'dynamodb:PartiQLUpdate',
  'dynamodb:BatchGetItem',
];

export const TABLE_NAME_VARIABLE = 'CLAIMS_TABLE_NAME';

/** Returns the claims tables: those that functions use or the caller named, and those that look like one. */
export function claimsTables(examination: Examination): readonly Table[] {
  const { tables, functions, claimsTables: given } = examination.model;
  const used = new Set(functions.map((lambda) => claimsTableOf(examination, lambda)?.id));
  return tables.filter(
    (table) => given.has(table.id) || used.has(table.id) || (isCalledClaims(table) && looksLikeIt(table)),
  );
}

/** Returns the claims table of a function: by its environment, else by its role's permissions. */
export function claimsTableOf({ model }: Examination, lambda: LambdaFunction): Table | undefined {
  const named = lambda.environment.value?.get(TABLE_NAME_VARIABLE);
  const { tables } = model;
  if (named !== undefined) return tables.find((table) => isNamed(table, named));
  const role = lambda.role.value;
  if (role === undefined) return undefined;
  const own = { ...role, statements: role.statements.filter(({ resources }) => !resources.includes('*')) };
  // A role that may do everything with a table says nothing about claims: it may be any table.
  const exact = { ...own, statements: own.statements.filter((one) => !(one.isAllow && hasEveryAction(one))) };
  return tables.find((table) => {
    const said = isCalledClaims(table) || looksLikeIt(table) ? own : exact;
    return keyIsId(table) && BATCHED.every((action) => allows(said, action, table, 'dynamodb') === true);
  });
}

function hasEveryAction({ actions }: Statement): boolean {
  return actions.some((action) => /^(dynamodb:)?\*$/i.test(action));
}

function isCalledClaims({ id }: Table): boolean {
  return /claim/i.test(id);
}

/** Returns whether a table has the key and TTL or index of claims: its name alone may mean other claims. */
function looksLikeIt(table: Table): boolean {
  const hasIndex = table.indexKeys.value?.includes('overdueShard') === true;
  return keyIsId(table) && (table.ttl.value?.attribute === 'expiresAt' || hasIndex);
}

/** Returns whether a text is the table's name or ARN. */
export function isNamed({ id, arnTails }: Table, name: string): boolean {
  const [arn, , , , , ...tail] = name.split(':');
  return name === `<${id}.Arn>` || arnTails.includes(arn === 'arn' ? tail.join(':') : `table/${name}`);
}

export function keyIsId({ key }: Table): boolean {
  const [only, ...others] = key.value ?? [];
  return only?.name === 'id' && only.role === 'HASH' && others.length === 0;
}

/** Returns the functions that something invokes, or that use a claims table. */
export function functionsOfRecords(examination: Examination): readonly LambdaFunction[] {
  const { functions, mappings, triggers, subscribers } = examination.model;
  const invoked = new Set([...mappings, ...triggers, ...subscribers].map(({ functionId }) => functionId));
  return functions.filter(
    (lambda) =>
      invoked.has(lambda.id) ||
      lambda.environment.value?.has(TABLE_NAME_VARIABLE) === true ||
      claimsTableOf(examination, lambda) !== undefined,
  );
}
