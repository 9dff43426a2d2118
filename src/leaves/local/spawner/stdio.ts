/** Resolves the stdio options of a command, and converts them to the host's form. */
import {
  type AdditionalFdConfig,
  type CommandInput,
  type CommandOptions,
  type CommandOutput,
  type Encoding,
  parseFdName,
} from "effect/process/ChildProcess"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { SpawnRequest } from "../../../host/Host.ts"

/** The source of stdin. */
export interface Input {
  readonly stream: CommandInput
  readonly endOnDone: boolean
  readonly encoding: Encoding
}

/** A further descriptor. */
export interface AdditionalFd {
  readonly fd: number
  readonly config: AdditionalFdConfig
}

/** Resolves a command's stdin. Default: a pipe that stays open until it is closed. */
export const resolveInput = ({ stdin }: CommandOptions): Input => {
  const config = stdin === undefined || typeof stdin === "string" || Stream.isStream(stdin)
    ? { stream: stdin ?? "pipe" }
    : stdin
  return {
    stream: config.stream,
    endOnDone: config.endOnDone ?? true,
    encoding: config.encoding ?? "utf-8",
  }
}

/** Resolves a command's stdout or stderr. Default: a pipe. */
export const resolveOutput = (output: CommandOptions["stdout"]): CommandOutput =>
  output === undefined || typeof output === "string" || Sink.isSink(output) ? output ?? "pipe" : output.stream ?? "pipe"

/** Resolves a command's further descriptors, in order. Invalid names (`fd2`, `fdx`) are skipped. */
export const resolveAdditionalFds = ({ additionalFds }: CommandOptions): ReadonlyArray<AdditionalFd> =>
  Object.entries(additionalFds ?? {})
    .flatMap(([name, config]) => {
      const fd = parseFdName(name)
      return fd === undefined ? [] : [{ fd, config }]
    })
    .sort((a, b) => a.fd - b.fd)

/** Converts an option to the host's form. Except on Windows, `"overlapped"` is an ordinary pipe. */
export const hostStdio = (io: CommandInput | CommandOutput): "piped" | "inherit" | "null" =>
  io === "ignore" ? "null" : io === "inherit" ? "inherit" : "piped"

/** Converts descriptors 3 and up to the host's form; gaps are unused. */
export const hostExtra = (fds: ReadonlyArray<AdditionalFd>): SpawnRequest["extra"] => {
  const last = fds.at(-1)?.fd
  if (last === undefined) return undefined
  const requested = new Set(fds.map(({ fd }) => fd))
  return Array.from({ length: last - 2 }, (_, index) => requested.has(index + 3) ? "piped" : "null")
}
