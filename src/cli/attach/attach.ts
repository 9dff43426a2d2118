/** Implements `sluice attach`: lists the terminals of an execution server, or attaches the user's terminal to one. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { encodeUtf8 } from "../../base/bytes.ts"
import { escapeInvisible } from "../../base/escapeInvisible.ts"
import type { RemoteClient } from "../../client/Client.ts"
import type { CommandInfo } from "../../wire/CommandInfo.ts"
import type { CliProcess } from "../CliProcess.ts"
import type { CommandHandler } from "../CommandSpec.ts"
import { decodeFlags } from "../FlagSpec.ts"
import { type BrokenOutputError, ProcessOutput } from "../ProcessOutput.ts"
import { exitStatusOfStop, runUntilStopped, stopOnSignals, type StopRequest } from "../stopOnSignals.ts"
import { attachTerminal } from "../terminal/attachTerminal.ts"
import { type AttachFlags, attachFlags, defaultDetachKey } from "./attachSpec.ts"
import { openServer } from "../terminal/openServer.ts"
import { UsageError } from "../UsageError.ts"

type Terminal = CommandInfo & { readonly terminal: NonNullable<CommandInfo["terminal"]> }

/** Whether a command's terminal belongs to this server: those of other servers on the same journal have no `clients`. */
const hasTerminal = (info: CommandInfo): info is Terminal => info.terminal !== undefined && info.clients !== undefined

/** The newest open commands, at most one page of them. */
const maxListed = 500

const terminalsOf = (client: RemoteClient.RemoteClient): Effect.Effect<ReadonlyArray<Terminal>, UsageError> =>
  Effect.mapBoth(client.commands({ state: ["open"], maxCommands: maxListed }), {
    onFailure: ({ message }) => new UsageError(message.replace(/^http: /, "")),
    onSuccess: ({ commands }) => commands.filter(hasTerminal),
  })

const age = (millis: number): string => {
  const minutes = Math.floor(millis / 60_000)
  if (minutes < 1) return `${Math.max(0, Math.floor(millis / 1_000))} s`
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`
}

const tableOf = (terminals: ReadonlyArray<Terminal>, now: number): string =>
  terminals.map(({ clients = 0, commandId, line, requested, terminal: { cols, rows } }) => {
    const attached = clients === 1 ? "1 client" : `${clients} clients`
    return `${commandId}  ${`${cols}x${rows}`.padEnd(9)}${attached.padEnd(11)}${age(now - requested).padEnd(8)}${
      escapeInvisible(line)
    }\n`
  }).join("")

const find = (terminals: ReadonlyArray<Terminal>, word: string): Effect.Effect<Terminal, UsageError> => {
  const [newest] = terminals
  const meant = word === "last" && newest !== undefined
    ? [newest]
    : terminals.filter(({ commandId }) => commandId === word || commandId.startsWith(word))
  const exact = meant.find(({ commandId }) => commandId === word) ?? (meant.length === 1 ? meant[0] : undefined)
  if (exact !== undefined) return Effect.succeed(exact)
  return Effect.fail(
    new UsageError(
      meant.length > 1
        ? `${meant.length} terminals have an id that begins with ${word}: write a longer prefix`
        : `the server has no terminal ${word}; sluice attach without an id lists them`,
    ),
  )
}

const perform = (
  flags: AttachFlags,
  word: string | undefined,
  cli: CliProcess,
  output: ProcessOutput,
  stop: StopRequest,
): Effect.Effect<number, UsageError | BrokenOutputError, Scope.Scope> =>
  Effect.gen(function* () {
    const { client, url } = yield* openServer(flags, cli)
    const terminals = yield* terminalsOf(client)
    if (word === undefined) {
      const table = tableOf(terminals, yield* Clock.currentTimeMillis)
      yield* output.write(1, encodeUtf8(table === "" ? "no terminals\n" : table))
      return 0
    }
    const { commandId: id } = yield* find(terminals, word)
    const { byte: detachByte } = flags["detach-key"] ?? defaultDetachKey
    const readOnly = flags["read-only"]
    const all = { url, client, id, cli, output, stop, detachByte, readOnly, isReplayed: true, flag: "attach" }
    const status = yield* attachTerminal(all)
    return status === "stopped" ? exitStatusOfStop(stop) : status
  })

export const attach: CommandHandler = (words, cli) =>
  Effect.gen(function* () {
    const flags = yield* Effect.fromResult(decodeFlags(attachFlags, words.flags))
    const output = new ProcessOutput(cli)
    const stop = stopOnSignals(cli, output, Effect.void)
    return yield* runUntilStopped(perform(flags, words.operands[0], cli, output, stop), stop)
  })
