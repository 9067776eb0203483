import type { ComponentChildren, JSX } from 'preact';
import type { ClaimJson } from '../../api-types.ts';
import { listHref } from '../../filters/claim-filter.ts';
import { Ago, LocalTime } from '../../parts/age.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Link } from '../../parts/link.tsx';
import { counted, numberText } from '../../text/numbers.ts';
import { shown } from '../../text/shown.ts';
import { between, durationText } from '../../text/times.ts';

/** The attributes of a claim's row. */
export function ClaimFacts({
  claim,
  logUrl,
}: {
  readonly claim: ClaimJson;
  readonly logUrl: string | undefined;
}): JSX.Element {
  const { type, attempt, releases, crashes, lockedBy, recordId, payloadHash } = claim;
  const waited = between(claim.createdAt, claim.claimedAt);
  const ran = between(claim.claimedAt, claim.completedAt);
  return (
    <dl class="facts">
      {type !== undefined && (
        <Fact name="Type">
          <Link href={listHref(undefined, { type })}>{shown(type)}</Link>
        </Fact>
      )}
      <Fact name="Attempt">
        {numberText(attempt)}
        {releases !== 0 && <span class="muted"> ({numberText(releases)} not counted)</span>}
        {crashes !== 0 && <span class="muted">, {counted(crashes, 'death')} in a row</span>}
      </Fact>
      {lockedBy !== undefined && (
        <Fact name="Held by">
          <span class="mono">{shown(lockedBy)}</span>
          {logUrl !== undefined && (
            <>
              {' '}
              <a href={logUrl} target="_blank" rel="noreferrer">
                Open its log lines (CloudWatch)
              </a>
            </>
          )}
        </Fact>
      )}
      <Fact name="Claimed first">
        <Time at={claim.createdAt} />
      </Fact>
      <Fact name="Claimed last">
        <Time at={claim.claimedAt} />
      </Fact>
      {waited !== undefined && <Fact name="Waited">{durationWithNote(waited)}</Fact>}
      {ran !== undefined && <Fact name="Ran">{durationWithNote(ran)}</Fact>}
      <Fact name="Lease until">
        <Time at={claim.leaseUntil} />
      </Fact>
      {claim.completedAt !== undefined && (
        <Fact name="Completed">
          <Time at={claim.completedAt} />
        </Fact>
      )}
      <Fact name="Changed last">
        <Time at={claim.updatedAt} />
      </Fact>
      <Fact name="Kept until">
        {claim.expiresAt === undefined ? 'it is forgotten by a person' : <Time at={claim.expiresAt} />}
      </Fact>
      <Text name="Hash" text={claim.keyHash} what="the hash" />
      <Text name="Record id" text={recordId} what="the record id" />
      <Text name="Owner" text={claim.owner} what="the owner" />
      <Text name="Payload hash" text={payloadHash} what="the payload hash" />
    </dl>
  );
}

function durationWithNote(ms: number): string {
  return ms < 0 ? `${durationText(ms)} (the clocks of two machines differ)` : durationText(ms);
}

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Text({
  name,
  text,
  what,
}: {
  readonly name: string;
  readonly text: string | undefined;
  readonly what: string;
}): JSX.Element | null {
  if (text === undefined || text === '') return null;
  return (
    <Fact name={name}>
      <span class="mono">{shown(text)}</span> <CopyButton text={text} what={what} />
    </Fact>
  );
}

function Time({ at }: { readonly at: string | undefined }): JSX.Element {
  if (at === undefined) return <span class="muted">not known</span>;
  return (
    <>
      <LocalTime at={at} />{' '}
      <span class="muted">
        (<Ago at={at} />)
      </span>
    </>
  );
}
