import { Component, type ComponentChild, type FunctionComponent, h } from 'preact';

/** Returns a component that is drawn again only when a property changes, for rows of long lists. */
export function memo<Props extends object>(View: FunctionComponent<Props>): FunctionComponent<Props> {
  class Remembered extends Component<Props> {
    override shouldComponentUpdate(next: Props): boolean {
      const names = Object.keys(next) as (keyof Props)[];
      return names.some((name) => !Object.is(next[name], (this.props as Props)[name]));
    }

    override render(): ComponentChild {
      return h(View, this.props as Props);
    }
  }
  return Remembered as unknown as FunctionComponent<Props>;
}
