/** Converts a request to run code to a `ShellExec`. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { defined } from "../base/defined.ts"
import { countRule, isCount, showValue } from "../base/OptionError.ts"
import { quote } from "../base/quote.ts"
import { errorMessage } from "../base/errorMessage.ts"
import { encodeUtf8 } from "../base/bytes.ts"
import { CommandId } from "../command/CommandId.ts"
import { ShellExec } from "../command/ShellExec.ts"
import { didYouMean, findSimilar } from "../base/findNearest.ts"
import { PreExecutionError } from "./CodeError.ts"
import type { PreExecutionReason } from "./CodeReason.ts"
import { type CodeInput, defaultMaxOutputBytes, defaultTimeout, maxOutputBytesLimit } from "./CodeRequest.ts"
import type { Interpreter, InterpreterTable } from "./Interpreter.ts"

export interface CodePlan {
  readonly exec: ShellExec
  readonly language: string
  readonly maxOutputBytes: number
  readonly commandId: string
}

export interface CodePlanContext {
  readonly interpreters: InterpreterTable
  readonly platform: "posix" | "windows"
  readonly hasStdin: boolean
  readonly command?: string | undefined
}

/**
 * Maximum size of an argument. Linux: MAX_ARG_STRLEN of execve(2), 32 pages, with a NUL at the end; macOS and the BSDs
 * allow more. Windows: batch files, as npm makes for node, go through cmd.exe, which takes 8,191 characters.
 */
const maxArgumentBytes: Readonly<Record<CodePlanContext["platform"], number>> = { posix: 131_071, windows: 8_191 }

const invalidCode = (code: string): string | undefined => {
  if (code.includes("\0")) return "the code contains a NUL"
  return code.isWellFormed() ? undefined : "the code contains half a surrogate pair"
}

const isCommandId = Schema.is(CommandId)

const invalid = (field: string, code: string): PreExecutionReason => ({ _tag: "InvalidRequest", field, code })

type Failed = readonly [reason: PreExecutionReason, message: string]

const validateVersion = ({ version }: CodeInput): Result.Result<void, Failed> =>
  version === undefined || /^\d{1,9}(?:\.\d{1,9}){0,3}$/.test(version) ? Result.void : Result.fail([
    invalid("version", "EINVAL"),
    `exec: the version ${quote(version)} is not numbers with dots, as in 3 or 3.11 (EINVAL)`,
  ])

const findInterpreter = (language: string, table: InterpreterTable): Result.Result<Interpreter, Failed> => {
  const found = Object.hasOwn(table, language) ? table[language] : undefined
  if (found !== undefined) return Result.succeed(found)
  const known = Object.keys(table)
  const like = findSimilar(language.slice(0, 64), known)
  return Result.fail([
    { _tag: "UnknownLanguage", language, known },
    `exec: no interpreter for the language ${quote(language)}; there are ${known.join(", ")}${
      didYouMean(like)
    } (EINVAL)`,
  ])
}

interface CodeArguments {
  readonly args: ReadonlyArray<string>
  readonly input?: CodeInput["input"]
}

/** Passes the code as an argument, or by stdin if it is too long for one. */
const codeArguments = (
  { code, input }: CodeInput,
  { args, command, lead = "", stdinArgs }: Interpreter,
  { hasStdin, platform }: CodePlanContext,
): Result.Result<CodeArguments, Failed> => {
  const problem = invalidCode(code)
  if (problem !== undefined) return Result.fail([invalid("code", "EINVAL"), `exec: ${problem} (EINVAL)`])
  const maxBytes = maxArgumentBytes[platform]
  const argument = code === "" || code.startsWith("-") ? lead + code : code
  // A UTF-16 code unit takes at most three bytes.
  const bytes = argument.length * 3 <= maxBytes ? 0 : encodeUtf8(argument).length
  if (bytes <= maxBytes) {
    return Result.succeed({ args: [...args, argument], ...defined({ input }) })
  }
  const refuse = (why: string): Result.Result<CodeArguments, Failed> =>
    Result.fail([invalid("code", "E2BIG"), `exec: the code has ${bytes} bytes, and ${why} (E2BIG)`])
  if (stdinArgs === undefined) return refuse(`${command} takes code only as an argument, of at most ${maxBytes}`)
  if (input !== undefined || hasStdin) {
    return refuse(`code of more than ${maxBytes} is passed by stdin, which has other input`)
  }
  return Result.succeed({ args: stdinArgs, input: code })
}

/** Makes the command; an invalid field is an error of the request, not a defect. */
const makeCommand = (
  request: CodeInput,
  command: string,
  { args, input }: CodeArguments,
  commandId: string,
): Result.Result<ShellExec, Failed> =>
  Result.try({
    try: () =>
      ShellExec.make(command, args, {
        commandId,
        cwd: request.cwd,
        env: request.env,
        extendEnv: request.extendEnv,
        timeout: request.timeout ?? defaultTimeout,
        grace: request.grace,
        limits: request.limits,
        input,
      }),
    catch: (error): Failed => {
      const text = errorMessage(error).replace(/\s*\n\s*/g, " ")
      return [invalid("request", "EINVAL"), `exec: the request cannot be run: ${text} (EINVAL)`]
    },
  })

export const planCode = (request: CodeInput, context: CodePlanContext): Result.Result<CodePlan, PreExecutionError> => {
  const { language, maxOutputBytes = defaultMaxOutputBytes } = request
  // The error needs a valid id, even if the given id is the problem.
  const commandId = isCommandId(request.commandId) ? request.commandId : CommandId.make()
  return Result.gen(function* () {
    const interpreter = yield* findInterpreter(language, context.interpreters)
    yield* validateVersion(request)
    const given = yield* codeArguments(request, interpreter, context)
    const exec = yield* makeCommand(
      request,
      context.command ?? interpreter.command,
      given,
      request.commandId ?? commandId,
    )
    const bounds = { min: 0, max: maxOutputBytesLimit }
    if (!isCount(maxOutputBytes, bounds)) {
      const message = `exec: maxOutputBytes must be ${countRule(bounds)}, got ${showValue(maxOutputBytes)} (EINVAL)`
      return yield* Result.fail<Failed>([invalid("maxOutputBytes", "EINVAL"), message])
    }
    return { exec, language, maxOutputBytes, commandId }
  }).pipe(
    Result.mapError(([reason, message]) => new PreExecutionError({ commandId, language, reason, message })),
  )
}
