/**
 * Wraps a shell so that git runs no program that the settings of a repository name: before each command that is git, or starts
 * it, git lists these settings, and the command gets others that go before them.
 *
 * Between the two a script's background job may write files that settings include from outside of `.git`, and a program
 * that writes any file may write the settings themselves.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { listSettings, readSettings } from "../base/gitPrograms.ts"
import { addGitSettings } from "../base/gitVariables.ts"
import { reveal } from "../command/Secret.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { Shell } from "../shell/Shell.ts"
import type { LeafRunOptions, ShellService } from "../shell/ShellService.ts"
import { launchedCommands } from "./launchedCommands.ts"
import { decideSettings, type KeptFiles } from "./gitSettings.ts"
import { isAbsolutePath, quoteForMessage } from "./nameMatcher.ts"
import { normalizeCommandName } from "./normalizeCommandName.ts"
import { notAllowed, toShellFault, withoutSecrets } from "./Refusal.ts"

/** A call of git: the directories of its `-C`, and the words from its command on. */
export interface GitCall {
  readonly place: ReadonlyArray<string>
  readonly command: ReadonlyArray<string>
}

/** Words before the command that lead elsewhere. Behind a policy git gets no other ones that do. */
export const callOf = ([, ...words]: ReadonlyArray<string>): GitCall => {
  const place: Array<string> = []
  let at = 0
  for (; words[at]?.startsWith("-") === true; at++) {
    if (words[at] === "-C") place.push(words[++at] ?? "")
    else if (words[at] === "-c") at++
  }
  return { place, command: words.slice(at) }
}

/** The commands that are git among a command with its arguments and those that it starts. */
export const gitCommands = (words: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  [words, ...launchedCommands(words).filter((each) => each !== "unknown")]
    .filter(([program = ""]) => normalizeCommandName(program, "windows") === "git")

/** The beginnings of the calls of git in a command: the name and where it works, each once. */
export const gitStarts = (words: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const starts = gitCommands(words).map((
    each,
  ) => [each[0] ?? "", ...callOf(each).place.flatMap((path) => ["-C", path])])
  return [...new Map(starts.map((start) => [start.join("\0"), start])).values()]
}

/** Time in which git reads its settings. A repository could include a named pipe. */
const maxMillis = 10_000

const maxOutputBytes = 1024 * 1024

/** Also for what git starts itself, which gets no settings by other variables. */
const withoutUserFiles = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" }
const withoutSshFiles = { GIT_SSH_COMMAND: "ssh -F none" }

/** Asks git for the settings of the repositories where it is called; the command with those that go before them. */
const guarded = (
  shell: ShellService,
  exec: ShellExec,
  calls: ReadonlyArray<ReadonlyArray<string>>,
  options: LeafRunOptions | undefined,
  kept: KeptFiles,
): Effect.Effect<ShellExec, ShellFault> =>
  Effect.gen(function* () {
    const refuse = (why: string): ShellFault =>
      toShellFault(exec.commandId, withoutSecrets(notAllowed("launchers", "git", `"git" is not allowed ${why}`), exec))
    const { constraints, signal } = options ?? {}
    const here = shell.files?.directory(exec.workingDirectory ?? ".")
    const start = here?._tag === "Seen" ? here.seen.file : "/"
    const found = yield* Effect.forEach(calls, ([program = "git", ...place]) => {
      const list = ShellExec.make(program, [...place, ...listSettings], {
        cwd: exec.workingDirectory,
        env: exec.environment,
        extendEnv: exec.inheritEnvironment,
        localBin: exec.localBin,
        timeout: maxMillis,
        maxOutputBytes,
      })
      const at = place.filter((word) => word !== "-C")
        .reduce((from, path) => isAbsolutePath(path) ? path : `${from}/${path}`, start)
      const isDirect = program === exec.command
      const limits = isDirect || constraints === undefined ? constraints : { ...constraints, program: undefined }
      const all: LeafRunOptions = { constraints: limits, signal, admission: false }
      return Shell.run(list, all).pipe(
        Effect.provideService(Shell, shell),
        Effect.mapError(({ message }) => refuse(`where its settings cannot be listed: ${message}`)),
        Effect.filterOrFail(
          ({ exitCode, stdoutBytesOmitted }) => stdoutBytesOmitted === 0 && exitCode === 0,
          ({ stderr }) => refuse(`where its settings cannot be listed: ${quoteForMessage(stderr.trim())}`),
        ),
        Effect.map(({ stdout }) => decideSettings(readSettings(stdout), kept, kept.realPath(at) ?? at)),
      )
    })
    const stays = found.find((each) => each.stays !== undefined)?.stays
    if (stays !== undefined) {
      const place = stays.file === undefined ? "" : ` in ${quoteForMessage(stays.file)}`
      return yield* refuse(
        `where a repository has the setting ${
          quoteForMessage(stays.name)
        }${place}: by it git may run a program or write elsewhere, or commands may write that file`,
      )
    }
    const variables: ShellExec["environment"] = {
      ...exec.environment,
      ...withoutUserFiles,
      // ssh has settings in the home folder, too.
      ...(!kept.keepsHome && exec.environment?.["GIT_SSH_COMMAND"] === "ssh" ? withoutSshFiles : undefined),
    }
    const environment = addGitSettings(variables, found.flatMap(({ user }) => user), found.flatMap(({ last }) => last))
    return new ShellExec({ ...exec, environment })
  })

/**
 * Wraps a leaf, below the policy: it takes commands that are decided, with the settings that the policy gives git. `kept`: the
 * files that commands cannot have written.
 */
export const withGitGuard = (shell: ShellService, kept: KeptFiles): ShellService => {
  const asked = <A>(
    exec: ShellExec,
    options: LeafRunOptions | undefined,
    run: (exec: ShellExec, options?: LeafRunOptions) => Stream.Stream<A, ShellFault>,
  ): Stream.Stream<A, ShellFault> => {
    const words = [exec.command, ...exec.arguments.map((word) => reveal(word) ?? "")]
    const calls = gitStarts(exec.useShell ? ["sh", "-c", exec.command] : words)
    if (calls.length === 0) return run(exec, options)
    return Stream.unwrap(Effect.map(guarded(shell, exec, calls, options, kept), (ready) =>
      // What it was resolved to has other variables.
      run(ready, { ...options, resolved: undefined })))
  }
  return {
    ...shell,
    exec: (exec, options) => asked(exec, options, shell.exec),
    bytes: (exec, options) => asked(exec, options, shell.bytes),
  }
}
