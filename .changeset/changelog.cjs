// How changesets become lines of CHANGELOG.md: the text alone. The generators that come with changesets put commits
// before it, or links to a repository that they have to know.

/** @param {{ summary: string }} changeset */
async function getReleaseLine({ summary }) {
  const [first, ...rest] = summary.trim().split('\n');
  return [`- ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))].join('\n');
}

/** The package depends on none that is released with it. */
async function getDependencyReleaseLine() {
  return '';
}

module.exports = { getReleaseLine, getDependencyReleaseLine };
