/**
 * Decides which settings git gets behind a policy, from those that git lists: removes the programs of a repository's
 * settings, refuses a repository that commands could write, and keeps of user files that commands could write only the
 * settings that run nothing.
 *
 * Commands cannot write a file outside of the roots, or one that is really in a `.git` folder, which only git itself writes
 * behind a policy.
 *
 * Source: git-config(1).
 */
import { isAbsolutePath } from "../base/isAbsolutePath.ts"
import { isOfRepository, type ListedSetting, namesProgram, overridesOf } from "./gitPrograms.ts"
import type { GitSetting } from "./gitVariables.ts"
import { makeNameMatcher } from "./makeNameMatcher.ts"

const harmless = makeNameMatcher(
  `user.name user.email user.signingkey user.useconfigonly author.name author.email committer.name committer.email
  core.abbrev core.attributesfile core.autocrlf core.bare core.bigfilethreshold core.checkstat core.commitgraph
  core.compression core.eol core.excludesfile core.filemode core.fscache core.fsmonitor core.hookspath core.ignorecase
  core.ignorestat core.logallrefupdates core.longpaths core.multipackindex core.precomposeunicode core.preloadindex
  core.protecthfs core.protectntfs core.quotepath core.repositoryformatversion core.safecrlf core.sharedrepository
  core.sparsecheckout core.sparsecheckoutcone core.splitindex core.symlinks core.trustctime core.untrackedcache
  core.whitespace advice.* apply.* blame.* branch.* checkout.* clean.* color.* column.* diff.* gc.* grep.* index.* rerere.*
  stash.* status.* versionsort.* commit.cleanup commit.status commit.verbose extensions.objectformat
  extensions.refstorage extensions.worktreeconfig fetch.all fetch.fsckobjects fetch.negotiationalgorithm fetch.output
  fetch.parallel fetch.prune fetch.prunetags fetch.showforcedupdates fetch.writecommitgraph init.defaultbranch
  log.abbrevcommit log.date log.decorate log.follow log.mailmap merge.autostash merge.branchdesc merge.conflictstyle
  merge.directoryrenames merge.ff merge.log merge.renamelimit merge.renames merge.renormalize merge.stat
  merge.suppressdest pull.ff pull.rebase push.autosetupremote push.default push.followtags push.negotiate
  push.useforceifincludes rebase.autosquash rebase.autostash remote.*.fetch remote.*.prune remote.*.push remote.*.pushurl
  remote.*.tagopt remote.*.url remote.pushdefault safe.directory submodule.active submodule.*.active submodule.*.url
  tag.sort credential.username credential.usehttppath feature.* gpg.format help.autocorrect http.postbuffer
  maintenance.auto maintenance.strategy pack.threads protocol.version tar.umask transfer.fsckobjects`.split(/\s+/),
  false,
)

const isHarmless = (name: string): boolean => harmless(name) && !namesProgram(name)

export interface GitSettings {
  /**
   * The settings of the system and the user that apply. git gets these settings and reads none of their files, which
   * may change before it starts or while it runs.
   */
  readonly user: ReadonlyArray<GitSetting>
  readonly last: ReadonlyArray<GitSetting>
  /** A setting that cannot be overridden, so that git is refused. */
  readonly stays: ListedSetting | undefined
  /** The canonical path of the repository's folder (for a worktree, that of its repository); `undefined` if none was found. */
  readonly folder: string | undefined
  /** Whether its worktrees may have settings that were not listed. */
  readonly hasOwnWorktrees: boolean
}

export interface KeptFiles {
  readonly realPath: (file: string) => string | undefined
  /** Whether a file is outside of the folders that commands may write to. */
  readonly isKept: (file: string) => boolean
  /** Whether a canonical path is within the roots; without roots, always `true`. */
  readonly isInside: (path: string) => boolean
  /** Whether a canonical path is that of a root. */
  readonly isRoot: (path: string) => boolean
  readonly keepsHome: boolean
}

