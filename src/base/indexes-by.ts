/** Groups the indexes of items, by queue for example. */
export function indexesBy<Item, Group>(
  items: readonly Item[],
  groupOf: (item: Item) => Group,
): ReadonlyMap<Group, readonly number[]> {
  const groups = new Map<Group, number[]>();
  for (let index = 0; index < items.length; index += 1) {
    const group = groupOf(items[index] as Item);
    const indexes = groups.get(group);
    if (indexes === undefined) groups.set(group, [index]);
    else indexes.push(index);
  }
  return groups;
}
