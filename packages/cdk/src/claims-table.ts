import { RemovalPolicy } from 'aws-cdk-lib/core';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { aBoolean, aString, type Check, checkOptionsOf, ConfigurationError } from './check-options.ts';
import { aConstruct } from './checks.ts';
import { grantClaims, grantMonitor, grantOperate } from './claims-grants.ts';

const OVERDUE_INDEX = 'overdue';

/** Properties of a `ClaimsTable`. */
export interface ClaimsTableProps {
  /**
   * A claims table that exists already, in this app or imported. Then none is made, and of the other properties only
   * `overdueIndex` may be given. Default: a table is made.
   */
  readonly table?: dynamodb.ITable;
  /**
   * Whether the table has the index `overdue`, by which overdue and parked claims are found without a scan. The monitor needs it. It costs one more write unit
   * for each claim and each settlement. Default true.
   */
  readonly overdueIndex?: boolean;
  /** Default: a name that CloudFormation generates. */
  readonly tableName?: string;
  /** A KMS key of your own. Default: a key that DynamoDB owns. */
  readonly encryptionKey?: kms.IKey;
  /** Whether the table can be restored to any second of the last 35 days. Default true. */
  readonly pointInTimeRecovery?: boolean;
  /** What happens to the table when it leaves the stack. Default `RETAIN`: without its claims, work that is done would be done again. */
  readonly removalPolicy?: RemovalPolicy;
  /** Whether DynamoDB refuses to delete the table. Default true, unless `removalPolicy` is `DESTROY`. */
  readonly deletionProtection?: boolean;
}

const checks: Readonly<Record<keyof ClaimsTableProps, Check>> = {
  table: aConstruct('a table of aws-cdk-lib/aws-dynamodb', 'tableArn', 'tableName'),
  overdueIndex: aBoolean(),
  tableName: aString(),
  encryptionKey: aConstruct('a key of aws-cdk-lib/aws-kms', 'keyArn'),
  pointInTimeRecovery: aBoolean(),
  removalPolicy: aString(),
  deletionProtection: aBoolean(),
};

/**
 * The DynamoDB table with one row per idempotency key: on-demand capacity, TTL on `expiresAt`, the index `overdue`, point-in-time
 * recovery, deletion protection, and retained when the stack is deleted. It belongs in one Region: two Regions of a global table could claim one key at
 * the same time. Throws a `ConfigurationError` for properties that cannot work.
 *
 * @example
 * const claims = new ClaimsTable(this, 'Claims');
 */
export class ClaimsTable extends Construct {
  /** The table itself. */
  readonly table: dynamodb.ITable;
  /** The name of the index by which overdue and parked claims are found; undefined without one. */
  readonly overdueIndexName: string | undefined;

  /**
   * Makes the table, or takes the one that is given.
   *
   * @param scope What it is a part of, such as `this` in a stack.
   * @param id Its name in that scope.
   * @param props The properties of the table, or a table that exists.
   */
  constructor(scope: Construct, id: string, props: ClaimsTableProps = {}) {
    super(scope, id);
    checkOptionsOf('ClaimsTable', props, checks);
    this.table = props.table === undefined ? createTable(this, props) : existingTable(props.table, props);
    this.overdueIndexName = (props.overdueIndex ?? true) ? OVERDUE_INDEX : undefined;
  }

  /**
   * Allows a function what claiming needs: to insert, update and read rows of the table, and nothing on its index.
   *
   * @param grantee The role or function that gets the permission.
   */
  grantClaims(grantee: iam.IGrantable): iam.Grant {
    return grantClaims(this.table, grantee);
  }

  /**
   * Allows what the monitor needs: to query the index, and to read rows. Throws a `ConfigurationError` where there is none.
   *
   * @param grantee The role or function that gets the permission.
   */
  grantMonitor(grantee: iam.IGrantable): iam.Grant {
    if (this.overdueIndexName === undefined) throw withoutIndex();
    return grantMonitor(this.table, this.overdueIndexName, grantee);
  }

  /**
   * Allows a person or a tool to list, release, resolve, park and forget claims, as `npx batchlatch claims` does.
   *
   * @param grantee The role, user or function that gets the permission.
   */
  grantOperate(grantee: iam.IGrantable): iam.Grant {
    return grantOperate(this.table, this.overdueIndexName, grantee);
  }

  /**
   * Lets a function use the table, whatever invokes it: `grantClaims`, and the environment variable `CLAIMS_TABLE_NAME`.
   * `BatchQueue` does it for its function.
   *
   * @param claimer The function that claims.
   */
  connect(claimer: lambda.Function): void {
    this.addEnvironment(claimer);
    this.grantClaims(claimer);
  }

  /**
   * Gives a function the table's name as `CLAIMS_TABLE_NAME`, without any permission.
   *
   * @param reader The function whose environment gets it.
   */
  addEnvironment(reader: lambda.Function): void {
    reader.addEnvironment('CLAIMS_TABLE_NAME', this.table.tableName);
  }
}

function createTable(scope: Construct, props: ClaimsTableProps): dynamodb.ITable {
  const { tableName, encryptionKey, pointInTimeRecovery = true, overdueIndex = true } = props;
  const { removalPolicy = RemovalPolicy.RETAIN } = props;
  const table = new dynamodb.Table(scope, 'Table', {
    partitionKey: { name: 'id', type: dynamodb.AttributeType.STRING },
    timeToLiveAttribute: 'expiresAt',
    billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: pointInTimeRecovery },
    removalPolicy,
    deletionProtection: props.deletionProtection ?? removalPolicy !== RemovalPolicy.DESTROY,
    ...(tableName !== undefined && { tableName }),
    ...(encryptionKey !== undefined && {
      encryption: dynamodb.TableEncryption.CUSTOMER_MANAGED,
      encryptionKey,
    }),
  });
  if (overdueIndex) addOverdueIndex(table);
  // The CDK's own types are not made for `exactOptionalPropertyTypes`.
  return table as dynamodb.ITable;
}

function addOverdueIndex(table: dynamodb.Table): void {
  table.addGlobalSecondaryIndex({
    indexName: OVERDUE_INDEX,
    partitionKey: { name: 'overdueShard', type: dynamodb.AttributeType.STRING },
    sortKey: { name: 'leaseUntil', type: dynamodb.AttributeType.NUMBER },
    projectionType: dynamodb.ProjectionType.KEYS_ONLY,
  });
}

function existingTable(table: dynamodb.ITable, props: ClaimsTableProps): dynamodb.ITable {
  const others = Object.keys(props).filter((name) => name !== 'table' && name !== 'overdueIndex');
  if (others.length === 0) return table;
  throw new ConfigurationError(
    `ClaimsTable: \`${others[0]}\` is for a table that is made here; the one given as \`table\` stays as it is`,
  );
}

function withoutIndex(): ConfigurationError {
  return new ConfigurationError(
    'ClaimsTable.grantMonitor: the table has no overdue index; leave out `overdueIndex: false`',
  );
}
