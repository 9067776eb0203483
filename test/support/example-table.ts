import { afterAll, beforeAll, jest } from '@jest/globals';
import { emulatedTable } from './emulated-table.ts';

/** A claims table that the environment names, for the handlers of examples; gives what they log, which is not printed. */
export function exampleTable(): jest.SpiedFunction<typeof console.log> {
  const table = emulatedTable('dynoxide');
  const before = { ...process.env };
  const log = jest.spyOn(console, 'log').mockImplementation(() => undefined);
  beforeAll(() => {
    process.env['CLAIMS_TABLE_NAME'] = table.tableName;
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = table.endpoint;
  });
  afterAll(() => {
    log.mockRestore();
    process.env = before;
  });
  return log;
}
