/** Decides which files of a folder may be changed. */
import { protectedNameFinder } from "../../base/protectedNames.ts"
import { isInside, type PathRules } from "./PathRules.ts"

/** The canonical path of an entry that need not exist, and that of the entry itself if it is a link. */
export const canonicalPaths = (
  fs: typeof import("node:fs"),
  rules: PathRules,
  path: string,
): ReadonlyArray<string> => {
  const [parent, name] = rules.split(path)
  const places = parent === path || name === ""
    ? [path]
    : canonicalPaths(fs, rules, parent).slice(0, 1).map((folder) => rules.join(folder, [name]))
  try {
    return [fs.realpathSync(path), ...places]
  } catch {
    return places
  }
}

export interface ChangeRules {
  readonly writable?: ReadonlyArray<string> | undefined
  readonly protected?: ReadonlyArray<string> | undefined
  readonly protectedNames?: boolean | undefined
}

const closedPath = "it is not writable, or a program outside of the sandbox would run or trust it"

const closedName = (name: string): string =>
  `${name} is protected here, because people and programs run or trust it later; ask your user to change it`

/**
 * Says why a canonical path may not be changed. The deepest entry that contains the path decides; of two equal entries,
 * the protection. A protected name may never be changed. `home`: the user's home folder.
 */
export const makeChangeCheck = (
  rules: PathRules,
  root: string,
  canonical: (path: string) => ReadonlyArray<string>,
  home: string,
  { protected: closed = [], protectedNames = false, writable = [root] }: ChangeRules,
): (path: string) => string | undefined => {
  const entries = [
    ...closed.flatMap((each) => canonical(each)).map((path) => ({ path, isOpen: false })),
    ...writable.flatMap((each) => canonical(each).slice(0, 1)).map((path) => ({ path, isOpen: true })),
  ].toSorted((a, b) => b.path.length - a.path.length)
  const find = protectedNameFinder(root, canonical(home)[0])
  const folder = root.endsWith(rules.separator) ? root : root + rules.separator
  return (path) => {
    // Folders above the root are taken as they are.
    const below = rules.isSame(folder, path.slice(0, folder.length)) ? path.slice(folder.length) : path
    const name = protectedNames && !rules.isSame(root, path) ? find([below]) : undefined
    if (name !== undefined) return closedName(name)
    return entries.find((entry) => isInside(rules, entry.path, path))?.isOpen === true ? undefined : closedPath
  }
}
