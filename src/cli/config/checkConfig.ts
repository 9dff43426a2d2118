/** Implements `sluice config check`: prints the effect of a configuration file on each command, or its errors. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { encodeUtf8 } from "../../base/bytes.ts"
import { errorMessage } from "../../base/errorMessage.ts"
import type { TokenOptions } from "../../auth/TokenAccess.ts"
import { commandRights, makeAuthenticator } from "../../auth/Authenticator.ts"
import { daemonFlags } from "../daemon/daemonSpec.ts"
import { enterFirstRoot } from "../enterFirstRoot.ts"
import { ownFailureStatus } from "../exitStatus.ts"
import { decodeFlags } from "../FlagSpec.ts"
import { guardShell } from "../guardShell.ts"
import { configuredLocation } from "../journal/openJournal.ts"
import { makeKillableShell } from "../killableShell.ts"
import { readMcpRequest, readServeRequest } from "../serverRequests.ts"
import { type OutputWriter, ProcessOutput } from "../ProcessOutput.ts"
import type { CliProcess } from "../CliProcess.ts"
import type { CommandHandler } from "../CommandSpec.ts"
import { serverUrl } from "../HttpListener.ts"
import { defaultRedaction, makeRedactor } from "../redaction.ts"
import type { RedactionFlags } from "../runFlags.ts"
import { tryMessage } from "../writeMessage.ts"
import type { ServedFolder } from "../serve/serveSpec.ts"
import { openFolder } from "../filesBesideCommands.ts"
import {
  type CommandPolicyRequest,
  emptyAllowlist,
  localShellOptions,
  readCommandPolicy,
  type ServerRequest,
} from "../serverFlags.ts"
import { serverAccess } from "../serverTokens.ts"
import { UsageError } from "../UsageError.ts"
import { applyConfig, type ConfiguredFlags, explainFlags, readConfigFile } from "./readConfiguredFlags.ts"
import { defaultConfigFile } from "./applyConfigFlag.ts"

const tokenText = ({ maxConcurrency, name, rate, rights = commandRights }: TokenOptions): string => {
  const facts = [
    rights.length === 0 ? "no rights" : rights.join(" "),
    ...(maxConcurrency === undefined ? [] : [`at most ${maxConcurrency} concurrent`]),
    ...(rate === undefined ? [] : [`${rate.requests} requests per ${rate.per} ms`]),
  ]
  return `${name} (${facts.join(", ")})`
}

/** Describes the tokens of a server; fails for a token that no client could send. */
const accessText = (request: ServerRequest): Effect.Effect<string, UsageError> =>
  Effect.flatMap(serverAccess(request), ({ access, newToken }) =>
    Effect.try({
      try: () => {
        makeAuthenticator(access)
        if (newToken !== undefined) return "a new token at each start"
        return access.tokens === undefined
          ? "one token, all rights"
          : `tokens ${access.tokens.map(tokenText).join(", ")}`
      },
      catch: (error) => new UsageError(errorMessage(error)),
    }))

/** Describes the policy, parsed as a server parses it at its start. */
const policyTexts = (
  request: CommandPolicyRequest & { readonly flags: RedactionFlags },
  cli: CliProcess,
): Effect.Effect<ReadonlyArray<string>, UsageError> =>
  Effect.scoped(Effect.gen(function* () {
    const { shell } = yield* makeKillableShell(cli, localShellOptions(request))
    const notes: Array<string> = []
    const noting: OutputWriter = {
      write: (_, bytes) =>
        Effect.sync(() => {
          notes.push(new TextDecoder().decode(bytes).replace(/^sluice: /, "note: ").trim())
        }),
    }
    yield* Effect.fromResult(makeRedactor(request.flags, cli))
    const { policy } = yield* guardShell(shell, request, noting)
    const walls = request.flags.isolated ? ["isolated"] : []
    return policy === undefined ? ["any command", ...walls] : [
      policy.allowedCommands.length === 0 ? "no command" : `commands ${policy.allowedCommands.join(", ")}`,
      ...(policy.allowedCwdRoots === undefined ? [] : [`below ${policy.allowedCwdRoots.join(", ")}`]),
      ...walls,
      ...notes,
    ]
  }))

