import { describe } from '@jest/globals';
import { emulatedTable } from '../../test/support/emulated-table.ts';
import { describeSharedTable } from '../../test/support/powertools-service.ts';

describe.each(['batch', 'single'] as const)(
  'a service that moves over from Powertools, with %s writes',
  (writes) => {
    describeSharedTable(emulatedTable('dynoxide'), writes);
  },
);
