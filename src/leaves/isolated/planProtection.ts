/**
 * Plans the mounts that keep files in writable folders from being written: what programs outside of the walls would run
 * (hooks and configuration of git, start-up files of shells, settings of editors and agents) or trust (`.env`, keys).
 *
 * A mount protects its own name from renames, but not the names of the folders above it. For this reason `.git` is
 * mounted on itself: it cannot be moved away and replaced.
 */
import { quote } from "../../base/quote.ts"
import { keyFolders, startupFiles, workspaceNames } from "../../base/protectedNames.ts"
import { OptionError } from "../../base/OptionError.ts"
import type { Host } from "../../host/Host.ts"
import type { GitFiles } from "./findGitFiles.ts"
import { gitParts } from "./findGitFolders.ts"
import { isWithin } from "../../host/paths.ts"
import type { Mount } from "./Mount.ts"
import type { Placeholder } from "./placeholders.ts"

/** A protected mount, and its placeholder where nothing exists. */
export interface Protection {
  readonly mount: Mount
  /** Without a placeholder, the mount is left out if nothing exists. */
  readonly placeholder?: Placeholder | undefined
}

type Files = Pick<Host, "fileKind" | "isLink">

/** All folders above a path but the root. */
const foldersAbove = (path: string): ReadonlyArray<string> => {
  const names = path.split("/")
  return names.slice(2).map((_, index) => names.slice(0, index + 2).join("/"))
}

const readOnly = (path: string): Mount => ({ _tag: "ReadOnly", path })

const refuseLink = (files: Files, path: string): void => {
  if (!files.isLink(path)) return
  throw new OptionError(
    "writable",
    `IsolatedShell: ${
      quote(path)
    } is a symbolic link, and cannot be protected from commands: replace it with its target`,
  )
}

/** Keeps a file or a folder as it is, or missing. */
const keep = (files: Files, path: string, kind: "file" | "folder", content: string = ""): Protection => {
  refuseLink(files, path)
  return { mount: readOnly(path), placeholder: { path, content: kind === "file" ? content : undefined } }
}

const keepParts = (files: Files, git: string): ReadonlyArray<Protection> =>
  gitParts.map(([name, kind, content]) => keep(files, `${git}/${name}`, kind, content))

/**
 * Protects the name and the parts of a folder of git. A part that is a link could be replaced: then the whole folder is
 * read-only.
 */
const keepRepository = (files: Files, git: string): ReadonlyArray<Protection> =>
  gitParts.some(([name]) => files.isLink(`${git}/${name}`))
    ? [{ mount: readOnly(git) }]
    : [{ mount: { _tag: "Writable", path: git } }, ...keepParts(files, git)]

const keepNested = (files: Files, folder: string, git: string): ReadonlyArray<Protection> => {
  refuseLink(files, git)
  return [...keepAbove(folder, git), { mount: readOnly(git) }]
}

/**
 * Prevents a folder without `.git` from becoming a bare repository, which has `refs`, `objects` and `HEAD`. The first
 * missing one of these becomes a file, which git does not accept. Not done next to a `.git`, because git would add that
 * file to commits.
 */
const keepFromBare = (files: Files, folder: string): ReadonlyArray<Protection> => {
  const missing = ["refs", "objects", "HEAD"].find((name) => files.fileKind(`${folder}/${name}`) === "none")
  return missing === undefined ? keepParts(files, folder) : [keep(files, `${folder}/${missing}`, "file")]
}

/** Protects the repository whose working tree is the folder; if there is none, prevents commands from making one. */
const protectRepository = (files: Files, folder: string): ReadonlyArray<Protection> => {
  const git = `${folder}/.git`
  refuseLink(files, git)
  if (files.fileKind(git) !== "directory") return [keep(files, git, files.fileKind(git) === "none" ? "folder" : "file")]
  return keepRepository(files, git)
}

/**
 * Keeps the names of the folders between a writable folder and a protected path below it, which could otherwise be moved
 * away with the path.
 */
const keepAbove = (folder: string, path: string): ReadonlyArray<Protection> => {
  const names = path.slice(folder.length + 1).split("/").slice(0, -1)
  return names.map((_, index): Protection => ({
    mount: { _tag: "Writable", path: `${folder}/${names.slice(0, index + 1).join("/")}` },
  }))
}

/**
 * Protects the folders above each path of the plan that is in a writable folder. If one were replaced by a link, the
 * mounts of the next command would lead out of the walls, or show a hidden file.
 */
