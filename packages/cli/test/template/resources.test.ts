import { describe, expect, it } from '@jest/globals';
import { FUNCTION_TYPES, QUEUE_TYPES } from '../../src/template/resources.ts';
import { Composite, Reference } from '../../src/template/values.ts';
import { only, resourcesOf } from './model-of.ts';

describe('the resources of a template', () => {
  it('leave out those whose condition does not hold, and those without a type', () => {
    const resources = resourcesOf(`
Conditions: { Never: !Equals [a, b], Always: !Equals [a, a] }
Resources:
  A: { Type: AWS::SQS::Queue, Condition: Never }
  B: { Type: AWS::SQS::Queue, Condition: Always }
  C: { Type: AWS::SQS::Queue, Condition: Unheard }
  D: text
`);
    expect(resources.all.map(({ id }) => id)).toEqual(['B', 'C']);
    expect(resources.skipped).toEqual([
      'D: it has no `Type`, or is made by a macro, which is not expanded here',
    ]);
  });

  it('have the path of the CDK in their names, and what their metadata ignore', () => {
    const [cdk, plain] = resourcesOf(`Resources:
  Orders0B5C: { Type: T, Metadata: { 'aws:cdk:path': Shop/Orders/Resource, batchlatch: { ignore: [ttl-off] } } }
  Plain: { Type: T }`).all;
    expect([cdk?.name, plain?.name]).toEqual(['Orders0B5C (Shop/Orders)', 'Plain']);
    expect([...(cdk?.ignore ?? [])]).toEqual(['ttl-off']);
  });

  it("have SAM's globals, merged as SAM does it, with the lines of where they are", () => {
    const fn = only(
      resourcesOf(`Globals:
  Function:
    Timeout: 30
    Layers: [a]
    Environment: { Variables: { A: 1, B: 1 } }
    Role: !GetAtt R.Arn
Resources:
  Fn:
    Type: AWS::Serverless::Function
    Properties:
      Layers: [b]
      Environment: { Variables: { B: 2 } }
      Role: other
`).all,
    );
    expect(fn.value).toEqual({
      Timeout: 30,
      Layers: ['a', 'b'],
      Environment: { Variables: { A: 1, B: 2 } },
      Role: 'other',
    });
    expect([fn.lineOf(['Timeout']), fn.lineOf(['Layers']), fn.line]).toEqual([3, 11, 8]);
  });

  it.each([
    ["'*'", { MemorySize: 256 }, 8],
    ['[Timeout, Tags]', { Environment: { Variables: { A: 1 } }, MemorySize: 256 }, 8],
    ['[Environment]', { Timeout: 30, MemorySize: 256 }, 3],
  ])('have no globals that they ignore: %s', (ignored, value, line) => {
    const fn = only(
      resourcesOf(`Globals:
  Function:
    Timeout: 30
    Environment: { Variables: { A: 1 } }
Resources:
  Fn:
    Type: AWS::Serverless::Function
    Properties: { MemorySize: 256 }
    IgnoreGlobals: ${ignored}
`).all,
    );
    expect(fn.value).toEqual(value);
    expect(fn.lineOf(['Timeout'])).toBe(line);
  });
});

describe('a resource is found', () => {
  const resources = resourcesOf(`Resources:
  Orders: { Type: AWS::SQS::Queue, Properties: { QueueName: shop-orders } }
  Fn: { Type: AWS::Lambda::Function }
  Live: { Type: AWS::Lambda::Alias, Properties: { FunctionName: !Ref Fn } }
`);
  const arn = new Reference('Orders', 'Arn');

  it.each([
    ['by a reference', arn],
    [
      'by a text around a reference',
      new Composite(['arn:aws:sqs:r:1:', new Reference('Orders', 'QueueName')]),
    ],
    ['by a reference within a text of JSON', '<Orders.Arn>'],
    ['by its name in an ARN', 'arn:aws:sqs:eu-west-1:1:shop-orders'],
    ['by its name in a URL', 'https://sqs.eu-west-1.amazonaws.com/1/shop-orders'],
  ])('%s', (_how, value) => {
    expect(resources.find(value, QUEUE_TYPES)?.id).toBe('Orders');
  });

  it('only if it is of a type that is wanted, and if all of its name is there', () => {
    expect(resources.find(arn, FUNCTION_TYPES)).toBeUndefined();
    expect(resources.find('arn:aws:sqs:r:1:orders', QUEUE_TYPES)).toBeUndefined();
    expect(resources.find(new Reference('Gone', 'Arn'), QUEUE_TYPES)).toBeUndefined();
  });

  it('by an alias, if it is a function', () => {
    expect(resources.findFunction(new Reference('Live', 'Ref'))?.id).toBe('Fn');
    expect(resources.findFunction(new Reference('Fn', 'Arn'))?.id).toBe('Fn');
    expect(resources.findFunction(new Reference('Fn.Alias', 'Ref'))?.id).toBe('Fn');
    expect(resources.findFunction(arn)).toBeUndefined();
  });
});
