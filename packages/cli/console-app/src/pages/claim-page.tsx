import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ClaimDetailJson, ClaimJson } from '../api-types.ts';
import { get } from '../api/client.ts';
import { session } from '../api/session.ts';
import { hrefOf } from '../filters/claim-filter.ts';
import { useFresh } from '../api/use-fresh.ts';
import { useRequest } from '../api/use-request.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { keepFocus } from '../parts/keep-focus.ts';
import { Link } from '../parts/link.tsx';
import { ErrorNotice, Notice, Skeleton } from '../parts/notice.tsx';
import { ParkedBadge, StateBadge } from '../parts/state-badge.tsx';
import { useAddress } from '../state/address.ts';
import { useStore } from '../state/store.ts';
import { shown } from '../text/shown.ts';
import {
  PARKED_MEANING,
  PARKED_NAME,
  RELEASED_MEANING,
  RELEASED_NAME,
  STATE_MEANING,
  STATE_NAME,
} from '../text/words.ts';
import { timelineSteps } from '../timeline/timeline-steps.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { Waterfall } from '../waterfall/waterfall.tsx';
import { ClaimActions } from './claim/claim-actions.tsx';
import { ClaimFacts } from './claim/claim-facts.tsx';
import { ClaimMessages } from './claim/claim-messages.tsx';
import { ClaimResult } from './claim/claim-result.tsx';
import { NextStep } from './claim/next-step.tsx';

/** The server's words for a key without a claim; more words tell who forgot it. */
const NO_CLAIM = 'There is no claim with this key.';
/** Each read is of one row. */
const READ_EVERY_MS = 3_000;

/** The page of one claim, with its actions. */
export function ClaimPage(): JSX.Element {
  const { search } = useAddress();
  const key = new URLSearchParams(search).get('key') ?? '';
  const { answer, error, isLoading, again } = useRequest(key, (signal) =>
    get<ClaimDetailJson>('claim', { key }, signal),
  );
  useFresh(again, READ_EVERY_MS, isLoading);
  useEffect(keepFocus, [answer]);
  return (
    <>
      <Crumbs claim={answer?.claim} />
      <div class="page-head">
        <h1 class="mono claim-key">{shown(key)}</h1>
        <CopyButton text={key} what="the key" />
        <button type="button" class="button button-small" onClick={again}>
          Read again
        </button>
      </div>
      {error?.status === 404 ? (
        <NotThere text={error.message} />
      ) : (
        <>
          {error !== undefined && <ErrorNotice error={error} again={again} />}
          {answer === undefined && isLoading && <Skeleton lines={10} />}
          {answer !== undefined && <Detail detail={answer} again={again} />}
        </>
      )}
    </>
  );
}

/** The way back: to the lists that the claim is in. */
function Crumbs({ claim }: { readonly claim: ClaimJson | undefined }): JSX.Element {
  const list = { by: 'prefix', q: '' } as const;
  const state = claim?.state;
  return (
    <nav class="crumbs" aria-label="Lists with this claim">
      <Link href="/claims">Claims</Link>
      {state !== undefined && (
        <>
          {' / '}
          <Link href={hrefOf({ ...list, state })}>{STATE_NAME[state]}</Link>
        </>
      )}
      {claim?.parkedKind !== undefined && (
        <>
          {' / '}
          <Link href={hrefOf({ ...list, state: 'parked', parked: claim.parkedKind })}>
            {PARKED_NAME[claim.parkedKind]}
          </Link>
        </>
      )}
      {claim?.releasedAt !== undefined && (
        <>
          {' / '}
          <Link href={hrefOf({ ...list, state: 'failed', released: 'yes' })}>{RELEASED_NAME}</Link>
        </>
      )}
    </nav>
  );
}

function NotThere({ text }: { readonly text: string }): JSX.Element {
  return (
    <Notice title="There is no claim of this key.">
      {text !== NO_CLAIM && <p>{shown(text)}</p>}
      <p>
        It was never claimed, was forgotten, or its retention is over. Its next delivery runs as if it were
        the first.
      </p>
      <p>
        <Link href="/claims">Search claims</Link>
      </p>
    </Notice>
  );
}

function Detail({
  detail,
  again,
}: {
  readonly detail: ClaimDetailJson;
  readonly again: () => void;
}): JSX.Element {
  const { claim, events, next, logUrl, hasResult } = detail;
  const { state, releasedAt } = claim;
  const isReleased = releasedAt !== undefined;
  const { allowChanges = false, role } = useStore(session) ?? {};
  return (
    <>
      <section class="panel claim-state" aria-label="State" data-state={isReleased ? 'released' : state}>
        <p>
          <StateBadge state={state} releasedAt={releasedAt} />{' '}
          {isReleased ? RELEASED_MEANING : STATE_MEANING[state]}
        </p>
        <NextStep next={next} />
        {claim.parkedKind !== undefined && (
          <p>
            <ParkedBadge kind={claim.parkedKind} /> {PARKED_MEANING[claim.parkedKind]}
          </p>
        )}
        {claim.error !== undefined && claim.state !== 'completed' && (
          <p class="claim-error">
            <b>{shown(claim.error.name)}</b>
            {claim.error.code !== undefined && <code>{shown(claim.error.code)}</code>}{' '}
            {shown(claim.error.message)}
          </p>
        )}
        {isReleased && <ClaimMessages claim={claim} onDone={again} />}
        {allowChanges ? (
          <ClaimActions claim={claim} onDone={again} />
        ) : (
          <p class="muted small">
            {role === undefined ? (
              <>
                This console is read-only. Start it with <code>--allow-changes</code> to change claims.
              </>
            ) : (
              'Your role is read-only. Ask for the role `operate` to change claims.'
            )}
          </p>
        )}
        {!isReleased && <ClaimMessages claim={claim} onDone={again} />}
      </section>
      <div class="columns">
        <section class="panel" aria-labelledby="timeline-title">
          <h2 id="timeline-title">Timeline</h2>
          <Timeline steps={timelineSteps(claim, events)} />
        </section>
        <section class="panel" aria-labelledby="facts-title">
          <h2 id="facts-title">Details</h2>
          <ClaimFacts claim={claim} logUrl={logUrl} />
          <ClaimResult key={claim.owner} claimKey={claim.key} hasResult={hasResult} />
        </section>
      </div>
      <Waterfall claim={claim} />
    </>
  );
}
