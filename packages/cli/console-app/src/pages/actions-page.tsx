import type { JSX } from 'preact';
import type { ActionJson } from '../api-types.ts';
import { get } from '../api/client.ts';
import { session } from '../api/session.ts';
import { useFresh } from '../api/use-fresh.ts';
import { useRequest } from '../api/use-request.ts';
import { Ago } from '../parts/age.tsx';
import { ErrorNotice, Notice, Skeleton } from '../parts/notice.tsx';
import { useStore } from '../state/store.ts';
import { numberText } from '../text/numbers.ts';
import { shown } from '../text/shown.ts';
import { OPERATION_NAME } from '../text/words.ts';

const NAMES: Readonly<Record<ActionJson['what'], string>> = {
  ...OPERATION_NAME,
  redrive: 'Redrive',
  send: 'Send',
  'release-row': 'Release (outbox)',
  'drop-row': 'Drop (outbox)',
};

/** The changes made through this console since its start. */
export function ActionsPage(): JSX.Element {
  const { answer, error, isLoading, again } = useRequest('actions', (signal) =>
    get<{ readonly actions: readonly ActionJson[] }>('actions', {}, signal),
  );
  useFresh(again);
  const isOfTeam = useStore(session)?.role !== undefined;
  return (
    <>
      <h1>Actions</h1>
      <p class="muted">
        What was changed through this console{isOfTeam ? '' : ' since it was started'}. The history of a
        claim, with changes by others, is on its own page.
      </p>
      {error !== undefined && <ErrorNotice error={error} again={again} />}
      {answer === undefined && isLoading && <Skeleton lines={5} />}
      {answer !== undefined && answer.actions.length === 0 && <Notice title="Nothing was changed yet." />}
      {answer !== undefined && answer.actions.length > 0 && <ActionsTable actions={answer.actions} />}
    </>
  );
}

function ActionsTable({ actions }: { readonly actions: readonly ActionJson[] }): JSX.Element {
  return (
    <table class="table stacked">
      <caption class="visually-hidden">Actions, newest first</caption>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">What</th>
          <th scope="col">Who</th>
          <th scope="col">Reason</th>
          <th scope="col" class="number">
            Asked
          </th>
          <th scope="col" class="number">
            Done
          </th>
          <th scope="col" class="number">
            Refused
          </th>
          <th scope="col" class="number">
            Failed
          </th>
        </tr>
      </thead>
      <tbody>
        {actions.map((action) => (
          <tr key={action.job}>
            <th scope="row">
              <Ago at={action.at} />
            </th>
            <td data-label="What">{NAMES[action.what]}</td>
            <td data-label="Who">{shown(action.operator)}</td>
            <td data-label="Reason">{shown(action.reason)}</td>
            <td data-label="Asked" class="number">
              {numberText(action.asked)}
            </td>
            <td data-label="Done" class="number">
              {numberText(action.done)}
            </td>
            <td data-label="Refused" class="number">
              {numberText(action.refused)}
            </td>
            <td data-label="Failed" class={action.failed > 0 ? 'number is-failed' : 'number'}>
              {numberText(action.failed)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
