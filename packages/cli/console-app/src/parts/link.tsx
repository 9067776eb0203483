import type { ComponentChildren, JSX } from 'preact';
import { goTo } from '../state/address.ts';

/** A link to a page of the console. It is opened in place, unless the person asks for a new tab. */
export function Link({
  href,
  children,
  ...rest
}: {
  readonly href: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly title?: string;
  readonly 'data-state'?: string;
  readonly 'aria-current'?: 'page' | 'true' | undefined;
}): JSX.Element {
  const open = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goTo(href);
  };
  return (
    <a href={href} onClick={open} {...rest}>
      {children}
    </a>
  );
}
