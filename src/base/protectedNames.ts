/**
 * Lists the names of files and folders that people and programs later run or trust implicitly, and checks whether a
 * path below a folder touches one.
 *
 * Such files run when a folder is entered or opened in an editor, and when a shell, an agent or git starts there. Files
 * that only a build or a test runs (`package.json`, `Makefile`) are ordinary sources, and not listed.
 */

/** Files that shells and other programs read when they start, in a home folder. */
export const startupFiles: ReadonlyArray<string> = [
  ...[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".xprofile",
    ".xsessionrc",
  ],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login"],
  ...[".gitconfig", ".inputrc", ".npmrc", ".pam_environment", ".vimrc", ".emacs", ".netrc"],
]

export const keyFolders: ReadonlyArray<string> = [".ssh", ".gnupg"]

/** Names that direnv, editors, agents and git's hooks run or trust in any folder, beside `.env`. */
export const workspaceNames: ReadonlyArray<string> = [
  ...[".envrc", ".mcp.json", ".vscode", ".idea", ".claude", ".codex", ".cursor", ".gemini", ".husky"],
]

const names: ReadonlySet<string> = new Set([".git", ".env", ...workspaceNames, ...keyFolders, ...startupFiles])

/** Characters that HFS+ leaves out of names. */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * Folds a name as file systems do: macOS and Windows ignore case; Windows also ignores text after a colon (a stream of
 * the file), and dots and blanks at the end.
 */
const fold = (name: string): string =>
  name.replace(ignored, "").normalize("NFKC").toUpperCase().toLowerCase().replace(/:.*/s, "").replace(/[. ]+$/, "")

/** The short name of Windows, `GIT~1`, leaves out the first dot. */
const longName = (short: string): string | undefined => {
  const [, start] = /^([^~.]{1,6})~\d+(?:\.|$)/.exec(short) ?? []
  return start === undefined ? undefined : [...names].find((name) => name.replaceAll(".", "").startsWith(start))
}

/**
 * The protected name that a path below a folder touches, by being it or by being in it; `undefined` if none. `..` may
 * lead anywhere, so it counts as protected.
 */
export const findProtectedName = (path: ReadonlyArray<string>): string | undefined => {
  for (const name of path.flatMap((each) => each.split(/[/\\]/))) {
    if (name === "..") return name
    const folded = fold(name)
    const found = names.has(folded) ? folded : longName(folded)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Whether a write at a path below a folder touches what people or programs run later. Links of the path are followed before.
 */
export const isProtectedName = (path: ReadonlyArray<string>): boolean => findProtectedName(path) !== undefined

const namesOf = (path: string): ReadonlyArray<string> => path.split(/[/\\]/).filter((name) => name !== "")

/**
 * Finds protected names as {@link findProtectedName} does. Where the home folder is the root or in it, all its names that start
 * with a dot, and `bin`, are protected, too: no list knows all programs that read settings there; and so is the folder itself,
 * as an entry of the one above it. Both paths are canonical.
 */
export const protectedNameFinder = (
  root: string,
  home: string | undefined,
): (path: ReadonlyArray<string>) => string | undefined => {
  const above = namesOf(root)
  const homeNames = namesOf(home ?? "").map(fold)
  const isInHome = (names: ReadonlyArray<string>): boolean =>
    homeNames.every((name, i) => name === fold(names[i] ?? ""))
  if (home === undefined || homeNames.length < above.length) return findProtectedName
  return (path) => {
    const found = findProtectedName(path)
    if (found !== undefined) return found
    const names = [...above, ...path.flatMap(namesOf)]
    // The folder itself could be moved away and replaced.
    const isHome = names.length > above.length && names.every((each, i) => fold(each) === homeNames[i])
    if (isHome) return names.at(-1)
    const name = fold(names[homeNames.length] ?? "")
    return (name.startsWith(".") || name === "bin") && isInHome(names) ? name : undefined
  }
}
