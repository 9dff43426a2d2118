/**
 * Decides whether git may read a repository on this machine, as `fetch`, `pull` and `clone` do. The repository must be
 * named by a word and have a `.git` folder within the roots, which commands cannot write, or be named by a remote of
 * the settings. Elsewhere, commands may have written `gitdir:`, `commondir` or `objects/info/alternates`, which can
 * lead anywhere, so a remote without a working tree must have none of them when git starts.
 *
 * In all other cases git gets `protocol.file.allow=never`, and fails.
 *
 * Source: gitremote-helpers(7); git-config(1), "protocol.allow"; `enter_repo` of git's path.c.
 */
import type { ListedSetting } from "./gitPrograms.ts"
import { folderOf, type KeptFiles } from "./gitSettings.ts"
import { joined } from "./paths.ts"

/** An address of another machine: a URL, or `host:path`. */
const isRemote = (address: string): boolean =>
  !/^(?:file:|[A-Za-z]:[/\\])/i.test(address) && /^(?:[A-Za-z][\w+.-]*:\/\/|[^/\\:]+:)/.test(address)

/** Options whose value is not a separate word, so that the next word is the repository. */
const flag =
  /^(?:-[qvfpt]+|--(?:all|quiet|verbose|force|prune|tags|no-tags|progress|no-progress|no-rebase|rebase|ff-only|heads|bare|mirror|depth=\d+))$/

/** The nearest folder with a `.git`, from a directory upward; the directory itself if there is none. */
const topOf = (directory: string, realPath: KeptFiles["realPath"]): string => {
  for (let at = directory;;) {
    if (realPath(`${at}/.git`) !== undefined) return at
    const above = folderOf(at)
    if (above === at) return directory
    at = above
  }
}

/** Whether a call of git with these words, in a canonical directory, reads from no other folder. */
export const readsOnlyInside = (
  [command = "", ...words]: ReadonlyArray<string>,
  directory: string,
  listed: ReadonlyArray<ListedSetting>,
  { isInside, realPath }: KeptFiles,
): boolean => {
  // Hooks of a repository that receives a push are not checked, and submodules have addresses of their own.
  if (!/^(?:clone|fetch|ls-remote|pull|remote)$/.test(command)) return false
  const isRepository = (path: string): boolean => {
    const real = realPath(`${path}/.git/HEAD`)
    return real !== undefined && /[/\\]\.git[/\\]HEAD$/.test(real) && isInside(real)
  }
  // git resolves paths from the top of the working tree, including those in words.
  const top = topOf(directory, realPath)
  const isAtTop = command === "clone" || top === directory
  const names = new Set(listed.map(({ name }) => name))
  const isRemoteName = (word: string): boolean => names.has(`remote.${word}.url`)
  const isPath = (word: string): boolean =>
    isAtTop && !/^(?:file:|~)/i.test(word) && isRepository(joined(directory, word).replace(/[/\\]+$/, ""))
  /**
   * A repository without a working tree that borrows no objects at the moment. Commands may write it, so only a setting
   * may name it.
   */
  const isBare = (path: string): boolean => {
    // git would prefer `.git` in this folder, or appended to its name.
    const others = ["/commondir", "/objects/info/alternates", "/.git", ".git"]
    const own = ["/HEAD", "/objects", "/refs"].map((name) => realPath(path + name))
    return own.every((file) => file !== undefined && isInside(file)) &&
      others.every((name) => realPath(path + name) === undefined)
  }
  const isAddress = (address: string): boolean => {
    if (address === "." || isRemote(address)) return true
    const path = joined(top, address).replace(/[/\\]+$/, "")
    return !/^(?:file:|~)/i.test(address) && (isRepository(path) || isBare(path))
  }
  const [first, ...others] = words.filter((word) => !flag.test(word))
  // A rebase reads the working tree before it fetches, so the repository of a path could be replaced meanwhile.
  const fetchesLate = command === "pull" && (words.includes("--rebase") ||
    listed.some(({ name, value }) => /^(?:pull|branch\..*)\.rebase$/s.test(name) && value !== "false"))
  // A path that does not exist yet may be a file with `gitdir:` when git opens it, so the word must already name a
  // repository.
  const isSafe = fetchesLate
    ? first === "." || isRemoteName(first ?? "origin")
    : command === "remote"
    ? first === "update" && others.every(isRemoteName)
    : command === "clone"
    ? first !== undefined && isPath(first)
    : isRemoteName(first ?? "origin") || (first !== undefined && (first === "." || isPath(first)))
  return isSafe && !words.some((word) => word.startsWith("-") && !flag.test(word)) &&
    listed.every(({ name, value }) => {
      const [, base] = /^url\.(.*)\.insteadof$/s.exec(name) ?? []
      if (base !== undefined) return isRemote(base)
      if (/^remote\..*\.url$/s.test(name)) return isAddress(value)
      return !/^branch\..*\.remote$/s.test(name) || isRemoteName(value) || isAddress(value)
    })
}
