import type { TemplateTable } from '../../template/template-model.ts';
import type { DevStream, DevTable } from '../stack.ts';
import { type Reading, templateError, valueOf } from './reading.ts';

export function stackTables(reading: Reading): readonly DevTable[] {
  return reading.model.tables.map((table) => {
    const { id } = table;
    const name = reading.names.nameOf(id);
    const arn = reading.names.attribute(id, 'Arn');
    return {
      id,
      name,
      arn,
      definition: definitionOf(reading, table, name),
      timeToLiveAttribute: timeToLiveOf(reading, table),
    };
  });
}

export function stackStreams(reading: Reading): readonly DevStream[] {
  return reading.model.streams.map((stream) => ({
    id: stream.id,
    name: reading.names.nameOf(stream.id),
    arn: reading.names.attribute(stream.id, 'Arn'),
    shards: valueOf(reading, stream, stream.shards) ?? 1,
  }));
}

function definitionOf(
  reading: Reading,
  table: TemplateTable,
  TableName: string,
): Readonly<Record<string, unknown>> {
  const parts = table.definition.flatMap((setting): [string, unknown][] => {
    const value = valueOf(reading, table, setting);
    return value === undefined ? [] : [[setting.property ?? '', value]];
  });
  const view = valueOf(reading, table, table.streamView);
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    ...Object.fromEntries(parts),
    ...(view !== undefined && { StreamSpecification: { StreamEnabled: true, StreamViewType: view } }),
  };
}

function timeToLiveOf(reading: Reading, table: TemplateTable): string | undefined {
  const ttl = valueOf(reading, table, table.ttl);
  if (ttl === undefined || valueOf(reading, table, ttl.isEnabled) !== true) return undefined;
  if (ttl.attribute !== undefined) return ttl.attribute;
  throw templateError(
    reading,
    table.ttl.line,
    `${table.name} has no \`TimeToLiveSpecification.AttributeName\``,
  );
}
