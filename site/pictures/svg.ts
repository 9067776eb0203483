/**
 * The colors of every picture, which has a ground of its own: GitHub, the site and an editor show it on white or on black.
 * In a page of the site the theme is the page's, elsewhere the reader's.
 */
const STYLE = `
  .ground { fill: #ffffff; stroke: #d6d9de; }
  text { fill: #24292f; font-family: ui-sans-serif, system-ui, sans-serif; }
  .soft { fill: #57606a; }
  .box { fill: #f3f5f8; stroke: #8c959f; }
  .live { fill: #dbeafe; stroke: #2563ab; }
  .done { fill: #d8f3df; stroke: #1a7f37; }
  .failed { fill: #fdeccd; stroke: #9a6700; }
  .parked { fill: #f0e2fb; stroke: #7c43b5; }
  .died { fill: #ffdfdc; stroke: #c4251a; }
  .worker { stroke: #2563ab; fill: #2563ab; }
  .person { stroke: #7c43b5; fill: #7c43b5; }
  .time { stroke: #77808a; fill: #77808a; }
  .line { stroke: #8c959f; fill: none; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #1b1f24; stroke: #3d444d; }
    text { fill: #e6edf3; }
    .soft { fill: #aab4bf; }
    .box { fill: #2a3038; stroke: #8b949e; }
    .live { fill: #14365c; stroke: #6cb0f5; }
    .done { fill: #12401f; stroke: #56d364; }
    .failed { fill: #4d3800; stroke: #e3b341; }
    .parked { fill: #3b2157; stroke: #c297ff; }
    .died { fill: #5c1a15; stroke: #ff8b80; }
    .worker { stroke: #6cb0f5; fill: #6cb0f5; }
    .person { stroke: #c297ff; fill: #c297ff; }
    .time { stroke: #9aa4af; fill: #9aa4af; }
    .line { stroke: #6e7681; }
  }`;

/** A picture of this size, with its ground. */
export function picture(width: number, height: number, title: string, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<style>${STYLE}
</style>
<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${content}
</svg>
`;
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
