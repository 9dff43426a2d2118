/**
 * Wraps a shell so that git runs no program that a repository's settings name: before each command that is or starts git,
 * git lists these settings, and the command gets others that override them. In between, a background job of a script may
 * write files that settings include from outside of `.git`.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Scope from "effect/Scope"
import { quoteIfNeeded } from "../base/quote.ts"
import { listSettings, readSettings } from "./gitPrograms.ts"
import { addGitSettings, type GitSetting } from "./gitVariables.ts"
import { reveal } from "../command/Secret.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { Shell } from "../shell/Shell.ts"
import type { LeafRunOptions, ShellService } from "../shell/ShellService.ts"
import { launchedCommands } from "./launchedCommands.ts"
import { onlyInFolders } from "./onlyInFolders.ts"
import { decideSettings, folderOf, type GitSettings, type KeptFiles } from "./gitSettings.ts"
import { submoduleSettings } from "./submoduleSettings.ts"
import { readsOnlyInside } from "./readsOnlyInside.ts"
import { joined } from "./paths.ts"
import { normalizeCommandName } from "./normalizeCommandName.ts"
import { notAllowed, toShellFault, withoutSecrets } from "./PolicyRefusal.ts"

export interface GitCall {
  readonly place: ReadonlyArray<string>
  readonly command: ReadonlyArray<string>
}

/** Words before the command that change the directory; a policy allows no other such words. */
export const callOf = ([, ...words]: ReadonlyArray<string>): GitCall => {
  const place: Array<string> = []
  let at = 0
  for (; words[at]?.startsWith("-") === true; at++) {
    if (words[at] === "-C") place.push(words[++at] ?? "")
    else if (words[at] === "-c") at++
  }
  return { place, command: words.slice(at) }
}