export const keepPlanned = (
  mounts: ReadonlyArray<Mount>,
  writable: ReadonlyArray<string>,
  protections: ReadonlyArray<Protection>,
): ReadonlyArray<Protection> =>
  mounts.flatMap(({ path }) =>
    writable.filter((folder) => isWithin(path, folder)).flatMap((folder) => keepAbove(folder, path))
  ).filter(({ mount: { path } }) =>
    // A writable mount below a read-only one would weaken that.
    !protections.some(({ mount }) => mount._tag === "ReadOnly" && isWithin(path, mount.path))
  )

/** Protects a path below a folder. If a folder above the path is missing, that folder stays missing. */
const keepBelow = (files: Files, folder: string, path: string, kind: "file" | "folder"): ReadonlyArray<Protection> => {
  const above = keepAbove(folder, path)
  const missing = above.findIndex(({ mount }) => files.fileKind(mount.path) === "none")
  const first = above[missing]
  if (first !== undefined) return [...above.slice(0, missing), keep(files, first.mount.path, "folder")]
  return [...above, keep(files, path, kind)]
}

const protectHome = (files: Files, home: string): ReadonlyArray<Protection> => [
  ...startupFiles.map((name) => keep(files, `${home}/${name}`, "file")),
  ...[...keyFolders, ".config"].map((name) => keep(files, `${home}/${name}`, "folder")),
]

/**
 * Protects the start-up files that a folder has although it is no home. Those that are missing no program reads there, and
 * placeholders and mounts for all of them would fill the folder, and double the time that walls take.
 */
const protectPresent = (files: Files, folder: string): ReadonlyArray<Protection> =>
  [...startupFiles, ...keyFolders].filter((name) => files.fileKind(`${folder}/${name}`) !== "none")
    .map((name) => keep(files, `${folder}/${name}`, "file"))

/**
 * Protects files that editors and other programs trust in any folder. A missing one is replaced by a folder, which git
 * ignores.
 */
const protectWorkspace = (files: Files, folder: string): ReadonlyArray<Protection> => [
  keep(files, `${folder}/.env`, "file"),
  ...workspaceNames.map((name) => keep(files, `${folder}/${name}`, "folder")),
]

/** Facts of a machine that the plan needs. */
export interface ProtectionInput {
  readonly writable: ReadonlyArray<string>
  /** Home folders of users, writable or not. */
  readonly homes: ReadonlyArray<string>
  /** Further names, relative to each writable folder. */
  readonly names: ReadonlyArray<string>
  readonly git: GitFiles
}

/**
 * Leaves out paths below a read-only folder, and mounts that would make a protected path writable again: of two mounts of a
 * path the later one counts.
 */
const withoutWeaker = (protections: ReadonlyArray<Protection>): ReadonlyArray<Protection> => {
  const kept = new Set(protections.flatMap(({ mount }) => mount._tag === "ReadOnly" ? [mount.path] : []))
  return protections.filter(({ mount: { _tag, path } }) =>
    (_tag === "ReadOnly" || !kept.has(path)) && !foldersAbove(path).some((folder) => kept.has(folder))
  )
}

/** Plans the protection of all writable folders. */
export const planProtection = (
  files: Files,
  { git: { folders, nested, paths }, homes, names, writable }: ProtectionInput,
): ReadonlyArray<Protection> =>
  withoutWeaker(writable.flatMap((folder) => [
    ...nested.filter((repository) => isWithin(repository, folder) && !writable.includes(repository))
      .map((repository) => `${repository}/.git`).filter((git) => files.fileKind(git) !== "none")
      .flatMap((git) => keepNested(files, folder, git)),
    ...folders.filter((git) => git !== folder && isWithin(git, folder))
      .flatMap((git) => [...keepAbove(folder, git), ...keepRepository(files, git)]),
    ...protectRepository(files, folder),
    ...(files.fileKind(`${folder}/.git`) === "none" ? keepFromBare(files, folder) : []),
    ...protectWorkspace(files, folder),
    ...homes.filter((home) => isWithin(home, folder)).flatMap((home) => protectHome(files, home)),
    ...(homes.includes(folder) ? [] : protectPresent(files, folder)),
    ...names.flatMap((name) => {
      const path = `${folder}/${name}`
      return keepBelow(files, folder, path, files.fileKind(path) === "directory" ? "folder" : "file")
    }),
    ...paths.filter(({ path }) => path !== folder && isWithin(path, folder))
      .flatMap(({ kind, path }) => keepBelow(files, folder, path, kind)),
  ]))
