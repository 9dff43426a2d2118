/**
 * What the page says.
 *
 * @module
 */
import type { Command } from "./json.ts"

/** A time span, short. */
export const span = (millis: number): string => {
  if (millis < 1_000) return `${Math.round(millis)} ms`
  if (millis < 60_000) return `${(millis / 1_000).toFixed(millis < 10_000 ? 2 : 1)} s`
  const minutes = Math.floor(millis / 60_000)
  return `${minutes} min ${Math.round((millis - minutes * 60_000) / 1_000)} s`
}

/** A number of bytes, short. */
export const size = (bytes: number): string => {
  if (bytes < 1_024) return `${bytes} B`
  const units = ["KiB", "MiB", "GiB", "TiB"]
  let value = bytes / 1_024
  let unit = 0
  for (; value >= 1_024 && unit < units.length - 1; unit++) value /= 1_024
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit] ?? ""}`
}

/** How a command is, in a word or two. */
export const stateText = ({ exitCode, reason, signal, state }: Command): string => {
  if (state === "exited") return signal === undefined ? `exited ${exitCode ?? "?"}` : `ended by ${signal}`
  return state === "faulted" ? reason ?? "faulted" : state
}

/** Good, bad, or not known yet: the colour of it. */
export const mood = ({ exitCode, state }: Command): "good" | "bad" | "open" => {
  if (state === "waiting" || state === "running") return "open"
  return state === "exited" && exitCode === 0 ? "good" : "bad"
}

/**
 * The words of a line, as a shell would part them: blanks, both kinds of quotes, backslashes, and nothing else.
 * `undefined` when a quote is open at its end.
 */
export const wordsOf = (line: string): ReadonlyArray<string> | undefined => {
  const words: Array<string> = []
  let word: string | undefined
  let quote = ""
  for (let at = 0; at < line.length; at++) {
    const c = line[at] ?? ""
    if (quote !== "") {
      if (c === quote) quote = ""
      else if (c === "\\" && quote === '"' && /["\\]/.test(line[at + 1] ?? "")) {
        word = `${word ?? ""}${line[++at] ?? ""}`
      } else word = `${word ?? ""}${c}`
    } else if (c === "'" || c === '"') {
      quote = c
      word ??= ""
    } else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = `${word ?? ""}${c === "\\" ? line[++at] ?? "\\" : c}`
  }
  if (word !== undefined) words.push(word)
  return quote === "" ? words : undefined
}
