/**
 * Finds the files and folders that git reads for the repositories of writable folders: their configuration with its
 * includes, and the folder of their hooks.
 *
 * `git config` runs no program of the repository.
 *
 * Source: git-config(1).
 */
import * as Effect from "effect/Effect"
import { quote } from "../../base/quote.ts"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { OptionError } from "../../base/OptionError.ts"
import type { Host } from "../../host/Host.ts"
import { toAbsolute } from "../../host/paths.ts"
import { runToEnd } from "../../host/runToEnd.ts"
import { findGitFolders, linkTargets } from "./findGitFolders.ts"
import { findNested } from "./findNested.ts"

/** A file or folder that git reads, whether or not it exists. */
export interface GitPath {
  readonly path: string
  readonly kind: "file" | "folder"
}

/**
 * Parses `git config --list --show-origin --null`: `file:PATH`, NUL, `NAME`, line feed, `VALUE`, NUL, … An included file that
 * is missing or empty is only in the value of the entry that includes it. `home`: what `~` stands for.
 */
const parseOrigins = (output: string, folder: string, home: string): ReadonlyArray<GitPath> => {
  const fields = output.split("\0")
  const paths = new Map<string, GitPath>()
  const add = (base: string, path: string, kind: GitPath["kind"]): void => {
    const given = path.replace(/^~(?=\/)/, home).replace(/(?<=.)\/+$/, "")
    // The home folder of another user.
    if (given.startsWith("~")) return
    const absolute = toAbsolute("posix", base, given)
    paths.set(absolute, { path: absolute, kind })
  }
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [origin, entry] = [fields[at] ?? "", fields[at + 1] ?? ""]
    if (!origin.startsWith("file:")) continue
    const file = toAbsolute("posix", folder, origin.slice(5))
    add(folder, file, "file")
    const [, name, value] = /^([^\n]+)\n([^]+)$/.exec(entry) ?? []
    if (name === undefined || value === undefined) continue
    if (name === "core.hookspath") add(folder, value, "folder")
    if (/^include(?:if\..*)?\.path$/.test(name)) add(file.slice(0, file.lastIndexOf("/")) || "/", value, "file")
  }
  return [...paths.values()]
}

/** Removes `..` from a path whose last part may be missing. */
const canonical = (host: Host, path: string): string => {
  const slash = path.lastIndexOf("/")
  const folder = host.realPath(path.slice(0, slash) || "/")
  return host.realPath(path) ?? (folder === undefined ? path : `${folder === "/" ? "" : folder}${path.slice(slash)}`)
}

/** The repository to whose working tree a folder belongs. */
const repositoryOf = (host: Host, folder: string): string | undefined => {
  if (host.fileKind(`${folder === "/" ? "" : folder}/.git`) !== "none") return folder
  return folder === "/" ? undefined : repositoryOf(host, folder.slice(0, folder.lastIndexOf("/")) || "/")
}

/**
 * Time limit for git to read all configurations. A command could make one that never ends: a FIFO, or files that include
 * each other.
 */
const defaultMaxMillis = 10_000

const tookTooLong = "git did not answer in time"

/**
 * The paths of a repository, or the reason why git cannot list them. `deadline`: when git is killed, by the clock of
 * `performance`.
 */
const readOrigins = async (
  host: Host,
  git: string,
  repository: string,
  deadline: number,
): Promise<ReadonlyArray<GitPath> | string> => {
  const home = host.variable("HOME") ?? "/"
  const { exitCode, stderr, stdout } = await runToEnd(host, {
    file: git,
    // Git ignores the configuration of another user's repository, but its owner's git reads it.
    args: ["-C", repository, "-c", "safe.directory=*", "config", "--list", "--show-origin", "--null", "--includes"],
    env: { clear: true, set: { PATH: "/usr/bin:/bin", HOME: home, LC_ALL: "C" } },
    cwd: "/",
  }, Math.max(0, deadline - performance.now())).catch((error) => ({ exitCode: 1, stdout: "", stderr: String(error) }))
  if (performance.now() >= deadline) return tookTooLong
  // A `.git` that leads nowhere: git reads no repository there.
  if (stderr.includes("not a git repository")) return []
  // Cut output has no end.
  if (exitCode !== 0 || !stdout.endsWith("\0")) return stderr.trim() || `exit code ${exitCode}`
  return parseOrigins(stdout, repository, home).map(({ kind, path }) => ({ kind, path: canonical(host, path) }))
}

/**
 * Maximum number of protected files: a command could make a repository that includes any number of files, and engines accept
 * a limited number of words.
 */
const maxPaths = 500

export interface GitFiles {
  /** Repositories below the writable folders. */
  readonly nested: ReadonlyArray<string>
  /** Folders of repositories that are not called `.git`. */
  readonly folders: ReadonlyArray<string>
  readonly paths: ReadonlyArray<GitPath>
}

/**
 * Finds the repositories of writable folders and their paths; without git, not the paths in configurations. Fails if git
 * cannot read a configuration.
 */
export const findGitFiles = (
  host: Host,
  writable: ReadonlyArray<string>,
  maxMillis: number = defaultMaxMillis,
): Effect.Effect<GitFiles, OptionError> =>
  Effect.gen(function* () {
    const nested = yield* attemptOptions(() => writable.flatMap((folder) => findNested(host, folder)))
    const own = new Set(writable.flatMap((folder) => repositoryOf(host, folder) ?? []))
    const repositories = [...new Set([...own, ...nested])]
    const kept = repositories.map((repository) => findGitFolders(host, repository))
    const folders = [...new Set(kept.flatMap((each) => each.folders))]
    const withKind = (path: string): GitPath => ({
      path,
      kind: host.fileKind(path) === "directory" ? "folder" : "file",
    })
    const targets = kept.flatMap((each) => each.targets).map(withKind)
    const git = ["/usr/bin/git", "/usr/local/bin/git", "/bin/git"].find((path) =>
      host.fileKind(path) === "executable" && host.mayRun(path)
    )
    if (git === undefined) return { nested, folders, paths: targets }
    const deadline = performance.now() + maxMillis
    const found = yield* Effect.forEach(
      repositories,
      (repository) =>
        Effect.flatMap(Effect.promise(() => readOrigins(host, git, repository, deadline)), (origins) => {
          if (typeof origins !== "string") return Effect.succeed(origins)
          // The whole `.git` of a nested repository is read-only, so no command can repair it.
          if (!own.has(repository) && origins !== tookTooLong) return Effect.succeed([])
          return Effect.fail(
            new OptionError(
              "writable",
              `IsolatedShell: git cannot read the configuration of ${
                quote(repository)
              }, so its hooks cannot be protected: ` +
                (origins === tookTooLong
                  ? `${tookTooLong}, because of a named pipe there, or files that include each other: remove these`
                  : `repair what \`git config --list\` reports there (${origins})`),
            ),
          )
        }),
      { concurrency: 4 },
    )
    const hooks = found.flat().filter(({ kind }) => kind === "folder")
      .flatMap(({ path }) => linkTargets(path, host.readNames(path))).map(withKind)
    const paths = [...new Map([...targets, ...hooks, ...found.flat()].map((each) => [each.path, each])).values()]
    if (paths.length <= maxPaths) return { nested, folders, paths }
    return yield* Effect.fail(
      new OptionError(
        "writable",
        `IsolatedShell: git reads more than ${maxPaths} files for the repositories of ${
          writable.map(quote).join(", ")
        }, too many to protect: ` +
          "remove the repository whose configuration includes them",
      ),
    )
  })
