import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { App, Stack } from 'aws-cdk-lib/core';
import { Template } from 'aws-cdk-lib/assertions';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { ClaimsTable } from 'batchlatch-cdk';

/** Code of functions that nobody runs. */
export const code: lambda.InlineCode = lambda.Code.fromInline('exports.handler = async () => {};');

/** The CDK makes a folder for each app, and leaves it. */
export const outdir: string = mkdtempSync(join(tmpdir(), 'batchlatch-cdk-'));
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

export function synthesised(build: (stack: Stack) => unknown): Template {
  // The CDK's own check of templates takes seconds to load; lab/real has it, and cfn-lint.
  const app = new App({
    outdir,
    analyticsReporting: false,
    treeMetadata: false,
    builtinCloudFormationValidation: false,
  });
  const stack = new Stack(app, 'Shop');
  build(stack);
  return Template.fromStack(stack);
}

export function claimsOf(stack: Stack): ClaimsTable {
  return (stack.node.tryFindChild('Claims') ?? new ClaimsTable(stack, 'Claims')) as ClaimsTable;
}

export function aRole(stack: Stack, id: string): iam.Role {
  return new iam.Role(stack, id, { assumedBy: new iam.AccountRootPrincipal() });
}

/** The actions that policies of a role allow, by what they are allowed on. */
export function allowedTo(template: Template, roleId: string): Record<string, string[]> {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy'));
  const statements = policies
    .filter(([id]) => id.startsWith(roleId))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement as Record<string, unknown>[]);
  const pairs = statements.map(({ Action, Resource }) => [
    nameOf(Resource),
    [Action as string].flat().toSorted((one, other) => one.localeCompare(other)),
  ]);
  return Object.fromEntries(pairs) as Record<string, string[]>;
}

/** `{ "Fn::GetAtt": ["ClaimsTable1234ABCD", "Arn"] }` is `Claims`. */
function nameOf(resource: unknown): string {
  if (typeof resource === 'string') return resource;
  const { 'Fn::GetAtt': attribute, 'Fn::Join': join } = resource as Record<string, [string, unknown[]]>;
  if (join !== undefined) return join[1].map(nameOf).join('');
  return (attribute?.[0] ?? '').replace(/[0-9A-F]{8}$/, '').replace(/^ClaimsTable$/, 'Claims');
}
