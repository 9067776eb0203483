import type { Model } from '../model.ts';
import type { Plain, TemplateSource } from '../../template/parse-template.ts';
import { readFunctions } from './read-functions.ts';
import { readMappings } from './read-mappings.ts';
import { readQueues } from './read-queues.ts';
import { readTables } from './read-tables.ts';
import { readSubscribers, readTriggers } from './read-triggers.ts';
import { Resolver } from '../../template/resolver.ts';
import { TemplateResources } from '../../template/resources.ts';

/** What of a template the checks look at, and what of it could not be read. */
export function readTemplate(
  source: TemplateSource,
  parameters: Readonly<Record<string, string>>,
): { readonly model: Omit<Model, 'now'>; readonly skipped: readonly string[] } {
  const resolver = new Resolver(source.data as Readonly<Record<string, Plain>>, parameters);
  const resources = new TemplateResources(source, resolver);
  const model: Omit<Model, 'now'> = {
    origin: 'template',
    queues: readQueues(resources),
    tables: readTables(resources),
    functions: readFunctions(resources),
    mappings: readMappings(resources),
    triggers: readTriggers(resources),
    subscribers: readSubscribers(resources),
    claimsTables: new Set(),
  };
  const pipes = resources
    .ofType('AWS::Pipes::Pipe')
    .map(({ name }) => `${name}: EventBridge Pipes are not judged`);
  const stacks = resources
    .ofType('AWS::CloudFormation::Stack', 'AWS::Serverless::Application')
    .map(({ name }) => `${name}: nested stacks are not read; give their templates to doctor too`);
  return { model, skipped: [...resources.skipped, ...pipes, ...stacks] };
}
