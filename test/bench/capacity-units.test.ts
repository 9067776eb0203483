import { describe, expect, test } from '@jest/globals';
import { bytesOf, touchedBy, unitsFor } from '../../lab/bench/capacity-units.ts';

describe('what a request to DynamoDB is charged with', () => {
  test.each(['PutItem', 'UpdateItem', 'DeleteItem'])('%s writes a row', (operation) => {
    expect(touchedBy(operation, '{}')).toEqual({ writes: 1, reads: 0 });
  });

  test('each statement of a batch writes a row, or reads one', () => {
    const statements = (...all: object[]): string => JSON.stringify({ Statements: all });
    const insert = { Statement: `INSERT INTO "t" VALUE {'id': ?}` };
    const update = { Statement: 'UPDATE "t" SET "a" = ? WHERE "id" = ?' };
    const select = { Statement: 'SELECT * FROM "t" WHERE "id" = ?', ConsistentRead: true };
    expect(touchedBy('BatchExecuteStatement', statements(insert, insert, update))).toEqual({
      writes: 3,
      reads: 0,
    });
    expect(touchedBy('BatchExecuteStatement', statements(select, insert))).toEqual({ writes: 1, reads: 1 });
  });

  test('an eventually consistent read counts half', () => {
    expect(touchedBy('GetItem', JSON.stringify({ ConsistentRead: true })).reads).toBe(1);
    expect(touchedBy('GetItem', '{}').reads).toBe(0.5);
    const tables = { a: { Keys: [1, 2, 3], ConsistentRead: true }, b: { Keys: [1] } };
    expect(touchedBy('BatchGetItem', JSON.stringify({ RequestItems: tables }))).toEqual({
      writes: 0,
      reads: 3.5,
    });
  });

  test('refuses to guess what another operation costs', () => {
    expect(() => touchedBy('TransactWriteItems', '{}')).toThrow('TransactWriteItems');
  });

  test('a write unit holds 1 KB of a row, a read unit 4 KB', () => {
    const touched = { writes: 10, reads: 10 };
    expect(unitsFor(touched, 0)).toEqual({ writes: 10, reads: 10 });
    expect(unitsFor(touched, 1_024)).toEqual({ writes: 10, reads: 10 });
    expect(unitsFor(touched, 1_025)).toEqual({ writes: 20, reads: 10 });
    expect(unitsFor(touched, 4_097)).toEqual({ writes: 50, reads: 20 });
  });

  test('the size of a row is that of its names and values', () => {
    expect(bytesOf({ id: { S: 'ä1' } })).toBe(2 + 3);
    expect(bytesOf({ n: { N: '1234' } })).toBe(1 + 3);
    expect(bytesOf({ b: { BOOL: true }, x: { NULL: true } })).toBe(4);
    expect(bytesOf({ l: { L: [{ S: 'ab' }] } })).toBe(1 + 3 + 1 + 2);
    expect(bytesOf({ m: { M: { k: { S: 'v' } } } })).toBe(1 + 3 + 1 + 2);
  });
});