/** Whether a canonical path is in a folder `.git`. */
const inRepository = (path: string): boolean => path.split(/[/\\]/).includes(".git")

export const folderOf = (file: string): string => file.replace(/[/\\][^/\\]*$/, "")

/** The path that a setting names, from the folder of its own canonical file, or from home. */
const namedBy = (file: string, value: string): string =>
  /^~/.test(value) || isAbsolutePath(value) ? value : `${folderOf(file)}/${value}`

const withoutHome: ReadonlyArray<GitSetting> = ["gpg.program", "gpg.x509.program", "gpg.ssh.program"].map((
  name,
) => [name, "false"])

/** Decides about the settings that git lists in a directory, whose path is canonical. */
export const decideSettings = (
  listed: ReadonlyArray<ListedSetting>,
  { isKept, keepsHome, realPath }: KeptFiles,
  directory: string,
): GitSettings => {
  const ofRepository = listed.filter(isOfRepository)
  const ofUser = listed.filter(({ scope }) => scope === "system" || scope === "global")
  const found = new Map<string, string | undefined>()
  /** Path of a listed file; git gives a relative one from the top of the working tree. */
  const find = (file: string): string => {
    if (isAbsolutePath(file)) return file
    for (let at = directory;;) {
      const above = at.replace(/[/\\][^/\\]*$/, "")
      if (above === at || realPath(`${at}/${file}`) !== undefined) return `${at}/${file}`
      at = above
    }
  }
  const realFile = ({ file = "" }: ListedSetting): string | undefined => {
    if (!found.has(file)) found.set(file, realPath(find(file)))
    return found.get(file)
  }
  const isTrusted = (path: string | undefined): boolean => path !== undefined && (inRepository(path) || isKept(path))
  const isOpen = (each: ListedSetting): boolean => {
    const file = realFile(each)
    if (file === undefined || !isTrusted(file)) return true
    // A submodule: its folder may have been replaced by a link.
    if (each.name === "core.worktree") return isKept(namedBy(file, each.value))
    // Files that do not exist or are not included now also count, because a child of git may run on another branch.
    if (each.name === "include.path" || /^includeif\.(?!onbranch:).*\.path$/s.test(each.name)) {
      return !isTrusted(realPath(namedBy(file, each.value)))
    }
    return each.name.startsWith("includeif.")
  }
  const programs = ofRepository.filter(({ name }) => namesProgram(name))
  const stays = programs.find(({ name }) => overridesOf(name) === undefined) ?? ofRepository.find(isOpen)
  // The repository's own file is listed before the files that it includes.
  const config = ofRepository.find(({ scope }) => scope === "local")?.file
  const named = ofRepository.flatMap(({ name }): ReadonlyArray<GitSetting> => {
    const [, submodule] = /^(submodule\..*)\.(?:active|url)$/s.exec(name) ?? []
    // Even if `.gitmodules` says otherwise.
    if (submodule !== undefined) return [[`${submodule}.ignore`, "dirty"]]
    return /^protocol\.(?!(?:https?|ssh|git)\.allow$).*\.allow$/s.test(name) ? [[name, "never"]] : []
  })
  const own = new Set(ofRepository.map(({ name }) => name))
  // Settings of the repository override the user's. Settings of included files are in the list.
  const user = ofUser.filter((each) => {
    if (own.has(each.name) || each.name.startsWith("include")) return false
    const file = realFile(each)
    return isHarmless(each.name) || (file !== undefined && isKept(file))
  })
  return {
    user: user.map(({ name, value }) => [name, value]),
    last: [...named, ...programs.flatMap(({ name }) => overridesOf(name) ?? []), ...(keepsHome ? [] : withoutHome)],
    stays,
    folder: config === undefined ? undefined : realPath(folderOf(find(config))),
    hasOwnWorktrees: ofRepository.some(({ name }) => /^(?:extensions\.worktreeconfig$|includeif\.)/.test(name)),
  }
}
