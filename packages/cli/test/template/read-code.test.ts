import { expect, it } from '@jest/globals';
import { modelOf, only } from './model-of.ts';

const codeOf = (properties: string, metadata = '{}') =>
  only(
    modelOf(
      `Resources: { Fn: { Type: AWS::Lambda::Function, Metadata: ${metadata}, Properties: ${properties} } }`,
    ).functions,
  ).code;

it.each([
  ['{ CodeUri: src }', { path: 'src', isInS3: false }],
  ['{ Code: dist }', { path: 'dist', isInS3: false }],
  ['{ CodeUri: s3://bucket/key }', { path: undefined, isInS3: true }],
  ['{ Code: { S3Bucket: b, S3Key: k } }', { path: undefined, isInS3: true }],
  ['{}', { path: undefined, isInS3: false, isInTemplate: false, isDurable: false }],
  ['{ InlineCode: x }', { isInTemplate: true }],
  ['{ Code: { ZipFile: x } }', { isInTemplate: true }],
  ['{ DurableConfig: {} }', { isDurable: true }],
  ['{ PackageType: Image }', { isImage: true }],
  ['{ ImageUri: a }', { isImage: true }],
  ['{ Code: { ImageUri: a } }', { isImage: true }],
  ['{ PackageType: Zip }', { isImage: false }],
])('code is where the properties say: %s', (properties, expected) => {
  expect(codeOf(properties)).toMatchObject(expected);
});

it('code of the CDK is where its asset is', () => {
  expect(codeOf('{ Code: { S3Bucket: b } }', "{ 'aws:asset:path': asset.abc }")).toMatchObject({
    path: 'asset.abc',
    isInS3: false,
  });
});

it('code is built with the properties that its metadata have', () => {
  expect(codeOf('{}', '{ BuildProperties: { Format: esm, EntryPoints: [a.ts] } }').build.value).toEqual({
    Format: 'esm',
    EntryPoints: ['a.ts'],
  });
});
