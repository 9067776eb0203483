/** The ways to deploy, with their display names. */
export const DEPLOYMENTS = {
  sam: 'AWS SAM',
  cdk: 'AWS CDK',
  terraform: 'Terraform',
  sst: 'SST',
  serverless: 'Serverless Framework',
  ecs: 'a worker on ECS',
} as const;

/** The claim stores, with their display names. */
export const STORES = {
  dynamodb: 'DynamoDB',
  postgres: 'PostgreSQL',
  redis: 'Redis',
} as const;

export type Deployment = keyof typeof DEPLOYMENTS;
export type Store = keyof typeof STORES;

/** The answers that determine a project. */
export interface Answers {
  /** The folder to write into, as the user gave it. */
  readonly folder: string;
  readonly deploy: Deployment;
  readonly store: Store;
}

/** The answers for `--yes`, and the defaults of the questions. */
export const DEFAULTS: Answers = { folder: 'my-worker', deploy: 'sam', store: 'dynamodb' };
