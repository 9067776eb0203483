import type { TemplateSource } from './parse-template.ts';
import { readFunctions } from './read-functions.ts';
import { readHttpRoutes } from './read-http.ts';
import { readMappings } from './read-mappings.ts';
import { readQueues } from './read-queues.ts';
import { readStreams, readTables } from './read-tables.ts';
import { readSubscribers, readTriggers } from './read-triggers.ts';
import type { Resolver } from './resolver.ts';
import { TemplateResources } from './resources.ts';
import type { TemplateModel } from './template-model.ts';
import { asMembers, asText, member } from './values.ts';

/** Reads a CloudFormation or SAM template. Unknown and invalid values do not throw; their settings say so. */
export function readTemplate(source: TemplateSource, resolver: Resolver): TemplateModel {
  const resources = new TemplateResources(source, resolver);
  return {
    queues: readQueues(resources),
    tables: readTables(resources),
    streams: readStreams(resources),
    functions: readFunctions(resources),
    mappings: readMappings(resources),
    triggers: readTriggers(resources),
    httpRoutes: readHttpRoutes(resources),
    subscribers: readSubscribers(resources),
    resources: resources.all.map(({ id, name, type }) => ({ id, name, type })),
    eventTypes: eventTypes(resources),
    skipped: resources.skipped,
  };
}

function eventTypes(resources: TemplateResources): readonly string[] {
  return resources
    .ofType('AWS::Serverless::Function')
    .flatMap(({ value }) => Object.values(asMembers(value['Events']) ?? {}))
    .map((event) => asText(member(event, 'Type')) ?? 'events without a type');
}
