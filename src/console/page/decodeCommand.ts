/** Decodes commands from the server's JSON, with a check of every field, and parses and reads other JSON objects. */
import { isRecord } from "../../base/isObject.ts"
import type { TerminalSize } from "../../command/Terminal.ts"
import type { CommandInfo } from "../../wire/CommandInfo.ts"

export type JsonRecord = Readonly<Record<string, unknown>>

export const readText = (record: JsonRecord, key: string): string | undefined => {
  const value = record[key]
  return typeof value === "string" ? value : undefined
}

export const readNumber = (record: JsonRecord, key: string): number | undefined => {
  const value = record[key]
  return typeof value === "number" ? value : undefined
}

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const states: Readonly<Record<CommandInfo["state"], true>> = {
  waiting: true,
  running: true,
  lost: true,
  exited: true,
  faulted: true,
  unreadable: true,
}

const isState = (text: string | undefined): text is CommandInfo["state"] =>
  text !== undefined && Object.hasOwn(states, text)

export interface Command extends
  Pick<
    CommandInfo,
    "commandId" | "position" | "state" | "line" | "requested"
  > {
  readonly exitCode: number | undefined
  readonly signal: string | undefined
  readonly reason: string | undefined
  readonly message: string | undefined
  readonly ended: number | undefined
  readonly durationMillis: number | undefined
  readonly stdoutBytes: number | undefined
  readonly stderrBytes: number | undefined
  /** Whether `text` is a script for a shell. */
  readonly isScript: boolean
  /** The text to type to run it: the script itself, or the command line. */
  readonly text: string
  readonly workingDirectory: string | undefined
  readonly executable: string | undefined
  readonly user: string | undefined
  readonly host: string | undefined
  /** Name of the token of its request. */
  readonly requestedBy: string | undefined
  /** The request for which it was made. */
  readonly root: CommandInfo["root"]
  readonly hasTerminal: boolean
  readonly terminal: TerminalSize | undefined
}

const decodeSize = (u: unknown): TerminalSize | undefined => {
  const [cols, rows] = isRecord(u) ? [readNumber(u, "cols"), readNumber(u, "rows")] : []
  return cols === undefined || rows === undefined ? undefined : { cols, rows }
}

const decodeRoot = (u: unknown): CommandInfo["root"] => {
  const [correlationId, tag] = isRecord(u) ? [readText(u, "correlationId"), readText(u, "tag")] : []
  if (!isRecord(u) || correlationId === undefined || tag === undefined) return undefined
  return { correlationId, tag, about: readText(u, "about") ?? "" }
}

export const decodeCommand = (u: unknown): Command | undefined => {
  if (!isRecord(u)) return undefined
  const [commandId, line, state] = [readText(u, "commandId"), readText(u, "line"), readText(u, "state")]
  const [position, requested] = [readNumber(u, "position"), readNumber(u, "requested")]
  if (commandId === undefined || line === undefined || position === undefined || requested === undefined) {
    return undefined
  }
  if (!isState(state)) return undefined
  return {
    commandId,
    position,
    state,
    line,
    requested,
    exitCode: readNumber(u, "exitCode"),
    signal: readText(u, "signal"),
    reason: readText(u, "reason"),
    message: readText(u, "message"),
    ended: readNumber(u, "ended"),
    durationMillis: readNumber(u, "durationMillis"),
    stdoutBytes: readNumber(u, "stdoutBytes"),
    stderrBytes: readNumber(u, "stderrBytes"),
    isScript: u["useShell"] === true,
    text: (u["useShell"] === true ? readText(u, "command") : undefined) ?? line,
    workingDirectory: readText(u, "workingDirectory"),
    executable: readText(u, "executable"),
    user: readText(u, "user"),
    host: readText(u, "host"),
    requestedBy: readText(u, "requestedBy"),
    root: decodeRoot(u["root"]),
    hasTerminal: isRecord(u["terminal"]) && readNumber(u, "clients") !== undefined,
    terminal: decodeSize(u["terminal"]),
  }
}

export const isOpen = ({ state }: Command): boolean => state === "waiting" || state === "running"
