/**
 * Takes the long texts out of a body: their bytes are hashed and stored as they are. JSON of a text costs more than its
 * hash, or than its write.
 *
 * @module
 */
import type * as Schema from "effect/Schema"
import { asciiContentOf } from "../base/asciiContent.ts"
import { encodeUtf8 } from "../base/bytes.ts"
import { canonicalJson } from "../base/canonicalJson.ts"
import { sha256 } from "../base/sha256.ts"
import type { Body, Row } from "./Entry.ts"

/** A text of as many UTF-16 units is taken out. */
const minTextLength = 4_096

/** The texts that are taken out of one body, together: shorter ones are not worth it. */
const minLength = 32_768

/** A longer body is JSON, whose length is limited. */
const maxLength = 1024 * 1024

/** A body whose long texts are bytes. */
export interface LongBody {
  /** The canonical JSON before, between and after the texts. */
  readonly frame: ReadonlyArray<string>
  /** The texts in UTF-8, without the escapes of JSON. */
  readonly texts: ReadonlyArray<Uint8Array>
  /** The SHA-256 of each text. */
  readonly hashes: ReadonlyArray<string>
  /** The approximate length in UTF-16 units; the canonical JSON is not shorter. */
  readonly length: number
}

const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true })

const isLong = (text: string): boolean => text.length >= minTextLength && text.isWellFormed()

/** The length of the long texts in an object or array. It is called for every entry. */
const lengthOf = (value: object): number => {
  let length = 0
  for (const key in value) {
    const ascii = key === "content" ? asciiContentOf(value) : undefined
    const item: unknown = ascii === undefined ? Reflect.get(value, key) : undefined
    if (ascii !== undefined) length += ascii.length < minTextLength ? 0 : ascii.length
    else if (typeof item === "string") length += isLong(item) ? item.length : 0
    else if (typeof item === "object" && item !== null) length += lengthOf(item)
  }
  return length
}

/** Writes a value as canonical JSON, with its long texts beside it. */
class FrameWriter {
  readonly frame: Array<string> = []
  readonly texts: Array<Uint8Array> = []
  #json = ""

  write(value: Schema.Json): void {
    if (typeof value === "string" && isLong(value)) this.#cut(encodeUtf8(value))
    else if (typeof value !== "object" || value === null) this.#json += canonicalJson(value)
    else if (Array.isArray(value)) {
      this.#json += "["
      for (let index = 0; index < value.length; index++) {
        if (index > 0) this.#json += ","
        this.write(value[index] ?? null)
      }
      this.#json += "]"
    } else this.#members(value)
  }

  #members(value: object): void {
    const ascii = asciiContentOf(value)
    let separator = "{"
    for (const key of Object.keys(value).sort()) {
      const isText = key === "content" && ascii !== undefined && ascii.length >= minTextLength
      const item: Schema.Json | undefined = isText ? "" : Reflect.get(value, key)
      if (item === undefined) continue
      this.#json += `${separator}${JSON.stringify(key)}:`
      separator = ","
      if (isText) this.#cut(ascii)
      else this.write(item)
    }
    this.#json += separator === "{" ? "{}" : "}"
  }

  #cut(text: Uint8Array): void {
    this.texts.push(text)
    this.frame.push(this.#json)
    this.#json = ""
  }

  end(): void {
    this.frame.push(this.#json)
  }
}

/** Takes out the long texts of a body; `undefined` for a body that has few of them. Throws for one that is not JSON. */
export const toLongBody = (body: Body): LongBody | undefined => {
  const length = lengthOf(body)
  if (length < minLength || length > maxLength) return undefined
  const writer = new FrameWriter()
  writer.write(body)
  writer.end()
  const { frame, texts } = writer
  const whole = frame.reduce((sum, json) => sum + json.length, length)
  return whole > maxLength ? undefined : { frame, texts, hashes: texts.map(sha256), length: whole }
}

const join = (frame: ReadonlyArray<string>, texts: ReadonlyArray<string>): string =>
  frame.map((json, index) => json + (texts[index] ?? "")).join("")

/** The canonical JSON of a body. */
export const longBodyJson = ({ frame, texts }: LongBody): string =>
  join(frame, texts.map((text) => JSON.stringify(decoder.decode(text))))

/** What a hash covers instead of the canonical JSON: a `#` and the SHA-256 of each long text. No JSON has a `#` there. */
export const longBodyDigest = ({ frame, hashes }: LongBody): string => join(frame, hashes.map((hash) => `#${hash}`))

/** A row whose body is stored with its texts apart; the JSON is made when it is read. */
export class LongRow implements Row {
  readonly position: Row["position"]
  readonly time: number
  readonly branch: string
  readonly correlationId: string
  readonly tag: string
  readonly version: number
  readonly hash: string
  readonly long: LongBody

  constructor(row: Omit<Row, "body">, long: LongBody) {
    this.position = row.position
    this.time = row.time
    this.branch = row.branch
    this.correlationId = row.correlationId
    this.tag = row.tag
    this.version = row.version
    this.hash = row.hash
    this.long = long
  }

  get body(): string {
    return longBodyJson(this.long)
  }
}
