import { describe, expect, it } from '@jest/globals';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { at, parseTemplate, readTemplate } from '../sam/read-template.ts';
import { codeBlocks } from './markdown.ts';
import { PAGES } from './pages.ts';

const block = codeBlocks(PAGES.get('README.md') ?? '').find(({ language }) => language === 'yaml');
const template = parseTemplate(block?.code ?? '');
const property = (resource: string, ...path: (string | number)[]) =>
  at(template, 'Resources', resource, 'Properties', ...path);
const arnOf = (resource: string) => ({ 'Fn::GetAtt': [resource, 'Arn'] });

describe("README's template", () => {
  it('has the table that the store writes, and keeps it', () => {
    const { table, timeToLive } = claimsTableDefinition('ClaimsTable');
    const { TableName: _, ...definition } = table;
    const { TimeToLiveSpecification } = timeToLive;
    expect(property('ClaimsTable')).toEqual({ ...definition, TimeToLiveSpecification });
    expect(at(template, 'Resources', 'ClaimsTable')).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
    });
  });

  it('allows what the template of this repository allows on that table', () => {
    const [ours] = at(
      readTemplate(),
      'Resources',
      'TablesPolicy',
      'Properties',
      'PolicyDocument',
      'Statement',
    ) as {
      Action: string[];
    }[];
    expect(property('OrdersFunction', 'Policies', 0, 'Statement')).toEqual([
      { Effect: 'Allow', Action: ours?.Action, Resource: arnOf('ClaimsTable') },
    ]);
    expect(property('OrdersFunction', 'Environment', 'Variables', 'CLAIMS_TABLE_NAME')).toEqual({
      Ref: 'ClaimsTable',
    });
  });

  it('takes partial responses of a queue that hides messages for six runs of the function', () => {
    expect(property('OrdersFunction', 'Events', 'Orders', 'Properties')).toEqual({
      Queue: arnOf('Orders'),
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    expect(property('Orders', 'VisibilityTimeout')).toBe(6 * Number(property('OrdersFunction', 'Timeout')));
    expect(property('Orders', 'RedrivePolicy')).toEqual({
      deadLetterTargetArn: arnOf('DeadLetters'),
      maxReceiveCount: 5,
    });
  });
});
