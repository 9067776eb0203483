/** A plot as it is written beside the results page. */
export interface PlotFile {
  readonly file: string;
  readonly title: string;
  readonly svg: string;
}
