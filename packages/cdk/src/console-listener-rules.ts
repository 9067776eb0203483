import { Duration, Stack } from 'aws-cdk-lib/core';
import * as elbv2 from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { ConsoleLoadBalancer } from './claims-console-props.ts';

/**
 * Adds two rules to a listener: pages sign people in, and a page's requests get 401 once its session is over,
 * instead of a redirect that only a page could follow.
 */
export function addListenerRules(
  scope: Construct,
  to: lambda.Function,
  { listener, hostNames, priority, ...oidc }: ConsoleLoadBalancer,
): void {
  const group = targetGroupOf(scope, to);
  const hosts = elbv2.ListenerCondition.hostHeaders([...hostNames]);
  const sessionTimeout = oidc.sessionTimeout ?? Duration.hours(12);
  const signedIn = (onUnauthenticatedRequest: elbv2.UnauthenticatedAction): elbv2.ListenerAction =>
    elbv2.ListenerAction.authenticateOidc({
      issuer: oidc.issuer,
      authorizationEndpoint: oidc.authorizationEndpoint,
      tokenEndpoint: oidc.tokenEndpoint,
      userInfoEndpoint: oidc.userInfoEndpoint,
      clientId: oidc.clientId,
      clientSecret: oidc.clientSecret,
      scope: oidc.scope ?? 'openid profile email',
      sessionTimeout,
      sessionCookieName: 'BatchlatchConsole',
      onUnauthenticatedRequest,
      next: elbv2.ListenerAction.forward([group]),
    });
  listener.addAction(`${scope.node.addr}Api`, {
    priority,
    conditions: [hosts, elbv2.ListenerCondition.pathPatterns(['/api/*'])],
    action: signedIn(elbv2.UnauthenticatedAction.DENY),
  });
  listener.addAction(`${scope.node.addr}Pages`, {
    priority: priority + 1,
    conditions: [hosts],
    action: signedIn(elbv2.UnauthenticatedAction.AUTHENTICATE),
  });
}

/** `LambdaTarget` of the CDK would let every load balancer of every account invoke the function. */
function targetGroupOf(scope: Construct, to: lambda.Function): elbv2.ApplicationTargetGroup {
  const stack = Stack.of(scope);
  const permission = new lambda.CfnPermission(scope, 'Invoke', {
    action: 'lambda:InvokeFunction',
    functionName: to.functionArn,
    principal: new iam.ServicePrincipal('elasticloadbalancing.amazonaws.com').service,
    sourceAccount: stack.account,
    // Elastic Load Balancing asks for the permission before the target group has an ARN.
    sourceArn: stack.formatArn({
      service: 'elasticloadbalancing',
      resource: 'targetgroup',
      resourceName: '*',
    }),
  });
  const target: elbv2.IApplicationLoadBalancerTarget = {
    attachToApplicationTargetGroup: () => ({
      targetType: elbv2.TargetType.LAMBDA,
      targetJson: { id: to.functionArn },
    }),
  };
  const group = new elbv2.ApplicationTargetGroup(scope, 'Targets', {
    targetType: elbv2.TargetType.LAMBDA,
    targets: [target],
  });
  group.node.addDependency(permission);
  return group;
}
