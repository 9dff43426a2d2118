/** Reads a request to run a command, and refuses contradictions and unknown wire versions. */
import * as Result from "effect/Result"
import type { HonoRequest } from "hono"
import type { ShellExec } from "../command/ShellExec.ts"
import { parsePolicy } from "../window/parsePolicy.ts"
import type { Policy } from "../window/Policy.ts"
import type { Terminal } from "../command/Terminal.ts"
import { type ExecRequestOptions, wireVersionHeader } from "../wire/mod.ts"
import { maxChunkLength, maxDisconnectGraceMillis } from "../wire/ExecRequestOptions.ts"
import { formatWireVersions, negotiateWireVersion } from "../wire/version.ts"
import { jsonType, negotiate, type ResponseType } from "./negotiate.ts"
import { type Chunking, time } from "../shell/Chunking.ts"
import { decodeChunking } from "../compute/ComputeRequest.ts"
import { type HttpRefusal, type ProblemField, refuse } from "./problem.ts"
import { flagOf, wholeNumberOf } from "./query.ts"
import { decodeCommand, readCommandBody } from "./readCommandBody.ts"
import type { BodyBounds } from "./readJson.ts"

/**
 * The lifetime of the command: until its client disconnects, independently of clients, or until it has had no reader
 * for a time.
 */
export type RunLifetime = "attached" | "detached" | { readonly disconnectGraceMillis: number }

export interface RunRequest {
  readonly exec: ShellExec
  /** Whether the client chose the command id: then the command runs once. */
  readonly hasCommandId: boolean
  readonly type: ResponseType
  readonly policy: Policy | undefined
  readonly lifetime: RunLifetime
  /** Chunking of the output. Default: the shell's. */
  readonly chunking: Chunking | undefined
  readonly stdinOpen: boolean
  readonly terminal: Terminal | undefined
}

/** The refusal of a request whose client reads none of the wire versions that this server writes. */
export const refuseVersion = (request: HonoRequest): HttpRefusal | undefined =>
  negotiateWireVersion(request.header(wireVersionHeader)) === undefined
    ? refuse(400, "wire-version", `this server supports ${wireVersionHeader}: ${formatWireVersions()}`)
    : undefined

const wrong = (field: string, detail: string, what: string): HttpRefusal => {
  const errors: ReadonlyArray<ProblemField> = [{ pointer: `#/${field}`, detail: what }]
  return refuse(400, "invalid", detail, { errors })
}

const readPolicy = (text: string | undefined, type: ResponseType): Result.Result<Policy | undefined, HttpRefusal> => {
  if (text === undefined) return Result.succeed(undefined)
  const what = "not a window policy"
  if (type === jsonType) {
    return Result.fail(wrong("window", "windows need a streamed response, not application/json", what))
  }
  return Result.mapError(parsePolicy(text), (detail) => wrong("window", detail, what))
}

const readLifetime = (request: HonoRequest, settings: ExecRequestOptions): Result.Result<RunLifetime, HttpRefusal> => {
  const millis = wholeNumberOf(request, "disconnectGraceMillis")
  if (Result.isFailure(millis)) return Result.fail(millis.failure)
  const disconnectGraceMillis = millis.success ?? settings.disconnectGraceMillis ?? 0
  if (disconnectGraceMillis > maxDisconnectGraceMillis) {
    return Result.fail(
      wrong("disconnectGraceMillis", `disconnectGraceMillis is at most ${maxDisconnectGraceMillis}`, "too long"),
    )
  }
  const detached = flagOf(request, "detached") ?? settings.detached ?? false
  if (detached && disconnectGraceMillis > 0) {
    return Result.fail(
      wrong("disconnectGraceMillis", "disconnectGraceMillis cannot be used with detached", "not with detached"),
    )
  }
  return Result.succeed(detached ? "detached" : disconnectGraceMillis > 0 ? { disconnectGraceMillis } : "attached")
}

/** Output of a terminal is sent on without waiting for the end of a line: a person waits for the echo of each key. */
const terminalFlushMillis = 5

/** The requested chunking, within the server's maximum of buffered output. */
const boundedChunking = ({ chunking, terminal }: ExecRequestOptions): Chunking | undefined => {
  if (chunking === undefined) return terminal === undefined ? undefined : time(terminalFlushMillis)
  const requested = decodeChunking(chunking)
  return { ...requested, maxLength: Math.min(requested.maxLength, maxChunkLength) }
}

/** Reads a request, cheapest checks first. Values in the query override those in the body. */
export const readRequest = async (
  request: HonoRequest,
  bounds: BodyBounds,
): Promise<Result.Result<RunRequest, HttpRefusal>> => {
  const type = negotiate(request.header("accept"))
  if (Result.isFailure(type)) return Result.fail(type.failure)
  const read = await readCommandBody(request, bounds)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const { hasCommandId, settings } = read.success
  const lifetime = readLifetime(request, settings)
  if (Result.isFailure(lifetime)) return Result.fail(lifetime.failure)
  const window = request.query("window") ?? settings.window
  if (lifetime.success === "detached" && window !== undefined) {
    return Result.fail(wrong("window", "window cannot be used with detached", "not with detached"))
  }
  const policy = readPolicy(window, type.success)
  if (Result.isFailure(policy)) return Result.fail(policy.failure)
  // The output of a command with other readers is streamed in chunks.
  const command = decodeCommand(read.success, lifetime.success === "attached" && type.success === jsonType)
  if (Result.isFailure(command)) return Result.fail(command.failure)
  const exec = command.success
  const { terminal } = settings
  const stdinOpen = settings.stdin === "open" || (terminal !== undefined && settings.stdin === undefined)
  if (stdinOpen && terminal === undefined && exec.input !== undefined) {
    return Result.fail(wrong("stdin", "stdin cannot be open when the command has input", "not with input"))
  }
  if (terminal !== undefined && exec.input !== undefined) {
    return Result.fail(wrong("terminal", "input cannot be used with a terminal: type it", "not with input"))
  }
  return Result.succeed({
    exec,
    hasCommandId,
    type: type.success,
    policy: policy.success,
    lifetime: lifetime.success,
    chunking: boundedChunking(settings),
    stdinOpen,
    terminal,
  })
}
