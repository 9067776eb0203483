import type { JSX } from 'preact';
import { useTimeText } from '../state/now.ts';
import { ageOf, durationText, localTime, relativeText, utcTime } from '../text/times.ts';

/** Such as `3 min ago`; the whole time is its title. */
export function Ago({ at }: { readonly at: string | undefined | null }): JSX.Element {
  const text = useTimeText((now) => relativeText(at, now));
  if (at === undefined || at === null) return <span class="muted">–</span>;
  return (
    <time dateTime={at} title={`${localTime(at)} (${utcTime(at)})`}>
      {text}
    </time>
  );
}

/** The whole time in the zone of this browser; UTC is its title. */
export function LocalTime({ at }: { readonly at: string }): JSX.Element {
  return (
    <time dateTime={at} title={utcTime(at)}>
      {localTime(at)}
    </time>
  );
}

/** For how long, such as `3 min 20 s`. */
export function Since({ at }: { readonly at: string | undefined }): JSX.Element {
  const text = useTimeText((now) => sinceText(at, now));
  if (at === undefined) return <span class="muted">?</span>;
  return (
    <time dateTime={at} title={`since ${localTime(at)} (${utcTime(at)})`}>
      {text}
    </time>
  );
}

/** Tenths of a second would flicker. */
function sinceText(at: string | undefined, now: number): string {
  const age = ageOf(at, now);
  return age === undefined ? '?' : durationText(age - (age % 1_000));
}