/** The location of the journal without its URL, which may contain a password. */
const journalText = (cli: CliProcess, at: string | undefined): Effect.Effect<string | undefined, UsageError> =>
  Effect.map(
    configuredLocation(cli, at),
    (location) =>
      location === undefined
        ? undefined
        : location._tag === "Postgres"
        ? "journal in PostgreSQL"
        : `journal ${location.path}`,
  )

/** Describes the folder of a server, opened as at its start. */
const filesText = (folder: ServedFolder): Effect.Effect<string, UsageError> =>
  Effect.as(openFolder(folder, {}), `files below ${folder.path}${folder.isReadOnly ? ", read-only" : ""}`)

const readers: Readonly<
  Record<string, (cli: CliProcess, all: ConfiguredFlags) => Effect.Effect<ReadonlyArray<string>, UsageError>>
> = {
  serve: (cli, all) =>
    Effect.gen(function* () {
      const request = yield* Effect.fromResult(readServeRequest(all, cli))
      return [
        serverUrl(request.host, request.port),
        yield* accessText(request),
        ...(yield* policyTexts(request, cli)),
        (yield* journalText(cli, request.flags.journal)) ?? "journal in memory",
        ...(request.flags.files === undefined ? [] : [yield* filesText(request.flags.files)]),
      ]
    }),
  daemon: (cli, { texts }) =>
    Effect.gen(function* () {
      const flags = yield* Effect.fromResult(decodeFlags(daemonFlags, texts))
      const { allowed, entered } = enterFirstRoot(readCommandPolicy(flags, cli, "*"))
      const journal = yield* journalText(cli, flags.journal)
      return [...(yield* policyTexts({ flags, allowed, entered }, cli)), journal ?? "no journal, which a daemon needs"]
    }),
  mcp: (cli, all) =>
    Effect.gen(function* () {
      const request = yield* Effect.fromResult(readMcpRequest(all, cli))
      const { allowed = emptyAllowlist, http } = request
      return [
        ...(http === undefined ? ["stdin and stdout"] : [serverUrl(http.host, http.port), yield* accessText(http)]),
        ...(yield* policyTexts({ ...request, allowed }, cli)),
        (yield* journalText(cli, request.flags.journal)) ?? "journal in memory",
      ]
    }),
  run: (cli, { texts }) =>
    Effect.gen(function* () {
      const flags = yield* Effect.fromResult(decodeFlags(explainFlags, texts))
      const { allowed, entered } = enterFirstRoot(readCommandPolicy(flags, cli, undefined))
      return allowed === undefined
        ? ["no policy, which --explain needs"]
        : yield* policyTexts({ flags: { ...flags, ...defaultRedaction }, allowed, entered }, cli)
    }),
}

export const checkConfig: CommandHandler = ({ operands: [named] }, cli) =>
  Effect.gen(function* () {
    const file = named ?? (cli.variable("SLUICE_CONFIG") || defaultConfigFile)
    const output = new ProcessOutput(cli)
    const config = yield* readConfigFile(cli, file)
    let status = 0
    const reported = new Set<string>()
    for (const [name, read] of Object.entries(readers)) {
      const checked = yield* Effect.result(
        Effect.flatMap(
          applyConfig(cli, file, config, name, new Map()),
          (all) => read(cli, all),
        ),
      )
      const text = Result.match(checked, {
        onFailure: ({ message }) =>
          message.startsWith("--config: ") ? message : `--config: ${file}: ${name}: ${message}`,
        onSuccess: (facts) => `${name}: ${facts.join("; ")}\n`,
      })
      if (Result.isSuccess(checked)) yield* Effect.ignore(output.write(1, encodeUtf8(text)))
      else {
        status = ownFailureStatus
        // An error of the whole file is an error of each subcommand.
        if (!reported.has(text)) yield* tryMessage(output, text)
        reported.add(text)
      }
    }
    return status
  })
