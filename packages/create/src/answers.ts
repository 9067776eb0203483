/** Ways to deploy, and what each is called. */
export const DEPLOYMENTS = {
  sam: 'AWS SAM',
  cdk: 'AWS CDK',
  terraform: 'Terraform',
  sst: 'SST',
  serverless: 'Serverless Framework',
  ecs: 'a worker on ECS',
} as const;

/** Stores of claims, and what each is called. */
export const STORES = {
  dynamodb: 'DynamoDB',
  postgres: 'PostgreSQL',
  redis: 'Redis',
} as const;

export type Deployment = keyof typeof DEPLOYMENTS;
export type Store = keyof typeof STORES;

/** Everything a project is made from. */
export interface Answers {
  /** The folder to write into, as it was given. */
  readonly folder: string;
  readonly deploy: Deployment;
  readonly store: Store;
}

/** What is taken with `--yes`, and offered first where a question is asked. */
export const DEFAULTS: Answers = { folder: 'my-worker', deploy: 'sam', store: 'dynamodb' };
