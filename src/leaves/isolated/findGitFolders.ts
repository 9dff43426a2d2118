/**
 * Finds the folders in which git keeps a repository whose `.git` is a file or which has none (worktrees, `--separate-git-dir`,
 * bare repositories), and where links in them lead.
 *
 * Source: gitrepository-layout(5).
 */
import type { Host } from "../../host/Host.ts"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import { toAbsolute } from "../../host/paths.ts"

type Files = Pick<Host, "fileKind" | "readHead" | "readNames" | "realPath">

/** Bytes of the path in a `.git` or a `commondir`, with its prefix. */
const maxPathBytes = 4_200

/**
 * The parts of a repository that decide which programs git runs. A `commondir` would lead git to another configuration, and
 * one that names the repository itself changes nothing.
 */
export const gitParts: ReadonlyArray<readonly [string, "file" | "folder", string?]> = [
  ["hooks", "folder"],
  ["config", "file"],
  ["config.worktree", "file"],
  ["commondir", "file", ".\n"],
  ["modules", "folder"],
  ["worktrees", "folder"],
  // Remotes in the legacy format (git-fetch(1)), whose address may name a program.
  ["remotes", "folder"],
  ["branches", "folder"],
]

/** The folder that a file of git names; `undefined` where there is none. */
const namedBy = (files: Files, file: string, pattern: RegExp, base: string): string | undefined => {
  const head = files.readHead(file, maxPathBytes)
  const [, path] = pattern.exec(head === undefined ? "" : new TextDecoder().decode(head)) ?? []
  return path === undefined ? undefined : files.realPath(toAbsolute("posix", base, path))
}

/** The folders of a repository: its own, and the one that it shares with other worktrees. */
const foldersOf = (files: Files, repository: string): ReadonlyArray<string> => {
  const git = `${repository}/.git`
  const kind = files.fileKind(git)
  const own = kind === "none"
    ? repository
    : kind === "directory"
    ? files.realPath(git)
    : namedBy(files, git, /^gitdir: ([^\n]+)/, repository)
  if (own === undefined) return []
  const common = namedBy(files, `${own}/commondir`, /^([^\n]+)/, own)
  return common === undefined || common === own ? [own] : [own, common]
}

const readLink = (path: string): string | undefined => {
  try {
    return nodeBuiltins()?.getBuiltinModule("node:fs").readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Maximum number of links that are followed, as in the kernel (path_resolution(7)). */
const maxLinks = 40

/** Follows a path from a canonical folder; the path need not exist. Adds the links on the way to `links`. */
const follow = (folder: string, path: string, links: Array<string>): string => {
  let at = path.startsWith("/") ? "" : folder
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue
    if (name === "..") {
      at = at.slice(0, Math.max(0, at.lastIndexOf("/")))
      continue
    }
    const next = `${at}/${name}`
    const target = links.length < maxLinks ? readLink(next) : undefined
    if (target !== undefined) links.push(next)
    at = target === undefined ? next : follow(at, target, links)
  }
  return at
}

/**
 * Targets of the links in a canonical folder, and the links on the way in other folders: a command that replaces one of these
 * leads git elsewhere.
 */
export const linkTargets = (folder: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.flatMap((name) => {
    const links: Array<string> = []
    const end = follow(folder, name, links)
    return links.length === 0 ? [] : [end, ...links.filter((link) => link !== `${folder}/${link.split("/").at(-1)}`)]
  })

/** Targets of a repository's links, which git reads as its parts, or runs as hooks. */
const targetsOf = (files: Files, git: string): ReadonlyArray<string> => {
  const hooks = files.realPath(`${git}/hooks`)
  return [
    ...linkTargets(git, gitParts.map(([name]) => name)),
    ...hooks === undefined ? [] : linkTargets(hooks, files.readNames(hooks)),
  ]
}

/** Parts of a repository outside of its `.git`. Paths are canonical. */
export interface GitFolders {
  /** Folders that are laid out as a `.git`. */
  readonly folders: ReadonlyArray<string>
  /** Files and folders to which links lead, whether or not they exist. */
  readonly targets: ReadonlyArray<string>
}

export const findGitFolders = (files: Files, repository: string): GitFolders => {
  const folders = foldersOf(files, repository)
  return {
    folders: folders.filter((path) => path !== `${repository}/.git`),
    targets: folders.flatMap((path) => targetsOf(files, path)),
  }
}
