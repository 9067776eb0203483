import type { Duration, SecretValue } from 'aws-cdk-lib/core';
import type * as elbv2 from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as logs from 'aws-cdk-lib/aws-logs';
import type { BatchQueue } from './batch-queue.ts';
import {
  aBoolean,
  anInteger,
  aString,
  type Check,
  checkOptionsOf,
  ConfigurationError,
  required,
} from './check-options.ts';
import { aConstruct, aDuration, aListOf } from './checks.ts';
import type { ClaimsTable } from './claims-table.ts';
import type { Outbox } from './outbox.ts';

/** An Application Load Balancer in front of a `ClaimsConsole`, which signs people in by OIDC. */
export interface ConsoleLoadBalancer {
  /** The HTTPS listener that gets two rules for the console. */
  readonly listener: elbv2.ApplicationListener;
  /** The host names of the console, which point to the load balancer. */
  readonly hostNames: readonly string[];
  /** The priority of the first rule; the second has the next one. */
  readonly priority: number;
  /** The issuer of the identity provider, such as `https://login.example.com`. */
  readonly issuer: string;
  /** The provider's address for signing in. */
  readonly authorizationEndpoint: string;
  /** The provider's address for tokens. */
  readonly tokenEndpoint: string;
  /** The provider's address for the claims of a person. */
  readonly userInfoEndpoint: string;
  /** The client id of the console at the provider. */
  readonly clientId: string;
  /** The client secret, such as `SecretValue.secretsManager('console-oidc')`. */
  readonly clientSecret: SecretValue;
  /** The scopes to ask for. Default `openid profile email`. */
  readonly scope?: string;
  /** How long a person stays signed in. Default 12 hours. */
  readonly sessionTimeout?: Duration;
  /** The claim that gives roles: a text or a list of texts. `email` must be verified. Default `groups`. */
  readonly claim?: string;
  /** The values of the claim that may look. Default: none. */
  readonly read?: readonly string[];
  /** The values of the claim that may look and change. Default: none. */
  readonly operate?: readonly string[];
}

/** A function URL of a `ClaimsConsole`, whose requests are signed by principals of IAM. */
export interface ConsoleFunctionUrl {
  /** The roles and users that may look. Default: none. */
  readonly read?: readonly (iam.IRole | iam.IUser)[];
  /** The roles and users that may look and change. Default: none. */
  readonly operate?: readonly (iam.IRole | iam.IUser)[];
}

/** Properties of a `ClaimsConsole`. Either `loadBalancer` or `functionUrl` is needed. */
export interface ClaimsConsoleProps {
  /** The table whose claims are shown. */
  readonly claims: ClaimsTable;
  /** The constructs whose queues and dead letters are shown. Default: none. */
  readonly queues?: readonly BatchQueue[];
  /** The outbox whose rows are shown, and may be released or dropped. Default: none. */
  readonly outbox?: Outbox;
  /** A load balancer that signs people in. */
  readonly loadBalancer?: ConsoleLoadBalancer;
  /** A function URL for principals of IAM. */
  readonly functionUrl?: ConsoleFunctionUrl;
  /** The processor's namespace, if its keys are message ids: finds the claims of dead letters faster. */
  readonly namespace?: string;
  /** Namespaces of the claims: a search for an order id then finds its claim. Default: `namespace`. */
  readonly namespaces?: readonly string[];
  /** The log groups of the functions, which the waterfall of an attempt is read from. Default: none. */
  readonly logGroups?: readonly logs.ILogGroup[];
  /** Whether the role *operate* may send messages to the queues, and so run work again. Default false. */
  readonly allowSending?: boolean;
  /** How long the log of actions is kept, in whole days. Default 400 days. */
  readonly actionRetention?: Duration;
  /** The function's memory in megabytes. Default 512. */
  readonly memorySize?: number;
  /** The function's architecture. Default arm64. */
  readonly architecture?: lambda.Architecture;
  /** The function's runtime. Default `nodejs22.x`. */
  readonly runtime?: lambda.Runtime;
  /** How long the function's log is kept. Default 30 days. */
  readonly logRetention?: logs.RetentionDays;
  /** Other code, with `handler` in `console-function/index.mjs`. Default: that of `batchlatch-cli`. */
  readonly code?: lambda.Code;
}

