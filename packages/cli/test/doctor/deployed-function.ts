import type { DoctorClients } from '../../src/doctor/index.ts';

type LambdaReader = NonNullable<DoctorClients['lambda']>;
type IamReader = NonNullable<DoctorClients['iam']>;

const ROLE = 'arn:aws:iam::000000000000:role/path/orders-role';
const absent = (): Error => Object.assign(new Error('absent'), { name: 'ResourceNotFoundException' });

/** The answers of Lambda about one function without mistakes, in the form of the SDK's. */
export function lambdaOf({
  queueArn,
  tableName,
  configuration = {},
  mapping = {},
  reserved,
}: {
  readonly queueArn: string;
  readonly tableName?: string;
  readonly configuration?: object;
  readonly mapping?: object;
  readonly reserved?: number;
}): LambdaReader {
  const FunctionArn = 'arn:aws:lambda:us-east-1:000000000000:function:orders';
  return {
    getFunctionConfiguration: async () => ({
      FunctionName: 'orders',
      Runtime: 'nodejs22.x',
      Timeout: 30,
      Role: ROLE,
      ...(tableName !== undefined && { Environment: { Variables: { CLAIMS_TABLE_NAME: tableName } } }),
      ...configuration,
    }),
    getFunctionConcurrency: async () =>
      reserved === undefined ? {} : { ReservedConcurrentExecutions: reserved },
    getFunctionEventInvokeConfig: () => Promise.reject(absent()),
    listEventSourceMappings: async () => ({
      EventSourceMappings: [
        {
          UUID: '0f0c1d2e',
          EventSourceArn: queueArn,
          FunctionArn,
          FunctionResponseTypes: ['ReportBatchItemFailures'],
          BatchSize: 10,
          ...mapping,
        },
      ],
    }),
  };
}

/** The answers of IAM about its role: an inline policy, and a managed one. */
export function roleOf({
  arn,
  tableName,
  policyArn = 'arn:aws:iam::000000000000:policy/queue',
}: {
  readonly arn: string;
  readonly tableName: string;
  readonly policyArn?: string;
}): IamReader {
  const encoded = (actions: readonly string[], Resource: string): string =>
    encodeURIComponent(JSON.stringify({ Statement: { Effect: 'Allow', Action: actions, Resource } }));
  const claims = encoded(
    ['dynamodb:PartiQL*', 'dynamodb:BatchGetItem'],
    `arn:aws:dynamodb:us-east-1:000000000000:table/${tableName}`,
  );
  const queue = encoded(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], arn);
  const isOurs = (RoleName: string): boolean => RoleName === 'orders-role';
  return {
    listRolePolicies: async ({ RoleName }) => ({ PolicyNames: isOurs(RoleName) ? ['claims'] : [] }),
    getRolePolicy: async () => ({ PolicyDocument: claims }),
    listAttachedRolePolicies: async ({ RoleName }) => ({
      AttachedPolicies: isOurs(RoleName) ? [{ PolicyName: 'queue', PolicyArn: policyArn }] : [],
    }),
    getPolicy: async () => ({ Policy: { DefaultVersionId: 'v2' } }),
    getPolicyVersion: async ({ VersionId }) => ({
      PolicyVersion: { Document: VersionId === 'v2' ? queue : encodeURIComponent('{}') },
    }),
  };
}
