/** Texts, URLs and random bytes for a script: functions of the runtime without effects. */
import type { System } from "../../System.ts"
import { bytesOf, type HostCalls, numberOf, textOf } from "./arguments.ts"
import type { Argument, Reply } from "./QuickJs.ts"

const urlParts = [
  "href",
  "origin",
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
] as const
const writableParts: ReadonlySet<string> = new Set(urlParts.filter((name) => name !== "origin"))
/** Bytes that `random` returns at once. */
const maxRandomBytes = 65_536
/** Characters of a URL, and of a part that is set. */
const maxUrlCharacters = 1_048_576

const partsOf = (url: URL): string => JSON.stringify(Object.fromEntries(urlParts.map((name) => [name, url[name]])))

const parseUrl = (input: Argument, base?: Argument): URL | undefined => {
  if (textOf(input).length > maxUrlCharacters || textOf(base).length > maxUrlCharacters) return undefined
  try {
    return new URL(textOf(input), typeof base === "string" ? base : undefined)
  } catch {
    return undefined
  }
}

const decode = (bytes: Uint8Array, label: string, fatal: boolean, ignoreBOM: boolean): Reply => {
  let decoder: TextDecoder
  try {
    decoder = new TextDecoder(label, { fatal, ignoreBOM })
  } catch {
    return undefined
  }
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

export const hostText = (system: System): HostCalls => ({
  encode: (text) => new TextEncoder().encode(textOf(text)),
  decode: (bytes, label, isFatal, keepsBom) =>
    decode(bytesOf(bytes), textOf(label), isFatal === true, keepsBom === true),
  encodingName: (label) => {
    try {
      return new TextDecoder(textOf(label)).encoding
    } catch {
      return undefined
    }
  },
  parseUrl: (input, base) => {
    const url = parseUrl(input, base)
    return url === undefined ? undefined : partsOf(url)
  },
  setUrl: (href, name, value) => {
    const url = parseUrl(href)
    if (url === undefined || !writableParts.has(textOf(name)) || textOf(value).length > maxUrlCharacters) {
      return undefined
    }
    try {
      Reflect.set(url, textOf(name), textOf(value))
    } catch {
      return undefined
    }
    return partsOf(url)
  },
  random: (length) => {
    const bytes = new Uint8Array(Math.min(Math.max(0, numberOf(length)), maxRandomBytes))
    system.random(bytes)
    return bytes
  },
  monotonic: () => Number(system.monotonic()) / 1e6,
})
