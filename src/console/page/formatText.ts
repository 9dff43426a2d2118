/** Formats durations, sizes, counts and command states as text, and escapes or cuts text. */
import { escapeInvisible as escapeOneLine } from "../../base/escapeInvisible.ts"
import { type Command, isOpen } from "./decodeCommand.ts"

export const formatDuration = (millis: number): string => {
  if (millis < 1_000) return `${Math.round(millis)} ms`
  if (millis < 60_000) return `${Number((millis / 1_000).toFixed(millis < 10_000 ? 2 : 1))} s`
  const seconds = Math.round(millis / 1_000)
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export const formatSize = (bytes: number): string => {
  if (bytes < 1_024) return `${bytes} B`
  const units = ["KiB", "MiB", "GiB", "TiB"]
  let value = bytes / 1_024
  let unit = 0
  for (; value >= 1_024 && unit < units.length - 1; unit++) value /= 1_024
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit] ?? ""}`
}

export const formatCount = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString("en")} ${n === 1 ? one : many}`

const faults: ReadonlyMap<string, readonly [name: string, advice: string]> = new Map([
  ["NotFound", ["program not found", "Check the spelling, the PATH of the server, and the working directory."]],
  ["PermissionDenied", ["permission denied", "The server's user may not run the file or enter the directory."]],
  ["NotAllowed", ["not allowed", "The server's list of allowed commands does not have it. Its operator can add it."]],
  ["InvalidRequest", ["invalid request", "The server cannot start a command from this request."]],
  ["Timeout", ["timed out", "It did not end within its timeout. The output up to then is shown."]],
  ["Cancelled", ["cancelled", "A client cancelled it, or the last client that read its output disconnected."]],
  ["Throttled", [
    "too many concurrent commands",
    "Too many commands are running. Run it again when another one has ended.",
  ]],
  ["ResourceExhausted", ["out of resources", "The machine ran out of memory, processes or open files. Try again."]],
  ["HostLost", ["host lost", "The process that ran it is gone. Run it again if it can safely run twice."]],
  ["JournalFailed", ["journal failed", "The server could not write its journal. Check its disk or its database."]],
  ["Unknown", ["failed", "The cause is unknown. The message has all that the server knows."]],
])

export const adviceFor = ({ reason, state }: Command): string | undefined =>
  state === "faulted" ? faults.get(reason ?? "Unknown")?.[1] : undefined

export const stateText = ({ exitCode, reason, signal, state }: Command): string => {
  if (state === "exited") {
    if (signal !== undefined) return `ended by ${signal}`
    return exitCode === 0 ? "succeeded" : `exited with ${exitCode ?? "?"}`
  }
  if (state === "faulted") return faults.get(reason ?? "Unknown")?.[0] ?? reason ?? "failed"
  return state === "unreadable" ? "pruned" : state
}

export const stateTone = (command: Command): "good" | "bad" | "open" | "gone" => {
  if (isOpen(command)) return "open"
  if (command.state === "lost" || command.state === "unreadable") return "gone"
  return command.state === "exited" && command.exitCode === 0 ? "good" : "bad"
}

/** Escapes invisible characters, and those that change the direction of text; lines and tabs stay. */
export const escapeInvisible = (text: string): string => text.replace(/[^\n\t]+/g, escapeOneLine)

export const truncate = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`
