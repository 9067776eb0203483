import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Duration, SecretValue, type Stack } from 'aws-cdk-lib/core';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as elbv2 from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import {
  BatchQueue,
  ClaimsConsole,
  type ClaimsConsoleProps,
  type ConsoleFunctionUrl,
  type ConsoleLoadBalancer,
  Outbox,
} from 'batchlatch-cdk';
import { checkConfig } from '../../cli/src/console-function/config.ts';
import { CHANGES, type ConsolePermissions, READS } from '../../../test/support/console-permissions.ts';
import { allowedTo, claimsOf, code, synthesised } from './synthesised.ts';

const ON_CALL = 'arn:aws:iam::123456789012:role/team/OnCall';
const SUE = 'arn:aws:iam::123456789012:user/sue';

describe('ClaimsConsole', () => {
  it('is a function whose own role only reads, and reads the named queues alone', () => {
    const template = withUrl({ read: [SUE], operate: [ON_CALL] });
    const { ChangesRole: role, ...reads } = named(allowedTo(template, 'ConsoleFunction'));
    expect(role).toEqual(['sts:AssumeRole']);
    expect(reads).toEqual(resources(READS));
    for (const action of Object.values(reads).flat())
      expect(action).not.toMatch(/Update|Delete|Insert|Send|Put/);
  });

  it('changes by another role, which only the function may assume', () => {
    const template = withUrl({ operate: [ON_CALL] });
    expect(named(allowedTo(template, 'ConsoleChangesRole'))).toEqual(resources(CHANGES));
    template.hasResourceProperties('AWS::IAM::Role', {
      AssumeRolePolicyDocument: {
        Statement: [
          {
            Action: 'sts:AssumeRole',
            Effect: 'Allow',
            Principal: {
              AWS: { 'Fn::GetAtt': [Match.stringLikeRegexp('^ConsoleFunctionServiceRole'), 'Arn'] },
            },
          },
        ],
      },
    });
  });

  it('has nothing that could change a claim where nobody has the role operate', () => {
    const template = withUrl({ read: [SUE] });
    expect(named(allowedTo(template, 'ConsoleFunction'))).toEqual(resources(READS));
    expect(
      Object.keys(template.findResources('AWS::IAM::Role')).filter((id) => id.startsWith('Console')),
    ).toEqual([expect.stringMatching(/^ConsoleFunctionServiceRole/)]);
    expect(settingsOf(template)).not.toHaveProperty('changes');
  });

  it('has settings that its function takes', () => {
    const url = settingsOf(withUrl({ read: [SUE], operate: [ON_CALL] }, { namespace: 'orders' }));
    expect(checkConfig(url)).toMatchObject({
      hasIndex: true,
      actionRetentionDays: 400,
      namespace: 'orders',
      queues: [
        [
          expect.stringMatching(/^OrdersQueue\w+\.QueueName$/),
          expect.stringMatching(/^OrdersDeadLetterQueue\w+\.QueueName$/),
        ],
      ],
      queuesUrl: 'https://sqs.AWS::Region.AWS::URLSuffix/AWS::AccountId/',
      entrance: { kind: 'function-url', roles: { read: [SUE], operate: [ON_CALL] } },
      changes: { stsUrl: 'https://sts.AWS::Region.AWS::URLSuffix' },
    });
    const balanced = settingsOf(withLoadBalancer({}, { actionRetention: Duration.days(30) }));
    expect(checkConfig(balanced)).toMatchObject({
      actionRetentionDays: 30,
      entrance: {
        kind: 'load-balancer',
        issuer: OIDC.issuer,
        clientId: OIDC.clientId,
        claim: 'groups',
        roles: { read: ['staff'], operate: ['operators'] },
      },
    });
  });

  it('reads the named log groups and no other, and sends messages only where that is allowed', () => {
    const template = aConsole((stack) => {
      const operate = [iam.Role.fromRoleArn(stack, 'OnCall', ON_CALL, { mutable: false })];
      const logGroups = [new logs.LogGroup(stack, 'ChargeLogs')];
      return { functionUrl: { operate }, namespaces: ['orders', 'refunds'], logGroups, allowSending: true };
    });
    const policies = Object.values(template.findResources('AWS::IAM::Policy'));
    const onLogs = policies
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement as Record<string, unknown>[])
      .filter(({ Action }) => String(Action).includes('logs:'));
    expect(onLogs).toEqual([
      { Effect: 'Allow', Action: 'logs:FilterLogEvents', Resource: expect.any(Array) },
    ]);
    for (const resource of onLogs.flatMap(({ Resource }) => Resource as unknown[])) {
      expect(JSON.stringify(resource)).toMatch(/"ChargeLogs[0-9A-F]{8}"/);
    }
    const { ChangesRole: _, '': _logs, ...reads } = named(allowedTo(template, 'ConsoleFunction'));
    expect(reads).toEqual(resources(READS));
    expect(named(allowedTo(template, 'ConsoleChangesRole'))).toEqual(resources(CHANGES));
    expect(checkConfig(settingsOf(template))).toMatchObject({
      namespaces: ['orders', 'refunds'],
      allowSending: true,
      logs: {
        groups: [expect.stringMatching(/^ChargeLogs/)],
        url: 'https://logs.AWS::Region.AWS::URLSuffix',
      },
    });
    const plain = checkConfig(settingsOf(withUrl({ operate: [ON_CALL] })));
    for (const name of ['namespaces', 'allowSending', 'logs']) expect(plain).not.toHaveProperty(name);
  });

  it('has settings of 20 queues that fit into 4 KB of environment, as Lambda wants', () => {
    const ids = Array.from({ length: 20 }, (_, index) => `Orders${index}`);
    const template = aConsole((stack) => {
      const [charge, claims] = [functionIn(stack, 'ChargeAll'), claimsOf(stack)];
      const queues = ids.map((id) => new BatchQueue(stack, id, { function: charge, claims }));
      return { queues, functionUrl: { operate: [iam.Role.fromRoleArn(stack, 'OnCall', ON_CALL)] } };
    });
    const text = JSON.stringify(settingsOf(template)).replaceAll('.QueueName', '-abcdefghijkl');
    expect(text.length).toBeLessThan(4_096);
  });

  it('keeps actions in a table that outlives the stack', () => {
    withUrl({ read: [SUE] }).hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      Properties: {
        KeySchema: [
          { AttributeName: 'log', KeyType: 'HASH' },
          { AttributeName: 'at', KeyType: 'RANGE' },
        ],
        DeletionProtectionEnabled: true,
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      },
    });
  });

  it('has a function URL that only the named principals may call, signed', () => {
    const template = withUrl({ read: [SUE], operate: [ON_CALL] });
    template.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'AWS_IAM', Cors: Match.absent() });
    const permissions = Object.values(template.findResources('AWS::Lambda::Permission'));
    expect(new Set(permissions.map(({ Properties }) => Properties.Principal as string))).toEqual(
      new Set([SUE, ON_CALL]),
    );
    for (const { Properties } of permissions) {
      expect(Properties).toMatchObject(
        Properties.Action === 'lambda:InvokeFunctionUrl'
          ? { FunctionUrlAuthType: 'AWS_IAM' }
          : { Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true },
      );
    }
  });

  it('asks for 2.220.0 of the CDK, the first that grants both actions of a function URL', () => {
    const { peerDependencies } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
    ) as { readonly peerDependencies: Readonly<Record<string, string>> };
    expect(peerDependencies['aws-cdk-lib']).toBe('^2.220.0');
  });

  it('signs people in at pages, and answers 401 to requests of pages', () => {
    const template = withLoadBalancer({});
    const rules = Object.values(template.findResources('AWS::ElasticLoadBalancingV2::ListenerRule'));
    const shown = rules.map(({ Properties: { Priority, Actions, Conditions } }) => [
      Priority,
      Actions[0].Type,
      Actions[0].AuthenticateOidcConfig.OnUnauthenticatedRequest,
      Actions[0].AuthenticateOidcConfig.SessionTimeout,
      Actions[1].Type,
      Conditions.map(({ Field }: { Field: string }) => Field),
    ]);
    expect(shown).toEqual([
      [10, 'authenticate-oidc', 'deny', 43_200, 'forward', ['host-header', 'path-pattern']],
      [11, 'authenticate-oidc', 'authenticate', 43_200, 'forward', ['host-header']],
    ]);
    template.resourceCountIs('AWS::Lambda::Url', 0);
  });

  it('shows a named outbox, which its own role only reads', () => {
    const template = aConsole((stack) => {
      const [relay, sweep] = ['Relay', 'Sweep'].map((id) => functionIn(stack, id)) as [
        lambda.Function,
        lambda.Function,
      ];
      const operate = [iam.Role.fromRoleArn(stack, 'OnCall', ON_CALL, { mutable: false })];
      return { functionUrl: { operate }, outbox: new Outbox(stack, 'Outbox', { relay, sweep }) };
    });
    const { ChangesRole: _, ...reads } = named(allowedTo(template, 'ConsoleFunction'));
    const withOutbox = (of: ConsolePermissions): object => ({
      ...resources(of),
      OutboxTable: of.outbox,
      'OutboxTable/index/unsent': of.outboxIndex,
    });
    expect(reads).toEqual(withOutbox(READS));
    expect(named(allowedTo(template, 'ConsoleChangesRole'))).toEqual(withOutbox(CHANGES));
    expect(checkConfig(settingsOf(template))).toMatchObject({
      outboxTableName: expect.stringMatching(/^OutboxTable/),
    });
  });

  it('may be invoked by target groups of this account and Region alone', () => {
    const template = withLoadBalancer({});
    template.resourceCountIs('AWS::Lambda::Permission', 1);
    template.hasResourceProperties('AWS::Lambda::Permission', {
      Principal: 'elasticloadbalancing.amazonaws.com',
      SourceAccount: { Ref: 'AWS::AccountId' },
      SourceArn: { 'Fn::Join': ['', Match.arrayWith([':targetgroup/*'])] },
    });
    template.hasResource('AWS::ElasticLoadBalancingV2::TargetGroup', {
      DependsOn: [Match.stringLikeRegexp('^ConsoleInvoke')],
      Properties: { TargetType: 'lambda', Targets: [{ Id: Match.anyValue() }] },
    });
  });

  const wrong: [string, () => unknown, string][] = [
    ['no entrance', () => aConsole({}), 'Expected `loadBalancer` or `functionUrl`'],
    ['nobody', () => withUrl({}), 'nobody has a role'],
    ['a role by its name', () => aConsole({ functionUrl: { read: ['OnCall' as never] } }), 'Expected `read`'],
    ['sending by nobody', () => withUrl({ read: [SUE] }, { allowSending: true }), 'somebody in `operate`'],
    ['no host', () => withLoadBalancer({ hostNames: [] }), 'Expected `hostNames`'],
    ['an empty group', () => withLoadBalancer({ operate: [''] }), 'Expected `operate`'],
    ['an unknown property', () => withLoadBalancer({ group: 'x' } as never), 'Unknown option `group`'],
  ];
  it.each(wrong)('refuses %s', (_what, build, message) => {
    expect(build).toThrow(message);
  });
});

