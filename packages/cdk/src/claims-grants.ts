import type * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';

/**
 * What a function that claims may do with the rows. A `BatchExecuteStatement` is allowed by its statements; it has no action
 * of its own.
 */
const CLAIM = ['dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate', 'dynamodb:BatchGetItem'];
/** What a person does with claims beyond reading the index. Their changes are not made by PartiQL. */
const OPERATE = [
  'dynamodb:BatchGetItem',
  'dynamodb:DeleteItem',
  'dynamodb:DescribeContinuousBackups',
  'dynamodb:DescribeTable',
  'dynamodb:DescribeTimeToLive',
  'dynamodb:Scan',
  'dynamodb:UpdateItem',
];

/** What claiming functions do. */
export function grantClaims(table: dynamodb.ITable, grantee: iam.IGrantable): iam.Grant {
  return grantOn(table, grantee, CLAIM);
}

/** What the monitor does: count by the index, and read what it logs. */
export function grantMonitor(table: dynamodb.ITable, indexName: string, grantee: iam.IGrantable): iam.Grant {
  return grantOn(table, grantee, ['dynamodb:BatchGetItem']).combine(grantIndex(table, indexName, grantee));
}

/** What a person does. */
export function grantOperate(
  table: dynamodb.ITable,
  indexName: string | undefined,
  grantee: iam.IGrantable,
): iam.Grant {
  const onRows = grantOn(table, grantee, OPERATE);
  return indexName === undefined ? onRows : onRows.combine(grantIndex(table, indexName, grantee));
}

function grantIndex(table: dynamodb.ITable, indexName: string, grantee: iam.IGrantable): iam.Grant {
  return grantOn(table, grantee, ['dynamodb:Query'], `${table.tableArn}/index/${indexName}`);
}

/** `table.grant()` would allow the actions on every index too. */
function grantOn(
  table: dynamodb.ITable,
  grantee: iam.IGrantable,
  actions: string[],
  resource: string = table.tableArn,
): iam.Grant {
  const grant = iam.Grant.addToPrincipal({ grantee, actions, resourceArns: [resource] });
  return table.encryptionKey === undefined
    ? grant
    : grant.combine(table.encryptionKey.grantEncryptDecrypt(grantee));
}
