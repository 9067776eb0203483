/** A CommonJS module as an ES module sees it. */
exports.asModule = async function asModule(load, name) {
  const loaded = await load(name);
  return 'default' in loaded ? loaded : { default: loaded };
};
