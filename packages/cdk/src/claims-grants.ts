import type * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';

/** The actions of a claiming function. `BatchExecuteStatement` needs those of its statements. */
const CLAIM = ['dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate', 'dynamodb:BatchGetItem'];
/** The actions of people who only look. */
const READ = ['dynamodb:BatchGetItem', 'dynamodb:DescribeTable', 'dynamodb:Scan'];
/** The actions of people besides reading the index. Their changes do not use PartiQL. */
const OPERATE = [
  'dynamodb:BatchGetItem',
  'dynamodb:DeleteItem',
  'dynamodb:DescribeContinuousBackups',
  'dynamodb:DescribeTable',
  'dynamodb:DescribeTimeToLive',
  'dynamodb:Scan',
  'dynamodb:UpdateItem',
];

/** The actions that need no more of a key than decrypting, as in the CDK's own `grantReadData`. */
const ONLY_READ: ReadonlySet<string> = new Set([...READ, 'dynamodb:Query']);

export function grantClaims(table: dynamodb.ITable, grantee: iam.IGrantable): iam.Grant {
  return grantOn(table, grantee, CLAIM);
}

/** Grants counting by the index, and reading the claims that the monitor logs. */
export function grantMonitor(table: dynamodb.ITable, indexName: string, grantee: iam.IGrantable): iam.Grant {
  return grantOn(table, grantee, ['dynamodb:BatchGetItem']).combine(grantIndex(table, indexName, grantee));
}

/** Grants what people do who only look at claims. */
export function grantRead(
  table: dynamodb.ITable,
  indexName: string | undefined,
  grantee: iam.IGrantable,
): iam.Grant {
  const onRows = grantOn(table, grantee, READ);
  return indexName === undefined ? onRows : onRows.combine(grantIndex(table, indexName, grantee));
}

/** Grants listing the actions of the console for a team. */
export function grantActions(actions: dynamodb.ITable, grantee: iam.IGrantable): iam.Grant {
  return grantOn(actions, grantee, ['dynamodb:Query']);
}

/** Grants adding actions: a PartiQL `INSERT` replaces nothing. */
export function grantActionsLog(actions: dynamodb.ITable, grantee: iam.IGrantable): iam.Grant {
  return grantOn(actions, grantee, ['dynamodb:PartiQLInsert']);
}

/** Grants what people do with claims: list, change and delete them. */
export function grantOperate(
  table: dynamodb.ITable,
  indexName: string | undefined,
  grantee: iam.IGrantable,
): iam.Grant {
  const onRows = grantOn(table, grantee, OPERATE);
  return indexName === undefined ? onRows : onRows.combine(grantIndex(table, indexName, grantee));
}

/** Every caller grants actions on rows too, and with them the key. */
function grantIndex(table: dynamodb.ITable, indexName: string, grantee: iam.IGrantable): iam.Grant {
  const resourceArns = [`${table.tableArn}/index/${indexName}`];
  return iam.Grant.addToPrincipal({ grantee, actions: ['dynamodb:Query'], resourceArns });
}

/** Grants actions on the table and its key; `table.grant()` would include every index. */
function grantOn(table: dynamodb.ITable, grantee: iam.IGrantable, actions: string[]): iam.Grant {
  const grant = iam.Grant.addToPrincipal({ grantee, actions, resourceArns: [table.tableArn] });
  const { encryptionKey: key } = table;
  if (key === undefined) return grant;
  const isReader = actions.every((action) => ONLY_READ.has(action));
  return grant.combine(isReader ? key.grantDecrypt(grantee) : key.grantEncryptDecrypt(grantee));
}
