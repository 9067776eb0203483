import type { Place } from '../../template/resources.ts';
import { asBoolean, asText } from '../../template/values.ts';
import { type Reading, type Source, textOf } from './reading.ts';

/** A rule, a schedule or an event that may be turned off, in the words of each. */
export function isOn({ place: { value } }: Source): boolean {
  return asText(value['State'])?.toUpperCase() !== 'DISABLED' && (asBoolean(value['Enabled']) ?? true);
}

/** What a target gets in place of the event. */
export function inputOf(reading: Reading, { name }: Source, target: Place): string | undefined {
  if (target.value['InputPath'] !== undefined || target.value['InputTransformer'] !== undefined) {
    reading.notes.add(`${name} gets the whole event: its InputPath or InputTransformer is not applied here.`);
  }
  return textOf(reading, { place: target, name }, ['Input']);
}
