import type { JSX } from 'preact';
import type { SendPlanJson } from '../api-types.ts';
import { claimHref } from '../filters/claim-filter.ts';
import { Link } from '../parts/link.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { shown } from '../text/shown.ts';

const EFFECT: Readonly<Record<SendPlanJson['effect'], string>> = {
  runs: 'Its handler will run.',
  duplicate: 'The work is done: the message would be dropped as a duplicate.',
  parked: 'The key is parked: the message would not run.',
  conflict: 'A handler may be running it: the message would wait for that one.',
  unknown: 'The console does not know how this queue derives its keys, so it cannot tell what will happen.',
};

/** The key of the message and what it would meet, with the offer to release what is in its way. */
export function SendEffect({
  plan: { key, claim, effect, releases },
  wantedKey,
  isReleased,
  onRelease,
}: {
  readonly plan: SendPlanJson;
  readonly wantedKey: string | undefined;
  readonly isReleased: boolean;
  readonly onRelease: (isReleased: boolean) => void;
}): JSX.Element {
  const isOther = wantedKey !== undefined && key !== undefined && key !== wantedKey;
  const canRelease = releases || effect === 'duplicate' || effect === 'parked';
  return (
    <div class={effect === 'runs' && !isOther ? 'send-effect' : 'warning'} role="status">
      {key !== undefined && (
        <p>
          Key: <Link href={claimHref(key)}>{shown(key)}</Link>{' '}
          {claim === undefined ? 'has no claim yet.' : <StateBadge state={claim.state} />}
        </p>
      )}
      {isOther && <p>This is not the claim that you wanted to run again: {shown(wantedKey)}.</p>}
      <p>{EFFECT[effect]}</p>
      {(canRelease || isReleased) && (
        <label class="check check-danger">
          <input
            type="checkbox"
            checked={isReleased}
            onChange={({ currentTarget }) => onRelease(currentTarget.checked)}
          />
          {claim?.state === 'completed'
            ? 'Release its claim first: the work is done a second time.'
            : 'Release its claim first.'}
        </label>
      )}
    </div>
  );
}