const someText: Check = {
  expected: 'a text that is not empty',
  accepts: (value) => typeof value === 'string' && value !== '',
};
const checks: Readonly<Record<keyof ClaimsConsoleProps, Check>> = {
  claims: required(aConstruct('a ClaimsTable', 'table', 'grantOperate')),
  queues: aListOf(aConstruct('a BatchQueue', 'queue', 'deadLetterQueue')),
  outbox: aConstruct('an Outbox', 'table', 'grantOperate'),
  loadBalancer: aConstruct('an object', 'listener'),
  functionUrl: { expected: 'an object', accepts: (value) => typeof value === 'object' && value !== null },
  namespace: aString(),
  namespaces: aListOf(someText),
  logGroups: aListOf(aConstruct('a log group', 'logGroupArn', 'logGroupName')),
  allowSending: aBoolean(),
  actionRetention: aDuration(),
  memorySize: anInteger(128),
  architecture: aConstruct('an Architecture of aws-cdk-lib/aws-lambda', 'dockerPlatform'),
  runtime: aConstruct('a Runtime of aws-cdk-lib/aws-lambda', 'supportsInlineCode'),
  logRetention: anInteger(1),
  code: aConstruct('a Code of aws-cdk-lib/aws-lambda', 'bind'),
};
const loadBalancerChecks: Readonly<Record<keyof ConsoleLoadBalancer, Check>> = {
  listener: required(
    aConstruct('an ApplicationListener with its load balancer', 'addAction', 'loadBalancer'),
  ),
  hostNames: required(aListOf(someText)),
  priority: required(anInteger(1)),
  issuer: required(someText),
  authorizationEndpoint: required(someText),
  tokenEndpoint: required(someText),
  userInfoEndpoint: required(someText),
  clientId: required(someText),
  clientSecret: required(aConstruct('a SecretValue', 'unsafeUnwrap')),
  scope: someText,
  sessionTimeout: aDuration(),
  claim: someText,
  read: aListOf(someText),
  operate: aListOf(someText),
};
const aPrincipal: Check = {
  expected: 'a role or user of aws-cdk-lib/aws-iam',
  accepts: (value) => [['roleArn'], ['userArn']].some((names) => aConstruct('', ...names).accepts(value)),
};
const functionUrlChecks: Readonly<Record<keyof ConsoleFunctionUrl, Check>> = {
  read: aListOf(aPrincipal),
  operate: aListOf(aPrincipal),
};

/** Throws a `ConfigurationError` for invalid properties, and for a console that lets nobody in. */
export function checkClaimsConsole(props: ClaimsConsoleProps): void {
  checkOptionsOf('ClaimsConsole', props, checks);
  const { loadBalancer, functionUrl } = props;
  if ((loadBalancer === undefined) === (functionUrl === undefined)) {
    throw new ConfigurationError(
      `ClaimsConsole: Expected \`loadBalancer\` or \`functionUrl\`, got ${functionUrl ? 'both' : 'none'}`,
    );
  }
  if (loadBalancer !== undefined) {
    checkOptionsOf('ClaimsConsole.loadBalancer', loadBalancer, loadBalancerChecks);
    if (loadBalancer.hostNames.length === 0) {
      throw new ConfigurationError(
        'ClaimsConsole.loadBalancer: Expected `hostNames` to name a host, got none',
      );
    }
  } else checkOptionsOf('ClaimsConsole.functionUrl', functionUrl, functionUrlChecks);
  const { read = [], operate = [] } = loadBalancer ?? functionUrl ?? {};
  if (read.length + operate.length === 0) {
    throw new ConfigurationError('ClaimsConsole: nobody has a role; name some in `read` or `operate`');
  }
  if (props.allowSending === true && operate.length === 0) {
    throw new ConfigurationError(
      'ClaimsConsole: Expected somebody in `operate` with `allowSending`, got nobody',
    );
  }
}
