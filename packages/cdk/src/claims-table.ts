import { RemovalPolicy } from 'aws-cdk-lib/core';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { aBoolean, aString, type Check, checkOptionsOf, ConfigurationError } from './check-options.ts';
import { aConstruct } from './checks.ts';
import { grantClaims, grantMonitor, grantOperate, grantRead } from './claims-grants.ts';

const OVERDUE_INDEX = 'overdue';

/** The claims that `CLAIMS_TABLE_NAME` names. A second name would replace it without a word. */
const connected = new WeakMap<lambda.Function, ClaimsTable>();

/** Properties of a `ClaimsTable`. */
export interface ClaimsTableProps {
  /** An existing claims table. Allows no other property but `overdueIndex`. Default: a table is created. */
  readonly table?: dynamodb.ITable;
  /**
   * Whether the table has the index `overdue` of overdue and parked claims, which the monitor needs. It costs
   * one more write unit per claim and per settlement. Default true.
   */
  readonly overdueIndex?: boolean;
  /** The table's name. Default: a name that CloudFormation generates. */
  readonly tableName?: string;
  /** A customer-managed KMS key. Default: a key that DynamoDB owns. */
  readonly encryptionKey?: kms.IKey;
  /** Whether the table can be restored to any second of the last 35 days. Default true. */
  readonly pointInTimeRecovery?: boolean;
  /** The removal policy. Default `RETAIN`: without its claims, completed work would run again. */
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
 * A DynamoDB table with one row per idempotency key: on-demand capacity, TTL on `expiresAt`, the index
 * `overdue`, point-in-time recovery, deletion protection, and retention when the stack is deleted. Use it in
 * one Region only: two Regions of a global table could claim a key at the same time. Throws a
 * `ConfigurationError` for invalid properties.
 *
 * @example
 * const claims = new ClaimsTable(this, 'Claims');
 */
export class ClaimsTable extends Construct {
  /** The DynamoDB table. */
  readonly table: dynamodb.ITable;
  /** The name of the index that finds overdue and parked claims; undefined without one. */
  readonly overdueIndexName: string | undefined;

  /**
   * Creates the table, or uses an existing one.
   *
   * @param scope The parent construct, such as `this` in a stack.
   * @param id The construct's id in that scope.
   * @param props The properties of the table, or an existing table.
   */
  constructor(scope: Construct, id: string, props: ClaimsTableProps = {}) {
    super(scope, id);
    checkOptionsOf('ClaimsTable', props, checks);
    this.table = props.table === undefined ? createTable(this, props) : existingTable(props.table, props);
    this.overdueIndexName = (props.overdueIndex ?? true) ? OVERDUE_INDEX : undefined;
  }

  /**
   * Grants what claiming needs: inserting, updating and reading rows, and nothing on the index.
   *
   * @param grantee The role or function that gets the permission.
   */
  grantClaims(grantee: iam.IGrantable): iam.Grant {
    return grantClaims(this.table, grantee);
  }

  /**
   * Grants what the monitor needs: querying the index, reading rows. Throws a `ConfigurationError` if there
   * is no index.
   *
   * @param grantee The role or function that gets the permission.
   */
  grantMonitor(grantee: iam.IGrantable): iam.Grant {
    if (this.overdueIndexName === undefined) throw withoutIndex();
    return grantMonitor(this.table, this.overdueIndexName, grantee);
  }

  /**
   * Grants listing and reading claims, as `npx batchlatch claims list` does.
   *
   * @param grantee The role, user or function that gets the permission.
   */
  grantRead(grantee: iam.IGrantable): iam.Grant {
    return grantRead(this.table, this.overdueIndexName, grantee);
  }

  /**
   * Grants listing, releasing, resolving, parking and forgetting claims, as `npx batchlatch claims` does.
   *
   * @param grantee The role, user or function that gets the permission.
   */
  grantOperate(grantee: iam.IGrantable): iam.Grant {
    return grantOperate(this.table, this.overdueIndexName, grantee);
  }

  /**
   * Connects a function to the table: `grantClaims`, and the environment variable `CLAIMS_TABLE_NAME`.
   * `BatchQueue` calls it for its function.
   *
   * @param claimer The function that claims.
   */
  connect(claimer: lambda.Function): void {
    this.addEnvironment(claimer);
    this.grantClaims(claimer);
  }

  /**
   * Sets a function's `CLAIMS_TABLE_NAME`, without granting any permission. Throws a `ConfigurationError` if
   * it names another `ClaimsTable`.
   *
   * @param reader The function whose environment is set.
   */
  addEnvironment(reader: lambda.Function): void {
    const other = connected.get(reader) ?? this;
    if (other.table.tableName !== this.table.tableName) throw withAnotherTable(reader, other);
    connected.set(reader, this);
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
  // The CDK's types do not support `exactOptionalPropertyTypes`.
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
  const given = Object.entries(props).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const others = given.filter((name) => name !== 'table' && name !== 'overdueIndex');
  if (others.length === 0) return table;
  throw new ConfigurationError(
    `ClaimsTable: \`${others[0]}\` cannot change the existing \`table\`; leave one of them out`,
  );
}

function withAnotherTable(reader: lambda.Function, other: ClaimsTable): ConfigurationError {
  return new ConfigurationError(
    `ClaimsTable: ${reader.node.path} has the table of ${other.node.path} in \`CLAIMS_TABLE_NAME\`; ` +
      `give both constructs one table, or call \`grantClaims\` and name the second in a variable of your own`,
  );
}

function withoutIndex(): ConfigurationError {
  return new ConfigurationError(
    'ClaimsTable.grantMonitor: the table has no overdue index; leave out `overdueIndex: false`',
  );
}
