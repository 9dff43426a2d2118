/** Converts the end of a process, or a fault of the shell, into a `CodeOutput` or a `CodeError`. */
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import type { ShellOutput } from "../command/ShellEvent.ts"
import type { PartialOutput, ShellFault } from "../command/ShellFault.ts"
import { type CodeError, ExecutionError, PreExecutionError, ResourceError } from "./CodeError.ts"
import type { ResourceReason } from "./CodeReason.ts"
import type { CodeOutput } from "./CodeResult.ts"
import type { CodePlan } from "./planCode.ts"
import type { InvalidUtf8 } from "./OutputCollector.ts"
import { ranOutOfMemory } from "./ranOutOfMemory.ts"

const identityOf = ({ commandId, language }: CodePlan) => ({ commandId, language })

const signalOf = ({ signal }: ShellOutput): { readonly signal?: string } => signal === undefined ? {} : { signal }

type ResourceProblem = readonly [reason: ResourceReason, message: string]

const outOfMemory: ResourceProblem = [
  { _tag: "ResourceExhausted", resource: "memory", code: "ENOMEM" },
  "exec: Process ran out of memory (ENOMEM)",
]

/**
 * The exhausted resource that an end indicates: by a signal of setrlimit(2), or the message of a language. A failed
 * allocation alone ends no process.
 */
const usedUp = (
  { exec }: CodePlan,
  output: ShellOutput,
  stderr: string,
): ResourceProblem | undefined => {
  const { cpuSeconds, fileSizeBytes, memoryBytes } = exec.limits ?? {}
  const { signal } = output
  if (ranOutOfMemory(output, stderr, memoryBytes !== undefined)) {
    return memoryBytes === undefined ? outOfMemory : [
      { _tag: "LimitExceeded", limit: "memoryBytes", value: memoryBytes },
      `exec: Process exceeded its limit of ${memoryBytes} bytes of memory (ENOMEM)`,
    ]
  }
  if (signal === "SIGXCPU" && cpuSeconds !== undefined) {
    return [
      { _tag: "LimitExceeded", limit: "cpuSeconds", value: cpuSeconds },
      `exec: Process exceeded its limit of ${cpuSeconds}s of processor time (SIGXCPU)`,
    ]
  }
  if (signal === "SIGXFSZ" && fileSizeBytes !== undefined) {
    return [
      { _tag: "LimitExceeded", limit: "fileSizeBytes", value: fileSizeBytes },
      `exec: Process exceeded its limit of ${fileSizeBytes} bytes of a file (SIGXFSZ)`,
    ]
  }
  return undefined
}

const binary = ({ offset, stream }: InvalidUtf8): ResourceProblem => [
  { _tag: "BinaryOutput", stream, offset },
  `exec: output is not UTF-8 text: byte ${offset} of ${stream} is invalid (EILSEQ)`,
]

export const binaryOutputError = (plan: CodePlan, invalidUtf8: InvalidUtf8, written: PartialOutput): ResourceError => {
  const [reason, message] = binary(invalidUtf8)
  return new ResourceError({ ...identityOf(plan), ...written, reason, message })
}

export interface OutputFacts {
  readonly invalidUtf8: InvalidUtf8 | undefined
  readonly isExceeded: boolean
  readonly lastWords?: string
}

const resourceProblem = (
  plan: CodePlan,
  output: ShellOutput,
  written: PartialOutput,
  { isExceeded, invalidUtf8, lastWords = written.stderr }: OutputFacts,
): ResourceProblem | undefined => {
  if (invalidUtf8 !== undefined) return binary(invalidUtf8)
  const problem = usedUp(plan, output, lastWords)
  if (problem !== undefined || !isExceeded) return problem
  const { maxOutputBytes } = plan
  const bytesOmitted = written.stdoutBytesOmitted + written.stderrBytesOmitted
  return [
    { _tag: "OutputExceeded", maxOutputBytes, bytesOmitted },
    `exec: output exceeded ${maxOutputBytes} bytes, ${bytesOmitted} bytes were omitted from its middle (EMSGSIZE)`,
  ]
}

export const codeOutcome = (
  plan: CodePlan,
  output: ShellOutput,
  written: PartialOutput,
  facts: OutputFacts,
): Result.Result<CodeOutput, ExecutionError | ResourceError> => {
  const { duration, executable, exitCode, signal } = output
  const problem = resourceProblem(plan, output, written, facts)
  if (problem !== undefined) {
    const [reason, message] = problem
    return Result.fail(
      new ResourceError({ ...identityOf(plan), ...written, reason, message, exitCode, ...signalOf(output), duration }),
    )
  }
  if (exitCode === 0 && signal === undefined) {
    return Result.succeed({ _tag: "CodeOutput", ...identityOf(plan), exitCode, ...written, executable, duration })
  }
  const how = signal === undefined
    ? { reason: { _tag: "Exited", exitCode } as const, message: `exec: Process exited with ${exitCode} (EXIT)` }
    : {
      reason: { _tag: "Crashed", signal } as const,
      message: `exec: Process was ended by ${signal}${
        signal === "SIGKILL" ? ", as when memory runs out" : ""
      } (SIGNAL)`,
    }
  return Result.fail(
    new ExecutionError({ ...identityOf(plan), ...written, ...how, exitCode, ...signalOf(output), duration }),
  )
}

export const codeErrorOfFault = (
  plan: CodePlan,
  { message, reason }: ShellFault,
  written: PartialOutput,
): CodeError => {
  switch (reason._tag) {
    case "NotFound": {
      // The missing program of a command is the interpreter of code.
      const what = reason.what === "command" ? "interpreter" : reason.what
      return new PreExecutionError({ ...identityOf(plan), reason: { ...reason, what }, message })
    }
    case "PermissionDenied":
    case "NotAllowed":
    case "InvalidRequest":
    case "Throttled":
      return new PreExecutionError({ ...identityOf(plan), reason, message })
    case "Timeout": {
      const time = Duration.format(Duration.millis(reason.afterMillis))
      const text = reason.kind === "total" ? `exec: Process timeout after ${time} (TIMEOUT)` : message
      return new ResourceError({ ...identityOf(plan), ...written, reason, message: text })
    }
    default:
      return new ResourceError({ ...identityOf(plan), ...written, reason, message })
  }
}
