import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type Item = Record<string, AttributeValue>;

/** A statement as the simulated table does it: an insert of a whole item, or a conditional update of one. */
export type Statement =
  | { readonly kind: 'insert'; readonly key: string; readonly item: Item }
  | {
      readonly kind: 'update';
      readonly key: string;
      readonly set: Item;
      readonly remove: readonly string[];
      /** What has to be equal for the update to be done; without any, the item has to exist. */
      readonly where: Item;
      /** What has to be at most this: numbers. */
      readonly whereAtMost: Item;
    };

export type UpdateStatement = Extract<Statement, { kind: 'update' }>;

/** Reads the shapes of PartiQL that the store writes. Any other is an error: the simulation does not know it. */
export function parseStatement(text: string, parameters: readonly AttributeValue[]): Statement {
  const left = [...parameters];
  const next = (): AttributeValue => {
    const value = left.shift();
    if (value === undefined) throw new Error(`Too few parameters for ${text}`);
    return value;
  };
  const statement = parseInsert(text, next) ?? parseUpdate(text, next);
  if (statement === undefined || left.length > 0) throw new Error(`Cannot read the statement ${text}`);
  return statement;
}

function parseInsert(text: string, next: () => AttributeValue): Statement | undefined {
  const members = /^INSERT INTO "[^"]+" VALUE \{(.+)\}$/.exec(text)?.[1];
  if (members === undefined) return undefined;
  const item: Item = {};
  for (const member of members.split(', ')) item[nameIn(member, /^'(\w+)': \?$/)] = next();
  return { kind: 'insert', key: keyOf(item), item };
}

function parseUpdate(text: string, next: () => AttributeValue): Statement | undefined {
  const parts = /^UPDATE "[^"]+" SET (.+?)(?: REMOVE "(\w+)")? WHERE (.+)$/.exec(text);
  if (parts === null) return undefined;
  const [, assignments = '', removed, conditions = ''] = parts;
  const set: Item = {};
  for (const assignment of assignments.split(', ')) set[nameIn(assignment, EQUALS)] = next();
  const where: Item = {};
  const whereAtMost: Item = {};
  for (const condition of conditions.split(' AND ')) {
    if (AT_MOST.test(condition)) whereAtMost[nameIn(condition, AT_MOST)] = next();
    else where[nameIn(condition, EQUALS)] = next();
  }
  const key = keyOf(where);
  delete where['id'];
  return { kind: 'update', key, set, remove: removed === undefined ? [] : [removed], where, whereAtMost };
}

const EQUALS = /^"(\w+)" = \?$/;
const AT_MOST = /^"(\w+)" <= \?$/;

function nameIn(text: string, shape: RegExp): string {
  const name = shape.exec(text)?.[1];
  if (name === undefined) throw new Error(`Cannot read ${text} in a statement`);
  return name;
}

export function keyOf(item: Readonly<Item>): string {
  const key = item['id']?.S;
  if (key === undefined) throw new Error('A statement without the key `id`');
  return key;
}
