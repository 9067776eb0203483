import { describe, expect, it } from '@jest/globals';
import { modelOf, only } from './model-of.ts';

const functionOf = (properties: string, metadata = '{}') =>
  only(
    modelOf(`Parameters: { P: { Type: String } }
Resources:
  Fn:
    Type: AWS::Lambda::Function
    Metadata: ${metadata}
    Properties: ${properties}
`).functions,
  );

describe('a function of a template', () => {
  it('has the defaults of Lambda', () => {
    expect(functionOf('{}')).toMatchObject({
      id: 'Fn',
      timeoutSeconds: { value: 3 },
      memoryMb: { value: 128 },
      runtime: { value: undefined },
      reservedConcurrency: { value: undefined },
      environment: { value: new Map() },
      variables: { value: [] },
      hasLayers: false,
    });
  });

  it('has its variables as texts, and what they refer to', () => {
    const { environment, variables } = functionOf(
      '{ Environment: { Variables: { A: 1, URL: !Ref Queue, B: !Ref P, C: [1] } } }',
    );
    expect(Object.fromEntries(environment.value ?? [])).toEqual({
      A: '1',
      URL: '<Queue>',
      B: '<?>',
      C: '<?>',
    });
    expect(
      variables.value?.map(({ name, text, refersTo }) => [name, text.value ?? text.unknown, refersTo]),
    ).toEqual([
      ['A', '1', []],
      ['URL', '<Queue>', ['Queue']],
      ['B', 'the parameter P has no default', []],
      ['C', 'it must be a text', []],
    ]);
  });

  it('has variables that must be a mapping', () => {
    expect(functionOf('{ Environment: { Variables: [A] } }').variables).toMatchObject({
      unknown: 'it must be a mapping',
      line: 6,
    });
  });

  it('passes to batchlatch what its metadata say, or else its variables', () => {
    const environment =
      '{ Environment: { Variables: { LEASE_MS: 5000, CLAIMS_RETENTION_MS: 1000, RELEASE_MS: 1 } } }';
    expect(functionOf(environment).options).toMatchObject({
      leaseMs: { value: 5_000 },
      retentionMs: { value: 1_000 },
      writes: undefined,
      key: undefined,
    });
    expect(
      functionOf(environment, '{ batchlatch: { leaseMs: 7000, writes: single } }').options,
    ).toMatchObject({
      leaseMs: { value: 7_000 },
      writes: 'single',
    });
  });
});
