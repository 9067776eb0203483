/** The changelog with this day in the title of the version's section, unless it has one, and an empty line below the title. */
export function withDate(changelog: string, version: string, day: string): string {
  const undated = new Set([`## ${version}`, `## ${version} (unreleased)`]);
  const lines = changelog.split('\n').flatMap((line, index, all) => {
    if (!undated.has(line)) return [line];
    const title = `## ${version} (${day})`;
    return all[index + 1] === '' ? [title] : [title, ''];
  });
  return lines.join('\n');
}
