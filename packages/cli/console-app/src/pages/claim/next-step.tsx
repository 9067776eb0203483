import type { JSX } from 'preact';
import type { NextStepJson } from '../../api-types.ts';
import { useTimeText } from '../../state/now.ts';
import { shown } from '../../text/shown.ts';
import { localTime, timePhrase, utcTime } from '../../text/times.ts';

/** A sentence about the next event of a claim. */
export function NextStep({ next }: { readonly next: NextStepJson }): JSX.Element {
  const { text, at, isEstimate } = next;
  const phrase = useTimeText((now) => (at === undefined ? '' : timePhrase(at, now, isEstimate)));
  return (
    <p class="next-step">
      <b>Next:</b> {shown(text)}
      {at !== undefined && (
        <>
          {' '}
          <time dateTime={at} title={`${localTime(at)} (${utcTime(at)})`}>
            {phrase}
          </time>
        </>
      )}
      .
    </p>
  );
}
