/**
 * Decides about one command by its program or script, directory, variables, timeout and output limit; returns the
 * command to run in its place with what must stay the same, or the fault that refuses it.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { utf8Length } from "../base/utf8.ts"
import { reveal } from "../command/Secret.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { quoteWord } from "../shell-language/ShellLanguage.ts"
import { validateExec } from "../shell/validateExec.ts"
import { knownArguments } from "./Argument.ts"
import { checkArguments } from "./checkArguments.ts"
import { allowDirectory } from "./allowDirectory.ts"
import { mayHold } from "./EnvironmentRule.ts"
import { gitDefaults, gitSettings } from "./gitEnvironment.ts"
import type { FileSnapshot, LeafFiles, SpawnConstraints } from "../shell/LeafFiles.ts"
import { notAllowed, type Refusal, toShellFault } from "./Refusal.ts"
import type { CompiledRules } from "./CompiledRules.ts"
import { type CheckedScript, ScriptCheck } from "./script/ScriptCheck.ts"
import { inBraces } from "./script/ScriptTexts.ts"

/** A command that may run, and what has to be the same when it starts. */
export interface Decision {
  readonly exec: ShellExec
  readonly pinned: SpawnConstraints | undefined
}

type Step<A> = Result.Result<A, Refusal>

const seconds = (time: Duration.Duration): string => `${Duration.toMillis(time) / 1_000} s`

const timeoutOf = (exec: ShellExec, { policy }: CompiledRules): Step<Duration.Duration | undefined> => {
  const { defaultTimeout, maxTimeout } = policy
  const asked = exec.timeout ?? defaultTimeout ?? maxTimeout
  if (exec.timeout !== undefined && maxTimeout !== undefined && Duration.isGreaterThan(exec.timeout, maxTimeout)) {
    const issue = `a timeout of ${seconds(exec.timeout)} is above the ${seconds(maxTimeout)} that are allowed`
    return Result.fail(notAllowed("maxTimeout", seconds(exec.timeout), issue))
  }
  return Result.succeed(
    asked !== undefined && maxTimeout !== undefined && Duration.isGreaterThan(asked, maxTimeout) ? maxTimeout : asked,
  )
}

const budgetOf = (exec: ShellExec, { policy: { maxOutputBytes } }: CompiledRules): Step<number | undefined> => {
  if (maxOutputBytes === undefined || exec.maxOutputBytes === undefined) {
    return Result.succeed(exec.maxOutputBytes ?? maxOutputBytes)
  }
  if (exec.maxOutputBytes <= maxOutputBytes) return Result.succeed(exec.maxOutputBytes)
  const issue = `an output of ${exec.maxOutputBytes} bytes is above the ${maxOutputBytes} that are allowed`
  return Result.fail(notAllowed("maxOutputBytes", String(exec.maxOutputBytes), issue))
}

const directoryOf = (
  exec: ShellExec,
  { files, guardsRepositories, policy, roots }: CompiledRules,
): Step<FileSnapshot | undefined> => {
  const workingDirectory = exec.workingDirectory ?? policy.defaultCwd
  if (workingDirectory === undefined) return Result.succeed(undefined)
  if (files !== undefined) return allowDirectory(files, roots, workingDirectory, guardsRepositories)
  return roots === undefined
    ? Result.succeed(undefined)
    : Result.fail(notAllowed("allowedCwdRoots", workingDirectory, "cwd is not allowed: this leaf cannot look at it"))
}

/** What runs: the command itself, or bash with the script that was checked. */
interface Program {
  readonly fields: Partial<Pick<ShellExec, "command" | "arguments" | "useShell">>
  readonly environment?: Readonly<Record<string, string | null>>
  readonly program: FileSnapshot | undefined
}

/** Whether everything may run, with whatever arguments. */
const isUnchecked = ({ commands, policy }: CompiledRules): boolean =>
  commands.any && policy.code !== "refuse" && Object.keys(policy.argumentRules ?? {}).length === 0

const argvOf = (exec: ShellExec, rules: CompiledRules): Step<Program> =>
  Result.gen(function* () {
    const program = yield* rules.commands.allow(exec.command)
    const words = exec.arguments.map((word) => reveal(word) ?? "")
    const refused = isUnchecked(rules) ? undefined : checkArguments(rules, exec.command, program, knownArguments(words))
    if (refused !== undefined) return yield* Result.fail(refused)
    return { fields: {}, program }
  })

/** Takes away what names an encoding in which ASCII is not ASCII; what the command was given was looked at before. */
const plainLocale = ({ environment = {} }: ShellExec, files: LeafFiles | undefined): Record<string, string | null> => {
  const others = ["LC_ALL", "LC_CTYPE", "LANG"].filter((name) =>
    environment[name] === undefined && !mayHold(name, files?.variable(name) ?? "")
  )
  const removed: Record<string, string | null> = Object.fromEntries(others.map((name) => [name, null]))
  return others.length === 0 || environment["LC_ALL"] !== undefined ? removed : { ...removed, LC_ALL: "C.UTF-8" }
}