export const gitCommands = (words: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  [words, ...launchedCommands(words).filter((each) => each !== "unknown")]
    .filter(([program = ""]) => normalizeCommandName(program, "windows") === "git")

/** Time limit for git to read its settings: a repository could include a named pipe. */
const maxMillis = 10_000

const maxOutputBytes = 1024 * 1024

/** Maximum number of calls of git in one command: settings are listed for each. */
const maxCalls = 32

/** Also passed to git's child processes, which get no settings by other variables. */
const withoutUserFiles = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" }
const withoutSshFiles = { GIT_SSH_COMMAND: "ssh -F none" }

/**
 * Whether the `.git` that git finds from a directory upward is directly in a root, where people put it, such as a
 * worktree's.
 */
const isOfRoot = (directory: string, { isRoot, realPath }: Pick<KeptFiles, "isRoot" | "realPath">): boolean => {
  const above = folderOf(directory)
  return realPath(`${directory}/.git`) === undefined && above !== directory
    ? isOfRoot(above, { isRoot, realPath })
    : isRoot(directory)
}

/** The reason why git is refused in a repository with these settings, found from a directory upward. */
const whyRefused = (
  { folder, stays }: GitSettings,
  kept: KeptFiles,
  directory?: string,
): string | undefined => {
  const { isInside, realPath } = kept
  if (stays !== undefined) {
    const place = stays.file === undefined ? "" : ` in ${quoteIfNeeded(stays.file)}`
    return `in a repository with the setting ${
      quoteIfNeeded(stays.name)
    }${place}: git may run a program or write elsewhere because of it, or commands may write that file`
  }
  if (folder === undefined || (directory !== undefined && isOfRoot(directory, kept))) return undefined
  const outside = [folder, realPath(`${folder}/objects`) ?? folder].find((path) => !isInside(path))
  if (outside !== undefined) {
    return `because the repository's folder ${
      quoteIfNeeded(outside)
    } is outside of the allowed roots: allow it as a root`
  }
  return realPath(`${folder}/objects/info/alternates`) === undefined || isInside("/")
    ? undefined
    : `because the repository uses the objects of another one (${quoteIfNeeded(folder)}/objects/info/alternates)`
}

/**
 * Lists the settings of the repositories in which git is called, and returns the command with settings that override
 * them.
 */
const guarded = (
  shell: ShellService,
  exec: ShellExec,
  calls: ReadonlyArray<ReadonlyArray<string>>,
  options: LeafRunOptions | undefined,
  kept: KeptFiles,
): Effect.Effect<ShellExec, ShellFault, Scope.Scope> =>
  Effect.gen(function* () {
    const refuse = (why: string): ShellFault =>
      toShellFault(exec.commandId, withoutSecrets(notAllowed("launchers", "git", `"git" is not allowed ${why}`), exec))
    const { constraints, signal } = options ?? {}
    const here = shell.files?.directory(exec.workingDirectory ?? ".")
    const start = here?._tag === "Seen" ? here.seen.file : "/"
    if (calls.length > maxCalls) return yield* refuse(`more than ${maxCalls} times in one command`)
    const found = yield* Effect.forEach(calls, (call) => {
      const [program = "git"] = call
      const { command, place } = callOf(call)
      const written = place.reduce(joined, start)
      const at = kept.realPath(written) ?? written
      const isDirect = program === exec.command
      const limits = isDirect || constraints === undefined ? constraints : { ...constraints, program: undefined }
      const all: LeafRunOptions = { constraints: limits, signal, admission: false }
      /** The output of a git command that runs no program. */
      const ask = (words: ReadonlyArray<string>) =>
        Shell.run(
          ShellExec.make(program, [...place.flatMap((path) => ["-C", path]), ...words], {
            cwd: exec.workingDirectory,
            env: exec.environment,
            extendEnv: exec.inheritEnvironment,
            localBin: exec.localBin,
            timeout: maxMillis,
            maxOutputBytes,
          }),
          all,
        ).pipe(
          Effect.provideService(Shell, shell),
          Effect.mapError(({ message }) => refuse(`because its settings cannot be listed: ${message}`)),
          Effect.filterOrFail(
            ({ exitCode, stdoutBytesOmitted }) => stdoutBytesOmitted === 0 && exitCode === 0,
            ({ stderr }) => refuse(`because its settings cannot be listed: ${quoteIfNeeded(stderr.trim())}`),
          ),
          Effect.map(({ stdout }) => readSettings(stdout)),
        )
      return Effect.gen(function* () {
        const listed = yield* ask(listSettings)
        const decided = decideSettings(listed, kept, at)
        const { folder } = decided
        const others = command[0] !== "submodule" || folder === undefined
          ? []
          : yield* submoduleSettings(folder, listed, kept, ask)
        return {
          at,
          decided: [decided, ...others] as const,
          readsFiles: isDirect && readsOnlyInside(command, at, listed, kept),
          // These commands make the repository, so there are no settings yet.
          makesOwn: /^(?:clone|init)$/.test(command[0] ?? ""),
        }
      })
    })
    const all = found.flatMap(({ decided }) => decided)
    for (const { at, decided: [own, ...others] } of found) {
      const why = [whyRefused(own, kept, at), ...others.map((each) => whyRefused(each, kept))]
        .find((each) => each !== undefined)
      if (why !== undefined) return yield* refuse(why)
    }
    const folders = all.flatMap(({ folder, hasOwnWorktrees }) =>
      folder === undefined ? [] : [{ folder, hasOwnWorktrees }]
    )
    const bounds = folders.length === 0 || found.every(({ makesOwn }) => makesOwn)
      ? []
      : yield* Effect.mapError(onlyInFolders(folders), (why) => refuse(`where no file can be created: ${why}`))
    const files: GitSetting = ["protocol.file.allow", found.every(({ readsFiles }) => readsFiles) ? "user" : "never"]
    const variables: ShellExec["environment"] = {
      ...exec.environment,
      ...withoutUserFiles,
      // ssh has settings in the home folder, too.
      ...(!kept.keepsHome && exec.environment?.["GIT_SSH_COMMAND"] === "ssh" ? withoutSshFiles : undefined),
    }
    const last = [...all.flatMap((each) => each.last), files, ...bounds]
    return new ShellExec({ ...exec, environment: addGitSettings(variables, all.flatMap(({ user }) => user), last) })
  })

/** Wraps a leaf, below the policy. `kept`: the files that commands cannot have written. */
export const withGitGuard = (shell: ShellService, kept: KeptFiles): ShellService => {
  const asked = <A>(
    exec: ShellExec,
    options: LeafRunOptions | undefined,
    run: (exec: ShellExec, options?: LeafRunOptions) => Stream.Stream<A, ShellFault>,
  ): Stream.Stream<A, ShellFault> => {
    const words = [exec.command, ...exec.arguments.map((word) => reveal(word) ?? "")]
    const calls = gitCommands(exec.useShell ? ["sh", "-c", exec.command] : words)
    if (calls.length === 0) return run(exec, options)
    return Stream.unwrap(Effect.map(guarded(shell, exec, calls, options, kept), (ready) =>
      // The resolved command has different variables.
      run(ready, { ...options, resolved: undefined })))
  }
  return {
    ...shell,
    exec: (exec, options) => asked(exec, options, shell.exec),
    bytes: (exec, options) => asked(exec, options, shell.bytes),
  }
}
