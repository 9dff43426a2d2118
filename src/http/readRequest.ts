/**
 * What a request asks for.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { HonoRequest } from "hono"
import type { ShellExec } from "../command/ShellExec.ts"
import { parsePolicy } from "../window/parse.ts"
import type { Policy } from "../window/Policy.ts"
import { WIRE_VERSION, WIRE_VERSION_HEADER } from "../wire/Wire.ts"
import { type AnswerType, JSON_TYPE, negotiate } from "./negotiate.ts"
import { type Refusal, refuse } from "./problem.ts"
import { readExec } from "./readExec.ts"

/** What a request asks for. */
export interface RunRequest {
  readonly exec: ShellExec
  readonly type: AnswerType
  readonly policy: Policy | undefined
}

const checkVersion = (version: string | undefined): Effect.Effect<void, Refusal> =>
  version === undefined || version === String(WIRE_VERSION)
    ? Effect.void
    : Effect.fail(refuse(400, "wire-version", `this server speaks ${WIRE_VERSION_HEADER}: ${WIRE_VERSION}`))

const readPolicy = (text: string | undefined, type: AnswerType): Result.Result<Policy | undefined, Refusal> => {
  if (text === undefined) return Result.succeed(undefined)
  const errors = [{ pointer: "#/window", detail: "not a window policy" }]
  if (type === JSON_TYPE) {
    return Result.fail(refuse(400, "invalid", "windows need a streamed answer, not application/json", { errors }))
  }
  return Result.mapError(parsePolicy(text), (detail) => refuse(400, "invalid", detail, { errors }))
}

/** Reads a request, cheapest questions first. A `window` of the query goes before one of the body. */
export const readRequest: (request: HonoRequest, maxBodyBytes: number) => Effect.Effect<RunRequest, Refusal> = Effect
  .fnUntraced(function* (request, maxBodyBytes) {
    yield* checkVersion(request.header(WIRE_VERSION_HEADER))
    const type = yield* Effect.fromResult(negotiate(request.header("accept")))
    const { exec, window } = yield* readExec(request, maxBodyBytes)
    const policy = yield* Effect.fromResult(readPolicy(request.query("window") ?? window, type))
    return { exec, type, policy }
  })
