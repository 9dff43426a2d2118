/**
 * `sluice config check`: reads a configuration file as each command would, and starts nothing.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { AccessPolicy } from "../../shell/AccessPolicy.ts"
import type { TokenOptions } from "../../tokens/Access.ts"
import { makeTokens } from "../../tokens/Tokens.ts"
import { readDaemonRequest } from "../daemon/DaemonRequest.ts"
import { ownFailure } from "../exitStatus.ts"
import type { Allowed } from "../guarded.ts"
import { readMcpRequest } from "../mcp/McpRequest.ts"
import { OwnOutput } from "../Output.ts"
import type { OwnProcess } from "../OwnProcess.ts"
import { urlOf } from "../reach.ts"
import { say } from "../say.ts"
import { readServeRequest } from "../serve/ServeRequest.ts"
import type { ServerRequest } from "../serverFlags.ts"
import { serverAccess } from "../serverToken.ts"
import { UsageError } from "../UsageError.ts"
import { readConfigFile } from "./ConfigFile.ts"
import { configurable, configure, type Configured } from "./configured.ts"

const tokenText = ({ maxConcurrent, name, rate, rights }: TokenOptions): string => {
  const facts = [
    rights === undefined ? "all rights" : rights.length === 0 ? "no rights" : rights.join(" "),
    ...(maxConcurrent === undefined ? [] : [`${maxConcurrent} at once`]),
    ...(rate === undefined ? [] : [`${rate.requests} requests per ${rate.per} ms`]),
  ]
  return `${name} (${facts.join(", ")})`
}

/** The tokens of a server, in words; fails for a token that no client could send. */
const accessText = (request: ServerRequest): Effect.Effect<string, UsageError> =>
  Effect.flatMap(serverAccess(request), ({ access, newToken }) =>
    Effect.try({
      try: () => {
        makeTokens(access)
        if (newToken !== undefined) return "a new token at each start"
        return access.tokens === undefined
          ? "one token, all rights"
          : `tokens ${access.tokens.map(tokenText).join(", ")}`
      },
      catch: (error) => new UsageError(error instanceof Error ? error.message : String(error)),
    }))

const policyTexts = (allowed: Allowed | undefined): Effect.Effect<ReadonlyArray<string>, UsageError> => {
  if (allowed === undefined) return Effect.succeed(["any command"])
  return AccessPolicy.fromEnvironment({ ...allowed }).pipe(
    Effect.mapBoth({
      onFailure: ({ message }) => new UsageError(message),
      onSuccess: (policy) => [
        policy.allowedCommands.length === 0 ? "no command" : `commands ${policy.allowedCommands.join(", ")}`,
        ...(policy.allowedCwdRoots === undefined ? [] : [`below ${policy.allowedCwdRoots.join(", ")}`]),
        ...AccessPolicy.risks(policy).map(({ message }) => `note: ${message}`),
      ],
    }),
  )
}

const readers: Readonly<
  Record<string, (own: OwnProcess, all: Configured) => Effect.Effect<ReadonlyArray<string>, UsageError>>
> = {
  serve: (own, all) =>
    Effect.gen(function* () {
      const request = yield* Effect.fromResult(readServeRequest(all, own))
      return [
        urlOf(request.host, request.port),
        yield* accessText(request),
        ...(yield* policyTexts(request.allowed)),
        `journal ${request.journal ?? "in memory"}`,
      ]
    }),
  daemon: (own, { words }) =>
    Effect.gen(function* () {
      const { allowed, journal } = yield* Effect.fromResult(readDaemonRequest(words, own))
      return [...(yield* policyTexts(allowed)), `journal ${journal ?? "of SLUICE_JOURNAL"}`]
    }),
  mcp: (own, all) =>
    Effect.gen(function* () {
      const { allowed, http, journal } = yield* Effect.fromResult(readMcpRequest(all, own))
      const none = { ALLOWED_COMMANDS: undefined, ALLOWED_CWD_ROOTS: undefined }
      return [
        ...(http === undefined ? ["stdin and stdout"] : [urlOf(http.host, http.port), yield* accessText(http)]),
        ...(yield* policyTexts(allowed ?? none)),
        `journal ${journal ?? "in memory"}`,
      ]
    }),
}

/** Checks a file: what each command makes of it on stdout, or what is wrong on stderr; answers with the status. */
export const checkConfig = (own: OwnProcess, file: string): Effect.Effect<number, UsageError> =>
  Effect.gen(function* () {
    const output = new OwnOutput(own)
    const config = yield* readConfigFile(own, file)
    let status = 0
    const told = new Set<string>()
    for (const name of Object.keys(configurable)) {
      const read = readers[name]
      const checked = yield* Effect.result(
        Effect.flatMap(configure(own, file, config, name, new Map()), (all) => read?.(own, all) ?? Effect.succeed([])),
      )
      const text = Result.match(checked, {
        onFailure: ({ message }) =>
          message.startsWith("--config: ") ? message : `--config: ${file}: ${name}: ${message}`,
        onSuccess: (facts) => `${name}: ${facts.join("; ")}\n`,
      })
      if (Result.isSuccess(checked)) yield* Effect.ignore(output.write(1, new TextEncoder().encode(text)))
      else {
        status = ownFailure
        // What is wrong with the whole file is wrong for each command.
        if (!told.has(text)) yield* Effect.ignore(say(output, text))
        told.add(text)
      }
    }
    return status
  })
