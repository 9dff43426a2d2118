/**
 * Makes the runs of scripts for the portable shell over a leaf. Imported when the first one runs, because it imports
 * the whole kernel.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { quote } from "../base/quote.ts"
import { ShellExec } from "../command/plain/ShellExec.ts"
import { ShellFault } from "../command/plain/ShellFault.ts"
import { Programs } from "../kernel/process/Programs.ts"
import type { ProgramRequest } from "../kernel/process/Programs.ts"
import type { ProcessRunOptions, ProcessRuns } from "../shell/ProcessLeaf.ts"
import type { ExitFault } from "../shell/SpawnedProcess.ts"
import { validateExec } from "../shell/validateExec.ts"
import { elsewhereFiles } from "./elsewhereFiles.ts"
import { isDevice } from "./emptyFiles.ts"
import type { ScriptLeaf } from "./HostProgram.ts"
import { machineFiles, machineUmask } from "./machineFiles.ts"
import { makeScriptRuns, type ScriptTimes } from "./makeScriptRuns.ts"
import { ownStreams } from "./ownStreams.ts"
import { askPlace, commandFields, type ScriptMachine, type ScriptPlace } from "./ScriptPlace.ts"
import type { ScriptPlan, StartDecision } from "./ScriptPlan.ts"
import { toScriptPath, toWindowsPath, windowsFiles } from "./windowsFiles.ts"
import { addVariables, changedVariables, hideSecrets } from "./scriptVariables.ts"

const invalid = (field: string, problem: string): ExitFault => ({
  reason: { _tag: "InvalidRequest", field, code: "ENOTSUP" },
  message: `exec: ${problem} (ENOTSUP)`,
})

const noFile = (path: string): ExitFault =>
  invalid(
    "command",
    `a script in the portable shell reads and writes no files of this leaf: ${quote(path)}; ` +
      "let a program do it, or a script of the system's shell",
  )

/** The path of a program whose name has a slash, which the leaf would resolve from its own folder. */
const locate = (name: string, directory: string): string => {
  const path = toScriptPath(name)
  return path.includes("/") && !path.startsWith("/") ? `${directory}/${path}` : path
}

const planPortable = (
  exec: ShellExec,
  place: ScriptPlace,
  isHere: boolean,
  isWindows: boolean,
  refuse: (fault: ExitFault) => void,
): ScriptPlan => {
  const { directory: cwd, variables: inherited } = place
  const fileSystem = isHere
    ? isWindows ? windowsFiles() : machineFiles()
    : elsewhereFiles(cwd, (path) => refuse(noFile(path)))
  const programs = new Programs(new Map(), fileSystem)
  const hide = hideSecrets(exec)
  const native = isWindows ? toWindowsPath : (path: string): string => path
  const start = ({ args: [, ...words], directory, env, program }: ProgramRequest): StartDecision => {
    const path = native(locate(program, directory.path))
    const environment = {
      ...changedVariables(env, inherited, exec.environment, hide),
      // The shell's own variable, which no script sets for others.
      ...(isWindows ? undefined : { PWD: directory.path }),
    }
    const command = new ShellExec({
      ...commandFields(exec),
      ...{ commandId: exec.commandId, command: path, arguments: words.map(hide), environment },
      ...{ streamOutput: true, useShell: false, workingDirectory: native(directory.path) },
    })
    return { _tag: "Command", path, exec: command }
  }
  return {
    fileSystem,
    hasFiles: isHere,
    cwd,
    env: addVariables(new Map(inherited), exec.environment),
    ...(isHere && !isWindows ? { umask: machineUmask() } : undefined),
    names: [],
    which: (name, at, path) => {
      if (!isHere || isWindows) return native(locate(name, at))
      const directory = fileSystem.directory(fileSystem.root, at)
      return typeof directory === "number" ? directory : programs.which(name, directory, path)
    },
    start,
    hasBuiltin: () => true,
    refuseOpen: (path) => isHere || isDevice(path) ? undefined : noFile(path),
  }
}

/** The variables, with the name that a script has for the search path: on Windows it is `Path`. */
const toVariables = (variables: Readonly<Record<string, string>>, isWindows: boolean): ReadonlyMap<string, string> =>
  new Map(Object.entries(variables).map(([name, value]) => [isWindows && /^path$/i.test(name) ? "PATH" : name, value]))

const placeOf = (
  leaf: ScriptLeaf,
  exec: ShellExec,
  options: ProcessRunOptions,
  machine: ScriptMachine | undefined,
): Effect.Effect<ScriptPlace, ShellFault> => {
  const isWindows = leaf.capabilities.platform === "windows"
  if (machine === undefined) return askPlace(leaf, exec, options)
  const directory = machine.directory(exec)
  if (Result.isFailure(directory)) return Effect.fail(directory.failure)
  const variables = machine.variables(exec)
  return variables === undefined
    ? Effect.map(askPlace(leaf, exec, options), (asked) => ({ ...asked, directory: directory.success }))
    : Effect.succeed({ directory: toScriptPath(directory.success), variables: toVariables(variables, isWindows) })
}

/** Makes the runs. `machine`: that of the leaf, if its files are those of this program. */
export const makePortableRuns = (leaf: ScriptLeaf, times: ScriptTimes, machine?: ScriptMachine): ProcessRuns => {
  const runs = makeScriptRuns(
    leaf,
    (exec, options, refuse) => {
      const refused = options.terminal === undefined
        ? validateExec(exec)
        : ShellFault.because(exec.commandId, ...toArguments(noTerminal))
      if (refused !== undefined) return Effect.fail(refused)
      return Effect.map(
        placeOf(leaf, exec, options, machine),
        (place) => planPortable(exec, place, machine !== undefined, leaf.capabilities.platform === "windows", refuse),
      )
    },
    times,
  )
  return {
    ...runs,
    exec: (exec, { descriptors = {}, ...options } = {}) =>
      Object.keys(descriptors).length === 0 ? runs.exec(exec, options) : Stream.unwrap(Effect.map(
        Effect.sync(() => ownStreams(descriptors)),
        (streams) => runs.exec(exec, { ...options, ...streams }),
      )),
  }
}

const noTerminal: ExitFault = invalid("terminal", "a script in the portable shell has no terminal")

const toArguments = ({ message, reason }: ExitFault): readonly [ExitFault["reason"], string] => [reason, message]
