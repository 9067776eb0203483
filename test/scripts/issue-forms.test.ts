import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';

interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: { readonly label?: string; readonly value?: string; readonly options?: unknown[] };
  readonly validations?: { readonly required?: boolean };
}

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly Field[];
}

const FOLDER = '.github/ISSUE_TEMPLATE';
const form = (file: string): Form => parse(readFileSync(`${FOLDER}/${file}`, 'utf8')) as Form;
const forms = readdirSync(FOLDER).filter((file) => file !== 'config.yml');

describe('The forms for issues', () => {
  it.each(forms)('are as GitHub takes them: %s', (file) => {
    const { name, description, body } = form(file);
    expect([name, description]).toEqual([expect.any(String), expect.any(String)]);
    const fields = body.filter(({ type }) => type !== 'markdown');
    expect(fields.filter(({ type }) => !['dropdown', 'input', 'textarea'].includes(type))).toEqual([]);
    expect(fields.filter(({ id, attributes }) => !/^[a-z-]+$/.test(id ?? '') || !attributes.label)).toEqual(
      [],
    );
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
    const options = fields.flatMap(({ attributes }) => attributes.options ?? []);
    expect(options.filter((option) => typeof option !== 'string' || option === '')).toEqual([]);
  });

  it('ask of a bug what decides how it is looked for, and for no payload', () => {
    const { body } = form('bug.yml');
    const asked = body.filter(({ validations }) => validations?.required === true).map(({ id }) => id);
    expect(asked).toEqual(['what', 'source', 'runs-on', 'store', 'versions', 'options']);
    expect(body.find(({ id }) => id === 'event')?.attributes.label).toBe(
      'The shape of the event, without its payload',
    );
    expect(body[0]?.attributes.value).toContain('`SECURITY.md`');
  });
});
