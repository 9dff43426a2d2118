/** Implements `sluice code`. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { encodeUtf8 } from "../../base/bytes.ts"
import { CommandId } from "../../command/CommandId.ts"
import { noOutput } from "../../command/ShellFault.ts"
import { codeErrorOfFault, codeOutcome } from "../../code/codeOutcome.ts"
import { CodeError, PreExecutionError } from "../../code/CodeError.ts"
import { type CodeOutput, CodeResult, toResult } from "../../code/CodeResult.ts"
import { type CodeOptions, collect, prepare, type PreparedCode } from "../../code/run.ts"
import { Shell } from "../../shell/Shell.ts"
import { aborted } from "../../base/abort.ts"
import type { CommandHandler } from "../CommandSpec.ts"
import { exitStatusOfFault, ownFailureStatus } from "../exitStatus.ts"
import { inputStream, readInputText } from "../commandInput.ts"
import { type CliContext, journaledRun, withLocalShell } from "../withLocalShell.ts"
import type { BrokenOutputError, OutputWriter } from "../ProcessOutput.ts"
import type { CliProcess } from "../CliProcess.ts"
import { printBytes } from "../printRun.ts"
import { writeMessage } from "../writeMessage.ts"
import { exitStatusOfStop, type StopRequest } from "../stopOnSignals.ts"
import { defaultRedaction } from "../redaction.ts"
import type { UsageError } from "../UsageError.ts"
import { type CodeSource, readRunCodeRequest, type RunCodeRequest } from "./codeSpec.ts"

const isCodeError = Schema.is(CodeError)

/** The exit status of a run: the code's own if it exited; never 0 for a failed run. */
const statusOf = (outcome: CodeOutput | CodeError, stop: StopRequest): number => {
  if (outcome._tag === "ResourceError" && outcome.exitCode === 0) return ownFailureStatus
  if (outcome._tag !== "PreExecutionError" && outcome.exitCode !== undefined) return outcome.exitCode
  if (outcome._tag === "CodeOutput" || outcome._tag === "ExecutionError") return outcome.exitCode
  const { reason } = outcome
  switch (reason._tag) {
    case "UnknownLanguage":
    case "BinaryOutput":
    case "OutputExceeded":
    case "LimitExceeded":
      return ownFailureStatus
    case "VersionNotFound":
      return 127
    default:
      return exitStatusOfFault(reason, stop.by())
  }
}

/** Prints the bytes of the code unchanged, then returns the result. */
const printOutput = (
  { plan, shell }: PreparedCode,
  options: CodeOptions,
  output: OutputWriter,
): Effect.Effect<CodeOutput, CodeError | BrokenOutputError> =>
  printBytes(shell.bytes(plan.exec, options), output).pipe(
    Effect.catchTag("ShellFault", (fault) => Effect.fail(codeErrorOfFault(plan, fault, noOutput))),
    Effect.flatMap((last) =>
      Effect.fromResult(codeOutcome(plan, last, noOutput, { invalidUtf8: undefined, isExceeded: false }))
    ),
  )

const outcomeOf = (
  request: RunCodeRequest,
  code: string,
  context: CliContext,
): Effect.Effect<CodeOutput | CodeError, UsageError | BrokenOutputError, Scope.Scope> =>
  Effect.gen(function* () {
    const { cli, output, shell: plain, stop } = context
    const { input, journal, json, settings } = request
    const { plan } = yield* prepare({ ...settings, code }, { signal: stop.signal }, input !== undefined).pipe(
      Effect.provideService(Shell, plain),
    )
    const stdin = input === undefined ? undefined : yield* inputStream(cli, input)
    const { exec, shell } = yield* Effect.catchTag(
      journaledRun(context, { journal, redaction: defaultRedaction }, plan.exec),
      "ShellFault",
      (fault) => Effect.fail(codeErrorOfFault(plan, fault, noOutput)),
    )
    const prepared = { plan: { ...plan, exec }, shell }
    const options = { stdin, signal: stop.signal }
    return yield* json ? collect(prepared, options) : printOutput(prepared, options, output)
  }).pipe(Effect.catchIf(isCodeError, (error) => Effect.succeed(error)))

/** The result with the field names of MCP's answers, such as `exit_code`. */
const encodeResult = Schema.encodeSync(Schema.fromJsonString(CodeResult.pipe(Schema.encodeKeys({
  exitCode: "exit_code",
  stdoutBytes: "stdout_bytes",
  stderrBytes: "stderr_bytes",
  stdoutBytesOmitted: "stdout_bytes_omitted",
  stderrBytesOmitted: "stderr_bytes_omitted",
  duration: "duration_ms",
  commandId: "command_id",
}))))

const jsonLine = (outcome: CodeOutput | CodeError): Uint8Array => encodeUtf8(`${encodeResult(toResult(outcome))}\n`)

/** Error of a run whose code, input or journal could not be opened. */
const inputError = ({ settings: { language } }: RunCodeRequest, message: string): CodeError =>
  new PreExecutionError({
    commandId: CommandId.make(),
    language,
    reason: { _tag: "InvalidRequest", field: "code", code: "EINVAL" },
    message: `exec: ${message} (EINVAL)`,
  })

const maxCodeBytes = 16_777_216

const readCode = (cli: CliProcess, source: CodeSource): Effect.Effect<string, UsageError> =>
  source._tag === "Text" ? Effect.succeed(source.code) : readInputText(cli, source.file, "--file", maxCodeBytes)

const perform = (
  request: RunCodeRequest,
  all: CliContext,
): Effect.Effect<number, UsageError | BrokenOutputError, Scope.Scope> => {
  const { output, cli, stop } = all
  return Effect.gen(function* () {
    // A signal ends the wait for code from a terminal.
    const stopped = Effect.as(aborted(stop.signal), undefined)
    const code = yield* Effect.raceFirst(readCode(cli, request.source), stopped)
    if (code === undefined) return exitStatusOfStop(stop)
    const outcome = yield* outcomeOf(request, code, all)
    if (request.json) yield* output.write(1, jsonLine(outcome))
    else if (outcome._tag === "PreExecutionError" || outcome._tag === "ResourceError") {
      yield* writeMessage(output, outcome.message)
    }
    return statusOf(outcome, stop)
  }).pipe(
    Effect.catchTag("UsageError", (error): Effect.Effect<number, UsageError | BrokenOutputError> => {
      if (!request.json) return Effect.fail(error)
      return Effect.as(output.write(1, jsonLine(inputError(request, error.message))), ownFailureStatus)
    }),
  )
}

export const runCode: CommandHandler = (words, cli) =>
  Effect.flatMap(
    Effect.fromResult(readRunCodeRequest(words)),
    (request) => withLocalShell(cli, (all) => perform(request, all)),
  )
