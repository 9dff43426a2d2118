/** Plans a script behind a policy: its files, its variables, and the decision about each program that it starts. */
import * as Result from "effect/Result"
import { defined } from "../base/defined.ts"
import { ShellExec } from "../command/ShellExec.ts"
import { Errno } from "../kernel/Errno.ts"
import type { ProgramRequest } from "../kernel/process/Programs.ts"
import { emptyFiles, isDevice } from "../script/emptyFiles.ts"
import type { ScriptPlan, StartDecision } from "../script/ScriptPlan.ts"
import { addVariables, changedVariables, hideSecrets } from "../script/scriptVariables.ts"
import type { SeenFile } from "../shell/LeafFiles.ts"
import { checkArgumentRule, type CompiledRules } from "./CompiledRules.ts"
import { containedUtility } from "./containedUtility.ts"
import { decide } from "./decide.ts"
import { normalizeCommandName } from "./normalizeCommandName.ts"
import { type PolicyRefusal, withoutSecrets } from "./PolicyRefusal.ts"
import { currentDirectory, homeOf } from "./allowDirectory.ts"
import { makeScriptFiles, refusedFile, type ScriptFiles } from "./scriptFiles.ts"

const listed: ReadonlySet<string> = new Set(
  "bg caller disown echo fg help jobs kill printf pwd type ulimit umask".split(" "),
)

const isListedBuiltin = (name: string): boolean => listed.has(name)

/** The files of a leaf whose file system is not accessible: none. */
const noFiles = (cwd: string): ScriptFiles => {
  const refusalOf: ScriptFiles["refusalOf"] = (path) =>
    isDevice(path) ? undefined : refusedFile(path, "this shell cannot open files for scripts")
  return { fileSystem: emptyFiles(cwd), refusalOf }
}

/** The variables that a script has before it sets any. */
const variablesOf = (exec: ShellExec, { environment, files, searchPath }: CompiledRules): Map<string, string> => {
  const inherited = exec.inheritEnvironment === false ? {} : files?.environment() ?? {}
  const variables = new Map(Object.entries(inherited).filter(([name]) => environment.inherits(name)))
  variables.set("PATH", searchPath)
  return addVariables(variables, exec.environment)
}

const refusedStart = (refusal: PolicyRefusal, script: ShellExec): StartDecision => {
  const { message, reason } = withoutSecrets(refusal, script)
  if (reason._tag === "NotFound" && reason.what === "command") return { _tag: "Missing" }
  if (reason._tag === "PermissionDenied") return { _tag: "Denied" }
  return { _tag: "Refused", fault: { reason, message } }
}

export interface ScriptStart {
  readonly directory: SeenFile | undefined
  readonly isolated: boolean
}

export const planScript = (
  exec: ShellExec,
  rules: CompiledRules,
  { directory, isolated }: ScriptStart,
): ScriptPlan => {
  const { files, policy } = rules
  // With a missing root, a script that names no directory runs, but sees no files.
  const roots = rules.roots === undefined ? undefined : Result.getOrElse(rules.roots(), () => [])
  const cwd = directory?.file ?? exec.workingDirectory ?? currentDirectory(files) ?? "/"
  const { fileSystem, refusalOf } = files === undefined
    ? noFiles(cwd)
    : makeScriptFiles({ policy, cwd, home: homeOf(files), isolated, roots: roots ?? (isolated ? [cwd] : undefined) })
  const env = variablesOf(exec, rules)
  const inherited = variablesOf(new ShellExec({ ...exec, environment: {} }), rules)
  const hide = hideSecrets(exec)
  const ruled = new Set(
    Object.keys(policy.argumentRules ?? {}).map((name) => normalizeCommandName(name, rules.platform)),
  )
  // Commands may get any variables if the list bounds nothing.
  const ofCommands: CompiledRules = {
    ...rules,
    environment: rules.lenient ? rules.scriptEnvironment : rules.environment,
  }

  const locate = (name: string, at: string): string =>
    name.includes("/") && !name.startsWith("/") ? `${at}/${name}` : name

  const which = (given: string, at: string): string | number => {
    const name = locate(given, at)
    const allowed = rules.commands.allow(name)
    const contained = containedUtility(rules, name, [])
    if (contained !== undefined) return contained.path
    if (Result.isFailure(allowed)) return -Errno.ENOENT
    return allowed.success?.path ?? name
  }

  const start = ({ args: [, ...words], directory: at, env: given, program }: ProgramRequest): StartDecision => {
    const name = locate(program, at.path)
    const contained = containedUtility(rules, name, words)
    if (contained !== undefined) {
      const refusal = checkArgumentRule(rules, name, words)
      return refusal === undefined ? { _tag: "Program", ...contained } : refusedStart(refusal, exec)
    }
    const { grace, inheritEnvironment, limits, timeout } = exec
    const command = new ShellExec({
      commandId: exec.commandId,
      command: name,
      arguments: words.map(hide),
      streamOutput: true,
      useShell: false,
      // A command that names no directory may run in the leaf's directory.
      ...(at.path === cwd && exec.workingDirectory === undefined ? undefined : { workingDirectory: at.path }),
      environment: changedVariables(given, inherited, exec.environment, hide),
      ...defined({ inheritEnvironment, timeout, grace, limits }),
    })
    const decision = decide(command, ofCommands)
    if (Result.isFailure(decision)) return refusedStart(decision.failure, exec)
    const { exec: decided, pinned } = decision.success
    // The shell's own variable, which no script sets for others.
    const whole = new ShellExec({ ...decided, environment: { ...decided.environment, PWD: at.path } })
    return { _tag: "Command", path: pinned?.program?.path ?? name, exec: whole, constraints: pinned }
  }

  return {
    fileSystem,
    hasFiles: files !== undefined,
    cwd,
    env,
    names: policy.allowedCommands.filter((entry) => !entry.includes("/") && entry !== "*"),
    which,
    start,
    hasBuiltin: (name) => !ruled.has(name) && (!isListedBuiltin(name) || rules.commands.names(name)),
    refuseOpen: (path, options, at) => {
      const refusal = refusalOf(path, options, at)
      return refusal && withoutSecrets(refusal, exec)
    },
  }
}