const OIDC = {
  issuer: 'https://idp.example',
  authorizationEndpoint: 'https://idp.example/authorize',
  tokenEndpoint: 'https://idp.example/token',
  userInfoEndpoint: 'https://idp.example/userinfo',
  clientId: 'console-client',
};

function functionIn(stack: Stack, id: string): lambda.Function {
  return new lambda.Function(stack, id, {
    code,
    handler: 'index.handler',
    runtime: lambda.Runtime.NODEJS_22_X,
  });
}

function aConsole(
  props: Partial<ClaimsConsoleProps> | ((stack: Stack) => Partial<ClaimsConsoleProps>),
): Template {
  return synthesised((stack) => {
    const claims = claimsOf(stack);
    const charge = functionIn(stack, 'Charge');
    const orders = new BatchQueue(stack, 'Orders', { function: charge, claims });
    const more = typeof props === 'function' ? props(stack) : props;
    return new ClaimsConsole(stack, 'Console', { claims, queues: [orders], code, ...more });
  });
}

type Arns = Readonly<Partial<Record<keyof ConsoleFunctionUrl, readonly string[]>>>;

function withUrl({ read = [], operate = [] }: Arns, props: Partial<ClaimsConsoleProps> = {}): Template {
  return aConsole((stack) => {
    const principalOf = (arn: string): iam.IRole | iam.IUser =>
      arn.includes(':user/')
        ? iam.User.fromUserArn(stack, arn, arn)
        : iam.Role.fromRoleArn(stack, arn, arn, { mutable: false });
    return {
      functionUrl: { read: read.map(principalOf), operate: operate.map(principalOf) },
      ...props,
    };
  });
}

