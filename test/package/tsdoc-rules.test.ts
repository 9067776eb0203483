import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { modulesOfEntries } from './program-of-modules.ts';
import { mistakesIn } from './tsdoc-rules.ts';

const CODES = new Set(
  [...readFileSync('docs/errors.md', 'utf8').matchAll(/^## (BATCHLATCH_\w+)/gm)].map(([, code = '']) => code),
);

describe('The TSDoc of the entries', () => {
  it('says the default of each option, the unit of each time, and only errors that there are', () => {
    expect(mistakesIn(modulesOfEntries(), CODES)).toEqual([]);
  });
});

describe('The check of rules sees', () => {
  it.each([
    [
      'an option without a default',
      '/** Runs. */ export interface RunOptions {\n/** How often. */\nreadonly times?: number }',
      '.times: no default',
    ],
    [
      'an option without a default that comes from another type',
      'interface All {\n/** How often. */\nreadonly times?: number }\n/** Runs. */ export interface RunOptions extends All {}',
      '.times: no default',
    ],
    [
      'a time without a unit',
      '/** Runs. */ export interface Run {\n/** How long to wait. */\nreadonly timeout: number }',
      '.timeout: no unit',
    ],
    [
      'an error that is nowhere',
      '/** Throws a `RunError`. */ export interface Run {}',
      ': RunError is nowhere',
    ],
    [
      'a code that is nowhere',
      '/** Throws `BATCHLATCH_RUN`. */ export interface Run {}',
      ': BATCHLATCH_RUN is nowhere',
    ],
    [
      'an unknown code of a member',
      '/** Runs. */ export interface Run {\n/** Or `BATCHLATCH_RUN`. */\nreadonly id: string }',
      ': BATCHLATCH_RUN is nowhere',
    ],
    [
      'an error class that does not say its code',
      "class BatchlatchError {}\n/** Fails. Code: `BATCHLATCH_KEY`. */ export class RunError extends BatchlatchError { constructor() { super('BATCHLATCH_STORE') } }",
      'Error: no code',
    ],
    [
      'a function that checks options and does not say what it throws',
      '/** Runs. */ export function Run(options: object): void { checkOptionsOf("run", options, {}) }',
      ': no ConfigurationError',
    ],
  ])('%s', (_what, source, found) => {
    expect(mistakesIn({ 'entry.ts': source }, CODES)).toEqual([
      expect.stringMatching(`^entry.ts: Run\\w*?${found}$`),
    ]);
  });

  it.each([
    [
      'an option that has to be given',
      '/** Runs. */ export interface RunOptions {\n/** How often. */\nreadonly times: number }',
    ],
    [
      'a default',
      '/** Runs. */ export interface RunOptions {\n/** How often. Default 1. */\nreadonly times?: number }',
    ],
    [
      'a unit in the name',
      '/** Runs. */ export interface Run {\n/** How long to wait. */\nreadonly timeoutMs: number }',
    ],
    [
      'a unit in the text',
      '/** Runs. */ export interface Run {\n/** Epoch milliseconds. */\nreadonly leaseUntil: number }',
    ],
    [
      'the number of a format',
      '/** A row. */ export interface Row {\n/** The number of its format. */\nreadonly format: number }',
    ],
    [
      'a heading of docs/errors.md',
      '/** Throws `BATCHLATCH_KEY`, or a `RangeError`. */ export interface Run {}',
    ],
  ])('no harm in %s', (_what, source) => {
    expect(mistakesIn({ 'entry.ts': source }, CODES)).toEqual([]);
  });
});