/** The most bytes that Linux takes as one argument, but for its NUL (MAX_ARG_STRLEN). */
const maxArgumentBytes = 131_071

/** bash without the files and variables that it would read first (`-p`), told where the names of the script lead. */
const bashOf = (
  exec: ShellExec,
  bash: FileSnapshot,
  { kept, prelude, programs, text }: CheckedScript,
  { files }: CompiledRules,
): Program & { readonly script: string } => {
  // Not every environment shows all that is in it: Deno's only what it was allowed.
  const own = [...kept].map((name) => `export -n ${quoteWord(name)}; `)
  const places = [...programs].map(([name, { path }]) => `hash -p ${quoteWord(path)} ${quoteWord(name)}; `)
  const script = inBraces([...own, ...places, prelude].join("") + text)
  return {
    script,
    fields: {
      command: bash.path,
      arguments: ["-p", "-c", script, "bash"],
      useShell: false,
    },
    environment: {
      // In this mode bash reads scripts otherwise, and no option of its own turns it off.
      ...(files?.variable("POSIXLY_CORRECT") === undefined ? undefined : { POSIXLY_CORRECT: null }),
      ...plainLocale(exec, files),
    },
    program: bash,
  }
}

const scriptOf = (exec: ShellExec, rules: CompiledRules): Step<Program> =>
  Result.gen(function* () {
    const { commands, files, platform, policy } = rules
    if (isUnchecked(rules)) return { fields: {}, program: undefined }
    const refuse = (why: string): Step<Program> =>
      Result.fail(notAllowed("script", "", `scripts are not allowed ${why}`))
    if (platform === "windows") return yield* refuse("on Windows: run a program with its arguments")
    const checked = yield* ScriptCheck.check(rules, exec.command)
    if (policy.shell === "leaf") return { fields: { command: inBraces(checked.text) }, program: undefined }
    if (files === undefined) return yield* refuse("on a leaf that has no bash of its own")
    const bash = commands.see(policy.shell ?? "bash")
    if (Result.isFailure(bash) || bash.success === undefined) return yield* refuse("where there is no bash")
    const program = bashOf(exec, bash.success, checked, rules)
    const bytes = utf8Length(program.script)
    return bytes <= maxArgumentBytes ? program : yield* refuse(
      `that are ${bytes} bytes long when they are written out, above the ${maxArgumentBytes} that bash can be given`,
    )
  })

const decided = (exec: ShellExec, rules: CompiledRules): Step<Decision> =>
  Result.gen(function* () {
    if (exec.localBin === true) {
      const issue = "programs of the working directory (localBin) are not allowed"
      return yield* Result.fail(notAllowed("localBin", "true", issue))
    }
    const variable = rules.environment.refusal(exec.environment)
    if (variable !== undefined) return yield* Result.fail(variable)
    const timeout = yield* timeoutOf(exec, rules)
    const maxOutputBytes = yield* budgetOf(exec, rules)
    const directory = yield* directoryOf(exec, rules)
    const { environment, fields, program } = yield* (exec.useShell ? scriptOf(exec, rules) : argvOf(exec, rules))
    const { files, policy, searchPath } = rules
    const inherited = (name: string): string | undefined =>
      rules.environment.inherits(name) ? files?.variable(name) : undefined
    return {
      exec: new ShellExec({
        ...exec,
        ...fields,
        ...(policy.defaultCwd === undefined ? undefined : {
          workingDirectory: exec.workingDirectory ?? policy.defaultCwd,
        }),
        ...(timeout === undefined ? undefined : { timeout }),
        ...(maxOutputBytes === undefined ? undefined : { maxOutputBytes }),
        // What a program looks for by name is looked for where its own name was, and git runs no hooks.
        ...(files === undefined ? undefined : {
          localBin: false,
          environment: {
            ...(isUnchecked(rules) ? undefined : gitDefaults(inherited)),
            ...(isUnchecked(rules) ? undefined : rules.git),
            ...exec.environment,
            ...(isUnchecked(rules) ? undefined : gitSettings(inherited, rules.findings.pushes)),
            ...environment,
            PATH: searchPath,
          },
        }),
      }),
      pinned: files === undefined ? undefined : { program, directory, inherits: rules.environment.inherits },
    }
  })

/** Decides about a command. */
export const decide = (exec: ShellExec, rules: CompiledRules): Result.Result<Decision, ShellFault> => {
  const invalid = validateExec(exec)
  if (invalid !== undefined) return Result.fail(invalid)
  const fresh = { ...rules, commands: rules.commands.remembering(), findings: { pushes: false } }
  return Result.mapError(decided(exec, fresh), (refusal) => toShellFault(exec.commandId, refusal))
}
