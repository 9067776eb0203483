import { floor } from '../contenders/floor.ts';

/** The two requests that cannot be saved, by `node:http`. */
export const handler = floor({
  endpoint: process.env['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
  tableName: process.env['CLAIMS_TABLE_NAME'] ?? '',
  handler: async (order) => {
    if (order === null) throw new Error('An order needs a body');
  },
});
