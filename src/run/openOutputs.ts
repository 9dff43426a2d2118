/** Opens the destinations of a run's outputs, connects them to its commands, and closes them. */
import { defined } from "../base/defined.ts"
import { errorMessage } from "../base/errorMessage.ts"
import { readErrorCode } from "../base/readErrorCode.ts"
import type { FaultReason } from "../command/FaultReason.ts"
import { ShellFault } from "../command/plain/ShellFault.ts"
import { defaultMaxOutputBytes, encodingOf } from "../shell/OutputSink.ts"
import type { InheritedDescriptors, ProcessRunOptions } from "../shell/ProcessLeaf.ts"
import type { Stage } from "./Stage.ts"
import type { Destination } from "./openDestination.ts"
import type { RunOutput, TeeTarget } from "./RunOptions.ts"
import { StdoutReceiver } from "./StdoutReceiver.ts"
import { allOpened, tee } from "./tee.ts"

type Name = "stdout" | "stderr"

export interface Outputs {
  /** For each stage, the writers and descriptors of its run. */
  readonly wires: ReadonlyArray<Pick<ProcessRunOptions, "stdout" | "stderr" | "descriptors">>
  /** The stderr that was captured here, not by the shell. */
  readonly stderr: () => { readonly text: string; readonly bytesOmitted: number }
  /** Closes all destinations; resolves with the first failure as the reason and message of a fault. */
  readonly finish: () => Promise<readonly [FaultReason, string] | undefined>
}

/** An open destination, with its names for messages. */
interface Opened {
  readonly name: Name
  readonly line: string
  readonly destination: Destination
}

const targetOf = (output: RunOutput | undefined): TeeTarget | ReadonlyArray<TeeTarget> | undefined =>
  output === "tee"
    ? "inherit"
    : output === undefined || typeof output === "string"
    ? undefined
    : "tee" in output
    ? output.tee
    : output

const isTee = (output: RunOutput | undefined): boolean =>
  output === "tee" || (typeof output === "object" && "tee" in output)

export const openFault = ({ exec, line }: Stage, name: Name | "stdin", error: unknown): ShellFault => {
  const reason = { _tag: "InvalidRequest", field: name, code: readErrorCode(error) ?? "EINVAL" } as const
  const message = `${line} was not started: its ${name} cannot be opened: ${errorMessage(error)} (${reason.code})`
  return ShellFault.because(exec.commandId, reason, message)
}

const open = async (stage: Stage, name: Name, target: TeeTarget | ReadonlyArray<TeeTarget>): Promise<Opened> => {
  try {
    // Most commands have no destinations to open.
    const { openDestination } = await import("./onDemand.ts")
    return { name, line: stage.line, destination: await openDestination(target, name, stage.resolve) }
  } catch (error) {
    throw openFault(stage, name, error)
  }
}

const descriptor = (output: RunOutput | undefined): "inherit" | "null" | undefined =>
  output === "inherit" ? "inherit" : output === "ignore" ? "null" : undefined

const descriptorsOf = ({ options }: Stage, isLast: boolean): InheritedDescriptors => {
  const stdout = isLast ? descriptor(options.stdout) : undefined
  const stderr = descriptor(options.stderr)
  return { ...defined({ stdout, stderr }) }
}

const connect = (
  stages: ReadonlyArray<Stage>,
  stdoutReceiver: StdoutReceiver | undefined,
  opened: ReadonlyArray<Opened | undefined>,
): Outputs => {
  const captured: Array<StdoutReceiver> = []
  const wires = stages.map((stage, index) => {
    const { exec, options } = stage
    const isLast = index === stages.length - 1
    const toStdout = opened[2 * index]?.destination
    const toStderr = opened[2 * index + 1]?.destination
    const stdout = !isLast
      ? undefined
      : toStdout === undefined
      ? stdoutReceiver
      : stdoutReceiver === undefined
      ? toStdout
      : tee(stdoutReceiver, toStdout)
    let stderr = toStderr
    if (toStderr !== undefined && isTee(options.stderr)) {
      const receiver = new StdoutReceiver(exec.maxOutputBytes ?? defaultMaxOutputBytes, encodingOf(exec))
      captured.push(receiver)
      stderr = { ...tee(receiver, toStderr), finish: toStderr.finish }
    }
    return {
      ...defined({ stdout, stderr }),
      descriptors: descriptorsOf(stage, isLast),
    }
  })
  return {
    wires,
    stderr: () => {
      const kept = captured.map((receiver) => receiver.text())
      return {
        text: kept.map(({ text }) => text).join(""),
        bytesOmitted: kept.reduce((sum, { bytesOmitted }) => sum + bytesOmitted, 0),
      }
    },
    finish: async () => {
      const all = opened.filter((each) => each !== undefined)
      const failures = await Promise.all(all.map(({ destination }) => destination.finish()))
      const at = failures.findIndex((failure) => failure !== undefined)
      const broken = all[at]
      if (broken === undefined) return undefined
      const code = `E${broken.name.toUpperCase()}`
      const message = `the ${broken.name} of ${broken.line} could not be written: ${
        errorMessage(failures[at])
      } (${code})`
      return [{ _tag: "Unknown", code }, message]
    },
  }
}

/**
 * Opens all destinations of a run before its commands start; synchronously if there are none. Rejects with a
 * `ShellFault` if one cannot be opened, and closes the others.
 */
export const openOutputs = (
  stages: ReadonlyArray<Stage>,
  stdoutReceiver: StdoutReceiver | undefined,
): Outputs | Promise<Outputs> => {
  const opening = stages.flatMap((stage, index) => {
    const stdout = index === stages.length - 1 ? targetOf(stage.options.stdout) : undefined
    const stderr = targetOf(stage.options.stderr)
    return [
      stdout === undefined ? undefined : open(stage, "stdout", stdout),
      stderr === undefined ? undefined : open(stage, "stderr", stderr),
    ]
  })
  if (opening.every((each) => each === undefined)) return connect(stages, stdoutReceiver, [])
  return allOpened<Opened | undefined>(
    opening,
    (each) => each === undefined ? Promise.resolve() : each.destination.finish(),
  )
    .then((opened) => connect(stages, stdoutReceiver, opened))
}