function withLoadBalancer(
  more: Partial<ConsoleLoadBalancer>,
  props: Partial<ClaimsConsoleProps> = {},
): Template {
  return aConsole((stack) => {
    const vpc = new ec2.Vpc(stack, 'Vpc', { maxAzs: 2, natGateways: 0 });
    const balancer = new elbv2.ApplicationLoadBalancer(stack, 'Balancer', { vpc: vpc as ec2.IVpc });
    const listener = balancer.addListener('Https', {
      port: 443,
      certificates: [{ certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/x' }],
      defaultAction: elbv2.ListenerAction.fixedResponse(404),
    });
    const loadBalancer = {
      listener,
      hostNames: ['console.example.com'],
      priority: 10,
      ...OIDC,
      clientSecret: SecretValue.secretsManager('console-oidc'),
      read: ['staff'],
      operate: ['operators'],
      ...more,
    };
    return { loadBalancer, ...props };
  });
}

/** The settings as the function gets them, with the names of what is known at deployment only. */
function settingsOf(template: Template): Record<string, unknown> {
  const found = template.findResources('AWS::Lambda::Function', {
    Properties: { Handler: 'console-function/index.handler' },
  });
  const [{ Properties }] = Object.values(found) as [
    { Properties: { Environment: { Variables: Record<string, unknown> } } },
  ];
  const { CONSOLE: join } = Properties.Environment.Variables;
  const [, parts] = (join as Record<string, [string, unknown[]]>)['Fn::Join'] ?? ['', []];
  const text = parts.map((part) => (typeof part === 'string' ? part : nameIn(part))).join('');
  return JSON.parse(text) as Record<string, unknown>;
}

function nameIn(part: unknown): string {
  const { Ref: reference, 'Fn::GetAtt': attribute } = part as Record<string, string | string[]>;
  return [reference ?? attribute ?? []].flat().join('.');
}

/** The actions by resource, as the stack of these tests names resources. */
function resources({ claims, index, actions, queue, deadLetterQueue }: ConsolePermissions): object {
  return {
    Claims: claims,
    'Claims/index/overdue': index,
    Actions: actions,
    Queue: queue,
    DeadLetterQueue: deadLetterQueue,
  };
}

function named(allowed: Readonly<Record<string, readonly string[]>>): Record<string, readonly string[]> {
  const pairs = Object.entries(allowed).map(([name, actions]) => [
    name.replace(/^(Console|Orders)/, ''),
    actions,
  ]);
  return Object.fromEntries(pairs) as Record<string, readonly string[]>;
}
