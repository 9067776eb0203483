import { describe, expect, it } from '@jest/globals';
import { chargesTableDefinition, ordersTemplate } from '../../../local/demo/orders-stack.ts';
import { at, readTemplate } from '../../sam/read-template.ts';

const template = readTemplate();
const property = (resource: string, ...path: string[]): unknown =>
  at(template, 'Resources', resource, 'Properties', ...path);

describe("the demo's queues and tables are the template's:", () => {
  it.each([
    ['OrdersQueue', ordersTemplate.queue],
    ['OrdersDeadLetterQueue', ordersTemplate.deadLetterQueue],
  ])('%s', (queue, attributes) => {
    for (const [name, value] of Object.entries(attributes)) expect(String(property(queue, name))).toBe(value);
  });

  it('the redrive policy', () => {
    expect(property('OrdersQueue', 'RedrivePolicy', 'maxReceiveCount')).toBe(ordersTemplate.maxReceiveCount);
  });

  it('the event source mapping and the timeout', () => {
    expect(property('OrdersFunction', 'Events', 'Orders', 'Properties', 'BatchSize')).toBe(
      ordersTemplate.batchSize,
    );
    expect(at(template, 'Globals', 'Function', 'Timeout')).toBe(ordersTemplate.functionTimeoutMs / 1_000);
  });

  it('ChargesTable', () => {
    const { TableName: _, ...definition } = chargesTableDefinition('charges');
    expect(property('ChargesTable')).toMatchObject(definition);
  });
});
