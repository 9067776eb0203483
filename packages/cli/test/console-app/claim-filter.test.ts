import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import {
  claimHref,
  filterOf,
  filterText,
  hrefOf,
  listHref,
  requestOf,
  SEARCH_BY,
} from '../../console-app/src/filters/claim-filter.ts';
import { savedFiltersOf, withFilter, withoutFilter } from '../../console-app/src/filters/saved-filters.ts';
import { PARKED_KINDS, STATES } from '../../console-app/src/text/words.ts';

const searchOf = (href: string): string => href.slice('/claims'.length);

describe('a filter in the address', () => {
  it('comes back as it was, whatever is searched for', () => {
    const filters = fc.record(
      {
        state: fc.constantFrom(...STATES),
        by: fc.constantFrom(...(Object.keys(SEARCH_BY) as (keyof typeof SEARCH_BY)[])),
        q: fc.string({ unit: 'grapheme', minLength: 1 }),
      },
      { requiredKeys: ['by', 'q'] },
    );
    fc.assert(
      fc.property(filters, (filter) => expect(filterOf(searchOf(hrefOf(filter)))).toEqual({ ...filter })),
    );
  });

  it('comes back with the kind of parked claims', () => {
    for (const parked of PARKED_KINDS) {
      const filter = { state: 'parked', parked, by: 'prefix', q: 'orders#' } as const;
      expect(filterOf(searchOf(hrefOf(filter)))).toEqual(filter);
      expect(requestOf(filter)).toEqual(filter);
    }
    expect(filterOf('?state=failed&parked=lapsed')).toEqual({ state: 'failed', by: 'prefix', q: '' });
    expect(filterOf('?state=parked&parked=lost')).toEqual({ state: 'parked', by: 'prefix', q: '' });
  });

  it('comes back with failed claims that a person released, or the others', () => {
    for (const released of ['yes', 'no'] as const) {
      const filter = { state: 'failed', released, by: 'any', q: 'o-42' } as const;
      expect(filterOf(searchOf(hrefOf(filter)))).toEqual(filter);
      expect(requestOf(filter)).toEqual(filter);
    }
    expect(filterOf('?state=parked&released=yes')).toEqual({ state: 'parked', by: 'prefix', q: '' });
    expect(filterText({ state: 'failed', released: 'yes', by: 'prefix', q: '' })).toBe('failed, released');
  });

  it('leaves out a search that searches for nothing', () => {
    expect(hrefOf({ state: 'parked', by: 'hash', q: '' })).toBe('/claims?state=parked');
    expect(hrefOf({ by: 'prefix', q: '' })).toBe('/claims');
    expect(requestOf({ by: 'key', q: '' })).toEqual({});
  });

  it('ignores what it does not know', () => {
    expect(filterOf('?state=lost&by=__proto__&q=a')).toEqual({ by: 'prefix', q: 'a' });
  });

  it('is said in words', () => {
    expect(filterText({ state: 'in-progress', by: 'prefix', q: 'orders#' })).toBe(
      'in progress, key begins with orders#',
    );
    expect(filterText({ by: 'prefix', q: '' })).toBe('all claims');
    expect(filterText({ state: 'parked', parked: 'lapsed', by: 'prefix', q: '' })).toBe(
      'parked, outcome unknown',
    );
  });

  it('names a claim by any key', () => {
    const key = 'orders#v1:a&b=c/ü?';
    expect(new URLSearchParams(claimHref(key).slice('/claim?'.length)).get('key')).toBe(key);
  });
});

describe('saved filters', () => {
  const one = { name: 'bank', search: '?state=parked' };

  it('are kept by name, in order', () => {
    const filters = withFilter(withFilter([], one), { name: 'all', search: '' });
    expect(filters.map(({ name }) => name)).toEqual(['all', 'bank']);
    expect(withFilter(filters, { name: 'bank', search: '?q=1' })).toHaveLength(2);
    expect(withoutFilter(filters, 'bank')).toEqual([{ name: 'all', search: '' }]);
  });

  it('are all kept, however many there are', () => {
    const names = Array.from({ length: 60 }, (_, index) => `n${index}`);
    const filters = names.reduce((all, name) => [...withFilter(all, { name, search: '' })], [one]);
    expect(withFilter(filters, { name: 'z', search: '' }).at(-1)).toEqual({ name: 'z', search: '' });
  });

  it('are read back, without what is damaged', () => {
    const text = JSON.stringify([one, { name: 'x', search: '//elsewhere' }, { name: '' }, null, 'text']);
    expect(savedFiltersOf(text)).toEqual([one]);
    expect(['{"a":1}', '[', undefined].map(savedFiltersOf)).toEqual([[], [], []]);
  });
});

describe('a filter that a plot or a table leads to', () => {
  it('comes back from its address, and is said in words', () => {
    const narrow = { error: 'CardDeclined', ranMs: '5000', past: 'ran-twice' } as const;
    const href = listHref('completed', narrow);
    expect(filterOf(searchOf(href))).toEqual({ state: 'completed', by: 'prefix', q: '', narrow });
    expect(filterText(filterOf(searchOf(href)))).toBe(
      'completed, error CardDeclined, may have run twice, ran 5 s or longer',
    );
  });

  it('is a type, which may be any text', () => {
    const narrow = { type: 'Order & "Placed"?#<b>%20' };
    const href = listHref(undefined, narrow);
    expect(filterOf(searchOf(href))).toEqual({ by: 'prefix', q: '', narrow });
    expect(filterText(filterOf(searchOf(href)))).toContain(`type ${narrow.type}`);
  });

  it('leaves out a past that it does not know', () => {
    expect(filterOf('?past=constructor')).toEqual({ by: 'prefix', q: '' });
  });
});
